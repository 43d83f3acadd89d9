import { type Hex, numberToHex, pad } from 'viem'
import { DomainError } from '../../../domain/core/errors.ts'
import type { NodeObject, Rollup } from '../../../domain/ports/node.ts'
import { once } from '../../../kit/once.ts'
import type { BridgeChain } from '../../../opstack/chain.ts'
import { callContract } from '../../../opstack/contract.ts'
import { depositedTopic, depositOf, type ParentLog } from '../../../opstack/deposits.ts'
import { findLogs } from '../../../opstack/find-logs.ts'
import { gameOutputs } from '../../../opstack/games.ts'
import { originIn } from '../../../opstack/l1-attributes.ts'
import { lower, passedTopic } from '../../../opstack/messages.ts'
import { type Outputs, oracleOutputs } from '../../../opstack/outputs.ts'
import { messagePasser, messenger, standardBridge } from '../../../opstack/predeploys.ts'
import { readBlock } from '../../../opstack/transaction.ts'
import type { BridgeTerms, BridgeWorld } from '../../../opstack/world.ts'

type Options = { parent: BridgeChain; chain: BridgeChain; rollup: Rollup; portal: Hex | null }

/** The number of blocks over which the block time is measured. */
const sample = 100

/**
 * A public rollup and its parent, read from their nodes alone. `ready` settles once the portal is known; before that no
 * hash can be looked up.
 */
export function publicBridgeWorld(options: Options): BridgeWorld & { ready: () => Promise<unknown> } {
  const { parent, chain, rollup, portal: given } = options
  const settled = once(settle)

  /** The constants: contracts and block times. */
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
    // The current depth of the rollup's origin; the usual depth of sequencers where it is unknown.
    const depth = origin && top ? Math.max(top.number - origin.number, 0) : 4
    return {
      portal,
      gateways,
      outputs,
      pace: { parentBlock, rollupBlock, finalizationSeconds: outputs.finalizationSeconds, confirmations: depth + 1 },
      secondsToSafe: (head && safe ? head.timestamp - safe.timestamp : 0) + parentBlock,
    }
  }

  /** Throws UNAVAILABLE or UNIMPLEMENTED where the rollup node does not say. */
  async function readOrigin(rollupBlock: number): Promise<{ number: number; hash: Hex }> {
    const first = await chain.read('eth_getTransactionByBlockNumberAndIndex', [numberToHex(rollupBlock), '0x0'])
    const recorded = originIn(first as { to: Hex | null; input: Hex } | null)
    if (recorded) return recorded
    const { blockRef } = await callRollup(rollup.outputAt(BigInt(rollupBlock)))
    return (blockRef as { l1origin: { number: number; hash: Hex } }).l1origin
  }

  const originOf: BridgeWorld['originOf'] = async (rollupBlock) => await readOrigin(rollupBlock).catch(() => null)

  return {
    parent,
    rollup: chain,
    terms,
    originOf,
    ready: settled,
    parentOf: async ({ hash, block }) => {
      if (block === null) return null
      const origin = await readOrigin(block.number)
      const { portal } = await settled()
      const filter = { blockHash: origin.hash, address: portal, topics: [depositedTopic] }
      const logs = (await parent.read('eth_getLogs', [filter])) as ParentLog[]
      return logs.find((log) => depositOf(log)?.hash === hash)?.transactionHash ?? null
    },
    initiationOf: async (_, nonce) => {
      if (nonce === null) return null
      const topics = [passedTopic, pad(numberToHex(nonce))]
      const [log] = await findLogs(chain, { address: messagePasser, topics }, 0).catch(() => [])
      return log?.transactionHash ?? null
    },
    // A public rollup includes every deposit: none is dropped.
    droppedIn: async () => null,
    resolve: () => null,
  }
}

async function secondsPerBlock(chain: BridgeChain): Promise<number> {
  const head = await readBlock(chain, 'latest')
  const before = head && (await readBlock(chain, numberToHex(Math.max(head.number - sample, 1))))
  if (!head || !before || head.number === before.number) return 1
  return (head.timestamp - before.timestamp) / (head.number - before.number)
}

/**
 * The portal's address from the rollup node. Throws where the parent's node is of another chain than the rollup node
 * reports.
 */
async function portalOf(parent: BridgeChain, rollup: Rollup): Promise<Hex> {
  const config = await callRollup(rollup.config())
  const found = Number(await parent.read('eth_chainId', []))
  if (found !== config.l1_chain_id)
    throw new DomainError(
      'UNAVAILABLE',
      `The node of L1_RPC_URL serves chain ${found}, but the rollup's parent is chain ${config.l1_chain_id}.`,
    )
  return lower(config.deposit_contract_address as Hex)
}

/** Waits for the rollup node. The error names the setting where it is missing or does not respond. */
async function callRollup(reading: Promise<NodeObject>): Promise<NodeObject> {
  return await reading.catch((thrown: unknown) => {
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
          'The node of ROLLUP_RPC_URL does not respond. Try again in a few seconds.',
          {},
          thrown,
        )
  })
}

/** An older portal names an output oracle, a newer one a factory of dispute games. */
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
    `The contract at ${portal} is not a portal of a known kind. Check L1_PORTAL_ADDRESS.`,
  )
}

/** The rollup's bridge and messenger name their counterparts on the parent chain. */
async function gatewaysOf(chain: BridgeChain): Promise<Hex[]> {
  const nameIn = async (contract: Hex, name: string) =>
    await callContract(chain, contract, `function ${name}() view returns (address)`).catch(unlessDown)
  const named = await Promise.all([nameIn(standardBridge, 'OTHER_BRIDGE'), nameIn(messenger, 'OTHER_MESSENGER')])
  return named.flatMap((address) => (address === null ? [] : lower(address as Hex)))
}

/** A missing function of a contract is a valid result; a node that does not respond is a failure. */
function unlessDown(thrown: unknown): null {
  if (thrown instanceof DomainError && thrown.code === 'UNAVAILABLE') throw thrown
  return null
}
