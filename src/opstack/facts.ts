import { decodeFunctionData, type Hex, parseAbi } from 'viem'
import type { BridgeFacts, BridgeLeg } from '../domain/ports/bridge.ts'
import { type Claim, claimedHash, messagesOfInput } from './claims.ts'
import { type Deposit, depositedTopic, depositOf, depositType } from './deposits.ts'
import { lower } from './messages.ts'
import { relayedParties } from './messenger.ts'
import { type ChainTransaction, legOf, readTransaction } from './transaction.ts'
import { claimedWithdrawal, type Withdrawal, withdrawalFacts, withdrawalsOf } from './withdrawal.ts'
import { atOneMoment, type BridgeTerms, type BridgeWorld } from './world.ts'

const depositAbi = parseAbi([
  'function depositTransaction(address to, uint256 value, uint64 gasLimit, bool isCreation, bytes data) payable',
  'function bridgeETH(uint32 gasLimit, bytes data) payable',
  'function bridgeETHTo(address to, uint32 gasLimit, bytes data) payable',
  'function depositETH(uint32 gasLimit, bytes data) payable',
  'function depositETHTo(address to, uint32 gasLimit, bytes data) payable',
  'function sendMessage(address to, bytes message, uint32 gasLimit) payable',
])

/** How many transfers of one transaction are read at once. */
const batch = 16

/**
 * Returns a function that reads the state of bridge transfers from both chains, by the hash of a transaction of either.
 * A transaction may begin, prove or finalize several; the hash of a deposit on the rollup, or of a withdrawal, stands for
 * that one. It returns none where neither chain knows the hash, or the transaction moves nothing over the bridge.
 */
export function bridgeFacts(chains: BridgeWorld): (hash: Hex) => Promise<BridgeFacts[]> {
  return async (given) => {
    // Transfers of one transaction share most of what is read about them.
    const world = atOneMoment(chains)
    const requested = lower(given)
    const [onParent, onRollup] = await Promise.all([
      readTransaction(world.parent, requested),
      readTransaction(world.rollup, requested),
    ])
    if (onParent) return await factsOfParent(world, onParent)
    if (onRollup) return await factsOfRollup(world, onRollup)
    const other = world.resolve(requested)
    if (other === null) return []
    if ('parent' in other) return await factsOfDeposit(world, other.parent, requested)
    const begun = await readTransaction(world.rollup, other.rollup)
    const meant = begun ? withdrawalsOf(begun).get(requested) : undefined
    return meant ? [await withdrawalFacts(world, meant)] : []
  }
}

async function factsOfRollup(world: BridgeWorld, transaction: ChainTransaction): Promise<BridgeFacts[]> {
  const isDeposit = transaction.type.toLowerCase() === depositType
  const parentHash = isDeposit ? await world.parentOf(transaction) : null
  if (parentHash !== null) return await factsOfDeposit(world, parentHash, transaction.hash)
  return await factsOfWithdrawals(world, [...withdrawalsOf(transaction).values()])
}

/** One deposit of a parent transaction, and the withdrawals that it begins. */
async function factsOfDeposit(world: BridgeWorld, parentHash: Hex, hash: Hex): Promise<BridgeFacts[]> {
  const transaction = await readTransaction(world.parent, parentHash)
  return transaction ? await factsOfParent(world, transaction, hash) : []
}

/** The transfers of a parent transaction, in the order of its logs; with the hash of one of its deposits only that one. */
async function factsOfParent(world: BridgeWorld, transaction: ChainTransaction, only?: Hex): Promise<BridgeFacts[]> {
  const terms = await world.terms()
  const logs = transaction.logs.filter(({ address }) => address === terms.portal)
  const moved = [...logs.flatMap((log) => depositIn(log) ?? []), ...claimsIn(transaction, logs)]
  const meant = only === undefined ? moved : moved.filter(({ hash }) => hash === only)
  if (meant.length === 0) {
    const { from, value: amount } = transaction
    const receiver = unfinishedReceiver(terms, transaction)
    if (receiver) return [depositFacts(terms, transaction, { from, ...receiver, amount }, null)]
    return await factsOfAttempt(world, transaction)
  }
  const inOrder = meant.sort((one, other) => Number(one.logIndex) - Number(other.logIndex))
  const facts = await inBatches(inOrder, async (one) => {
    if ('sourceHash' in one) return await factsOfLog(world, transaction, one)
    return [await withdrawalFacts(world, await claimedWithdrawal(world, one))]
  })
  return facts.flat()
}

/** How many withdrawals are looked for that a parent transaction only tried, or is about, to prove or to finalize. */
const mostAttempts = 10

/** The withdrawals that a parent transaction calls the portal with, without effect so far. */
async function factsOfAttempt(world: BridgeWorld, { input }: ChainTransaction): Promise<BridgeFacts[]> {
  const attempts = [...messagesOfInput(input)].slice(0, mostAttempts)
  const found = await inBatches(attempts, ([hash, message]) => claimedWithdrawal(world, { hash, message }))
  return await factsOfWithdrawals(
    world,
    found.filter(({ begun }) => begun !== null),
  )
}

type PortalLog = ChainTransaction['logs'][number]

function depositIn(log: PortalLog): (Deposit & Pick<PortalLog, 'logIndex'>) | null {
  const deposit = log.topics[0] === depositedTopic ? depositOf(log) : null
  return deposit && { ...deposit, logIndex: log.logIndex }
}

/** The withdrawals that a parent transaction proves or finalizes, each once. */
function claimsIn({ input }: ChainTransaction, logs: readonly PortalLog[]): (Claim & Pick<PortalLog, 'logIndex'>)[] {
  const places = new Map<Hex, Hex>()
  for (const log of logs) {
    const hash = claimedHash(log)
    if (hash !== null && !places.has(hash)) places.set(hash, log.logIndex)
  }
  const messages = messagesOfInput(input)
  return [...places].map(([hash, logIndex]) => ({ hash, logIndex, message: messages.get(hash) ?? null }))
}

/** A deposit as both chains show it, and the withdrawals that its call on the rollup begins. */
async function factsOfLog(world: BridgeWorld, transaction: ChainTransaction, deposit: Deposit): Promise<BridgeFacts[]> {
  const { hash, from, mint, data } = deposit
  const there = await readTransaction(world.rollup, hash)
  const to = deposit.to ?? there?.created ?? null
  // The ether is minted for the sender, whose call transfers it to the receiver.
  const parties = { ...(relayedParties(data) ?? { from, to }), amount: BigInt(mint) }
  const leg = there ? legOf(there, deposit.to) : { hash, block: await world.droppedIn(hash) }
  const begun = there ? await factsOfWithdrawals(world, [...withdrawalsOf(there).values()]) : []
  return [depositFacts(await world.terms(), transaction, parties, leg), ...begun]
}

async function factsOfWithdrawals(world: BridgeWorld, withdrawals: readonly Withdrawal[]): Promise<BridgeFacts[]> {
  return await inBatches(withdrawals, (one) => withdrawalFacts(world, one))
}

/** Reads a bounded number at once, because one transaction may begin hundreds of transfers. */
async function inBatches<T, R>(items: readonly T[], read: (item: T) => Promise<R>): Promise<R[]> {
  const done: R[] = []
  for (let at = 0; at < items.length; at += batch)
    done.push(...(await Promise.all(items.slice(at, at + batch).map(read))))
  return done
}

function depositFacts(
  { pace }: BridgeTerms,
  transaction: ChainTransaction,
  parties: { from: Hex; to: Hex | null; amount: bigint },
  rollup: BridgeLeg | null,
): BridgeFacts {
  return { direction: 'deposit', ...parties, pace, parent: legOf(transaction), rollup }
}

/** The receiver of a deposit call that is pending or has failed, null for a new contract; null where the call is not a deposit. */
function unfinishedReceiver(
  { portal, gateways }: BridgeTerms,
  transaction: ChainTransaction,
): { to: Hex | null } | null {
  const { from, to, input, block } = transaction
  if (to === null || (to !== portal && !gateways.includes(to))) return null
  // A call that succeeded without a deposit event was not a deposit.
  if (block?.succeeded) return null
  if (input === '0x') return { to: from }
  try {
    const call = decodeFunctionData({ abi: depositAbi, data: input })
    if (call.functionName === 'depositTransaction') return { to: call.args[3] ? null : lower(call.args[0]) }
    return { to: call.args.length === 3 ? lower(call.args[0]) : from }
  } catch {
    return null
  }
}
