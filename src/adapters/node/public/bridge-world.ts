import { type Hex, numberToHex, pad } from 'viem'
import { DomainError } from '../../../domain/errors.ts'
import type { NodeObject, Rollup } from '../../../domain/ports/node.ts'
import { callContract } from '../../bridge/contract.ts'
import { depositedTopic, depositOf, type ParentLog } from '../../bridge/deposits.ts'
import { findLogs } from '../../bridge/find-logs.ts'
import { gameOutputs } from '../../bridge/games.ts'
import { lower, messagePasser, passedTopic } from '../../bridge/messages.ts'
import { type Outputs, oracleOutputs } from '../../bridge/outputs.ts'
import { readBlock } from '../../bridge/transaction.ts'
import type { BridgeChain, BridgeTerms, BridgeWorld } from '../../bridge/world.ts'
import { originIn } from './l1-attributes.ts'

const standardBridge = '0x4200000000000000000000000000000000000010'
const messenger = '0x4200000000000000000000000000000000000007'

type Options = { parent: BridgeChain; chain: BridgeChain; rollup: Rollup; portal: Hex | null }

/** What is measured of a chain's pace is measured over so many blocks. */
const sample = 100

/**
 * A public rollup and its parent as the bridge sees them, told by their nodes alone. `ready` settles once they have
 * told where the portal is; before, nothing can be said of any hash.
 */
export function publicBridgeWorld(options: Options): BridgeWorld & { ready: () => Promise<unknown> } {
  const { parent, chain, rollup, portal: given } = options
  const settled = once(settle)

  /** What does not change: contracts, and the time that blocks take. */
  async function settle() {
    const portal = given ?? (await portalOf(parent, rollup))
    const [outputs, gateways, parentBlock, rollupBlock] = await Promise.all([
      outputsOf(parent, portal),
      gatewaysOf(chain),
      secondsPerBlock(parent),
      secondsPerBlock(chain),
    ])
    return { portal, gateways, outputs, parentBlock, rollupBlock }
  }

  async function terms(): Promise<BridgeTerms> {
    const [{ portal, gateways, outputs, parentBlock, rollupBlock }, head, safe, top] = await Promise.all([
      settled(),
      readBlock(chain, 'latest'),
      readBlock(chain, 'safe').catch(() => null),
      readBlock(parent, 'latest'),
    ])
    const origin = head && (await originOf(head.number))
    // How deep the rollup builds just now; where nobody tells, as deep as sequencers are set by custom.
    const depth = origin && top ? Math.max(top.number - origin.number, 0) : 4
    return {
      ...{ portal, gateways, outputs },
      pace: { parentBlock, rollupBlock, maturity: outputs.maturity, confirmations: depth + 1 },
      secondsToSafe: (head && safe ? head.timestamp - safe.timestamp : 0) + parentBlock,
    }
  }

  /** Throws UNAVAILABLE or UNIMPLEMENTED where nobody tells. */
  async function toldOrigin(rollupBlock: number): Promise<{ number: number; hash: Hex }> {
    const first = await chain.read('eth_getTransactionByBlockNumberAndIndex', [numberToHex(rollupBlock), '0x0'])
    const told = originIn(first as { to: Hex | null; input: Hex } | null)
    if (told) return told
    const { blockRef } = await askRollup(rollup.outputAt(BigInt(rollupBlock)))
    return (blockRef as { l1origin: { number: number; hash: Hex } }).l1origin
  }

  const originOf: BridgeWorld['originOf'] = async (rollupBlock) => await toldOrigin(rollupBlock).catch(() => null)

  return {
    ...{ parent, rollup: chain, terms, originOf },
    ready: settled,
    orderOf: async ({ hash, block }) => {
      if (block === null) return null
      const origin = await toldOrigin(block.number)
      const { portal } = await settled()
      const filter = { blockHash: origin.hash, address: portal, topics: [depositedTopic] }
      const logs = (await parent.read('eth_getLogs', [filter])) as ParentLog[]
      return logs.find((log) => depositOf(log)?.hash === hash)?.transactionHash ?? null
    },
    beginningOf: async (_, nonce) => {
      if (nonce === null) return null
      const topics = [passedTopic, pad(numberToHex(nonce))]
      const [log] = await findLogs(chain, { address: messagePasser, topics }, 0).catch(() => [])
      return log?.transactionHash ?? null
    },
    // A public rollup's node includes every deposit: it never refuses one.
    refusalOf: async () => null,
    standsFor: () => null,
  }
}

async function portalOf(parent: BridgeChain, rollup: Rollup): Promise<Hex> {
  const config = await askRollup(rollup.config())
  const found = Number(await parent.read('eth_chainId', []))
  if (found !== config.l1_chain_id)
    throw new DomainError(
      'UNAVAILABLE',
      `The node of L1_RPC_URL is of chain ${found}, but the rollup's parent is chain ${config.l1_chain_id}.`,
    )
  return lower(config.deposit_contract_address as Hex)
}

/** Waits for the rollup's node, and says which setting it takes where there is none or it is silent. */
async function askRollup(asked: Promise<NodeObject>): Promise<NodeObject> {
  return await asked.catch((thrown: unknown) => {
    const isMissing = thrown instanceof DomainError && thrown.code === 'UNIMPLEMENTED'
    throw isMissing
      ? new DomainError(
          'UNIMPLEMENTED',
          'Bridge status needs the rollup node; the operator of this gateway sets ROLLUP_RPC_URL.',
          {},
          thrown,
        )
      : new DomainError(
          'UNAVAILABLE',
          'The node of ROLLUP_RPC_URL does not answer; try again in a few seconds.',
          {},
          thrown,
        )
  })
}

/** A portal of the older kind names an oracle, one of the newer kind a factory of dispute games. */
async function outputsOf(parent: BridgeChain, portal: Hex): Promise<Outputs> {
  if ((await parent.read('eth_getCode', [portal, 'latest'])) === '0x')
    throw new DomainError('UNAVAILABLE', `The chain of L1_RPC_URL has no portal at ${portal}; check L1_PORTAL_ADDRESS.`)
  const address = async (name: string) =>
    (await callContract(parent, portal, `function ${name}() view returns (address)`).catch(unlessDown)) as Hex | null
  const [factory, oracle, older] = await Promise.all(['disputeGameFactory', 'l2Oracle', 'L2_ORACLE'].map(address))
  if (factory) return await gameOutputs(parent, portal, factory)
  const named = oracle ?? older
  if (named) return await oracleOutputs(parent, portal, named)
  throw new DomainError(
    'UNAVAILABLE',
    `The contract at ${portal} is no portal of a known kind; check L1_PORTAL_ADDRESS.`,
  )
}

/** The bridge and the messenger of the rollup name those of the parent that they speak with. */
async function gatewaysOf(chain: BridgeChain): Promise<Hex[]> {
  const nameIn = async (contract: Hex, name: string) =>
    await callContract(chain, contract, `function ${name}() view returns (address)`).catch(unlessDown)
  const named = await Promise.all([nameIn(standardBridge, 'OTHER_BRIDGE'), nameIn(messenger, 'OTHER_MESSENGER')])
  return named.flatMap((address) => (address === null ? [] : lower(address as Hex)))
}

/** A contract that lacks a function is an answer; a node that is silent is none. */
function unlessDown(thrown: unknown): null {
  if (thrown instanceof DomainError && thrown.code === 'UNAVAILABLE') throw thrown
  return null
}

async function secondsPerBlock(chain: BridgeChain): Promise<number> {
  const head = await readBlock(chain, 'latest')
  const before = head && (await readBlock(chain, numberToHex(Math.max(head.number - sample, 1))))
  if (!head || !before || head.number === before.number) return 1
  return (head.timestamp - before.timestamp) / (head.number - before.number)
}

/** Makes the function that asks until it has been answered, and then remembers. */
function once<T>(ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined
  return async () => {
    answer ??= ask().catch((error: unknown) => {
      answer = undefined
      throw error
    })
    return await answer
  }
}
