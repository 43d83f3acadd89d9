import type { Hex } from 'viem'
import { DomainError } from '../../../domain/core/errors.ts'
import type { NodeObject, Rollup } from '../../../domain/ports/node.ts'
import type { BridgeChain } from '../../../opstack/chain.ts'
import { callContract } from '../../../opstack/contract.ts'
import { gameOutputs } from '../../../opstack/games.ts'
import { lower } from '../../../opstack/messages.ts'
import { type Outputs, oracleOutputs } from '../../../opstack/outputs.ts'
import { messenger, standardBridge } from '../../../opstack/predeploys.ts'

/**
 * The portal's address from the rollup node. Throws where the parent's node is of another chain than the rollup node
 * reports.
 */
export async function portalOf(parent: BridgeChain, rollup: Rollup): Promise<Hex> {
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
export async function callRollup(reading: Promise<NodeObject>): Promise<NodeObject> {
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
export async function outputsOf(parent: BridgeChain, portal: Hex): Promise<Outputs> {
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
export async function gatewaysOf(chain: BridgeChain): Promise<Hex[]> {
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
