import { decodeFunctionData, type Hex, parseAbi } from 'viem'
import type { BridgeFacts, BridgeLeg, WithdrawalStage } from '../domain/ports/bridge.ts'
import { type Claim, claimedHash, finalizedTopic, provenTopic } from './claims.ts'
import { callContract } from './contract.ts'
import { findLogs } from './find-logs.ts'
import { lower, messagesIn, type WireLog } from './messages.ts'
import { relayedParties } from './messenger.ts'
import { messagePasser } from './predeploys.ts'
import { type ChainTransaction, legOf, readBlock, readTransaction } from './transaction.ts'
import type { BridgeTerms, BridgeWorld } from './world.ts'

const initiateAbi = parseAbi(['function initiateWithdrawal(address target, uint256 gasLimit, bytes data) payable'])

/** Sender, receiver and amount, and the contract that the withdrawal calls: the receiver itself or the messenger. */
type Parties = { from: Hex; to: Hex; amount: bigint; target: Hex }

/** A withdrawal and the rollup transaction that begins it. It has no hash before that is mined, and where it reverted. */
export type Withdrawal = { hash: Hex | null; parties: Parties | null; begun: ChainTransaction | null }

/** Many withdrawals of one transaction may be asked for, each by itself. */
const decoded = new WeakMap<ChainTransaction, ReadonlyMap<Hex | null, Withdrawal>>()

/** The withdrawals that a rollup transaction begins; one for a call of the message passer that is pending or has failed. */
export function withdrawalsOf(begun: ChainTransaction): ReadonlyMap<Hex | null, Withdrawal> {
  const known = decoded.get(begun) ?? new Map(decode(begun).map((one) => [one.hash, one]))
  decoded.set(begun, known)
  return known
}

function decode(begun: ChainTransaction): Withdrawal[] {
  const messages = messagesIn(begun.logs)
  if (messages.length === 0 && begun.to === messagePasser && !begun.block?.succeeded)
    return [{ hash: null, parties: partiesOf(begun), begun }]
  return messages.map((message) => ({ hash: lower(message.withdrawalHash), parties: partiesIn(message), begun }))
}

/** The withdrawal that a parent transaction proves or finalizes, with its rollup transaction where that is found. */
export async function claimedWithdrawal(world: BridgeWorld, { hash, message }: Claim): Promise<Withdrawal> {
  const initiation = await world.initiationOf(hash, message?.nonce ?? null)
  const begun = initiation && (await readTransaction(world.rollup, initiation))
  const known = begun ? withdrawalsOf(begun).get(hash) : undefined
  return known ?? { hash, parties: message && partiesIn(message), begun: begun || null }
}

/** The state of a withdrawal on both chains. */
export async function withdrawalFacts(world: BridgeWorld, { hash, parties, begun }: Withdrawal): Promise<BridgeFacts> {
  const terms = await world.terms()
  const { target = null, ...known } = parties ?? { from: null, to: null, amount: null }
  const { parent, stage } =
    hash === null
      ? { parent: null, stage: { at: 'begun', secondsToOutput: await outputSeconds(world, terms, null) } as const }
      : await stageOf(world, terms, { hash, target, block: begun?.block?.number ?? null })
  const pace = { ...terms.pace, confirmations: 1 }
  return { direction: 'withdrawal', hash, ...known, pace, rollup: begun && legOf(begun), parent, stage }
}

/** A withdrawal by its hash, the parent contract that it calls and its rollup block, where they are known. */
type Begun = { hash: Hex; target: Hex | null; block: number | null }

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
  if (topic !== finalizedTopic) return legOf(transaction)
  const leg = legOf({ ...transaction, logs: logsOf(transaction.logs, hash) }, target)
  // A finalized withdrawal may still contain a call that failed.
  return leg.block ? { ...leg, block: { ...leg.block, succeeded: BigInt(log.data) === 1n } } : leg
}

/** The logs of one withdrawal's call. The portal logs each withdrawal after its call, and runs one at a time. */
function logsOf(logs: ChainTransaction['logs'], hash: Hex): ChainTransaction['logs'] {
  const isPayment = ({ topics }: WireLog) => topics[0] === finalizedTopic
  const end = logs.findIndex((log) => isPayment(log) && claimedHash(log) === hash)
  const begin = logs.slice(0, Math.max(end, 0)).findLastIndex(isPayment) + 1
  return logs.slice(begin, end + 1)
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
