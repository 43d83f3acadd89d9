import { decodeFunctionData, type Hex, parseAbi, toEventSelector } from 'viem'
import type { BridgeFacts, BridgeLeg, WithdrawalStage } from '../domain/ports/bridge.ts'
import { callContract } from './contract.ts'
import { findLogs } from './find-logs.ts'
import { lower, messagesIn, type WireLog } from './messages.ts'
import { relayedParties } from './messenger.ts'
import { type ChainTransaction, legOf, readBlock, readTransaction } from './transaction.ts'
import type { BridgeTerms, BridgeWorld } from './world.ts'

const provenTopic = toEventSelector('WithdrawalProven(bytes32,address,address)')
const finalizedTopic = toEventSelector('WithdrawalFinalized(bytes32,bool)')

const initiateAbi = parseAbi(['function initiateWithdrawal(address target, uint256 gasLimit, bytes data) payable'])
const claimAbi = parseAbi([
  'struct Message { uint256 nonce; address sender; address target; uint256 value; uint256 gasLimit; bytes data; }',
  'struct Root { bytes32 version; bytes32 stateRoot; bytes32 messagePasserStorageRoot; bytes32 latestBlockhash; }',
  'function proveWithdrawalTransaction(Message withdrawal, uint256 index, Root output, bytes[] proof)',
  'function finalizeWithdrawalTransaction(Message withdrawal)',
  'function finalizeWithdrawalTransactionExternalProof(Message withdrawal, address submitter)',
])

/** Sender, receiver and amount, and the contract that the withdrawal calls: the receiver itself or the messenger. */
type Parties = { from: Hex; to: Hex; amount: bigint; target: Hex }

/** A withdrawal that a parent transaction proves or finalizes. Its message is known where the transaction called the portal. */
type Claim = { hash: Hex; message: (Parties & { nonce: bigint }) | null }

/** The withdrawal that a parent transaction proves or finalizes; null where it does neither. */
export function claimedIn({ input }: ChainTransaction, portalLogs: readonly WireLog[]): Claim | null {
  const log = portalLogs.find(({ topics }) => topics[0] === provenTopic || topics[0] === finalizedTopic)
  const hash = log?.topics[1]
  if (!hash) return null
  try {
    const [message] = decodeFunctionData({ abi: claimAbi, data: input }).args
    return { hash, message: { ...partiesIn(message), nonce: message.nonce } }
  } catch {
    return { hash, message: null }
  }
}

/** The state of a withdrawal on both chains, from its rollup transaction, or from a claim where that is not found. */
export async function withdrawalFacts(
  world: BridgeWorld,
  transaction: ChainTransaction | null,
  claim: Claim | null = null,
): Promise<BridgeFacts | null> {
  const messages = messagesIn(transaction?.logs ?? [])
  const message = messages.find(({ withdrawalHash }) => withdrawalHash === claim?.hash) ?? messages[0]
  const parties = message ? partiesIn(message) : (claim?.message ?? (transaction && partiesOf(transaction)))
  if (!parties) return null
  const { from, to, amount, target } = parties
  const terms = await world.terms()
  const hash = message?.withdrawalHash ?? claim?.hash
  const known = hash
    ? await stageOf(world, terms, { hash, target, block: transaction?.block?.number ?? null })
    : { parent: null, stage: { at: 'begun', secondsToOutput: await outputSeconds(world, terms, null) } as const }
  const pace = { ...terms.pace, confirmations: 1 }
  return { direction: 'withdrawal', from, to, amount, pace, rollup: transaction && legOf(transaction), ...known }
}

/** A withdrawal by its hash, the parent contract that it calls, and its rollup block where that is known. */
type Begun = { hash: Hex; target: Hex; block: number | null }

type Known = { parent: BridgeLeg | null; stage: WithdrawalStage }

/** The stage of a withdrawal. The portal's state decides; its logs only name the transaction. */
async function stageOf(world: BridgeWorld, terms: BridgeTerms, begun: Begun): Promise<Known> {
  const { hash, block } = begun
  const { portal, outputs } = terms
  const finalized = 'function finalizedWithdrawals(bytes32) view returns (bool)'
  const [isPaid, secondsToFinalize] = await Promise.all([
    callContract(world.parent, portal, finalized, [hash]),
    outputs.secondsToFinalize(hash),
  ])
  if (isPaid) return { parent: await claimLeg(world, portal, finalizedTopic, begun), stage: { at: 'paid' } }
  if (secondsToFinalize !== null)
    return {
      parent: await claimLeg(world, portal, provenTopic, begun),
      stage: { at: 'proven', secondsToFinalize },
    }
  const isProvable = block !== null && (await outputs.covered()).newest >= block
  const stage: WithdrawalStage = isProvable
    ? { at: 'provable' }
    : { at: 'begun', secondsToOutput: await outputSeconds(world, terms, block) }
  return { parent: null, stage }
}

/** The newest parent transaction with this log; null where the node no longer finds it. */
async function claimLeg(
  world: BridgeWorld,
  portal: Hex,
  topic: Hex,
  { hash, block, target }: Begun,
): Promise<BridgeLeg | null> {
  const origin = block === null ? null : await world.originOf(block)
  const log = (await findLogs(world.parent, { address: portal, topics: [topic, hash] }, origin?.number ?? 0)).at(-1)
  const transaction = log && (await readTransaction(world.parent, log.transactionHash))
  if (!transaction) return null
  const leg = legOf(transaction, target)
  if (topic !== finalizedTopic || !leg.block) return leg
  // A finalized withdrawal may still contain a call that failed.
  return { ...leg, block: { ...leg.block, succeeded: BigInt(log.data) === 1n } }
}

/** Seconds until an output that covers a block is published: its last block is mined, becomes safe and is proposed. */
async function outputSeconds(world: BridgeWorld, terms: BridgeTerms, block: number | null): Promise<number> {
  const { outputs, pace, secondsToSafe } = terms
  const [{ next, interval }, head, safe] = await Promise.all([
    outputs.covered(),
    readBlock(world.rollup, 'latest'),
    readBlock(world.rollup, 'safe'),
  ])
  const newest = head?.number ?? 0
  const covering = next + Math.max(Math.ceil(((block ?? newest) - next) / interval), 0) * interval
  if (safe && safe.number >= covering) return pace.parentBlock
  return Math.max(covering - newest, 0) * pace.rollupBlock + secondsToSafe
}

function partiesIn(message: { sender: Hex; target: Hex; value: bigint; data: Hex }): Parties {
  const [from, target] = [lower(message.sender), lower(message.target)]
  return { ...(relayedParties(message.data) ?? { from, to: target }), amount: message.value, target }
}

/** The parties by the input of a call that is pending or has failed. */
function partiesOf({ from: sender, value, input }: ChainTransaction): Parties {
  try {
    const [target, , data] = decodeFunctionData({ abi: initiateAbi, data: input }).args
    return partiesIn({ sender, target, value, data })
  } catch {
    return { from: sender, to: sender, amount: value, target: sender }
  }
}
