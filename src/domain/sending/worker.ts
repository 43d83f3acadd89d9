import { createKeyedTasks, type KeyedTasks } from '../../kit/keyed-tasks.ts'
import { type SerialQueues, serialQueues } from '../../kit/queues.ts'
import { chainWithin } from '../core/chain-within.ts'
import { gatewayStopping, RepeatLater } from '../core/errors.ts'
import { inPages } from '../core/in-pages.ts'
import { referenceText } from '../core/reference.ts'
import type { Chain, Head, Hex } from '../ports/chains.ts'
import type { Ports } from '../ports/index.ts'
import type {
  Outgoing,
  Reference,
  ReferenceOf,
  ReserveRequest,
  Sender,
  SendRequest,
  StoredReference,
  Workers,
} from '../ports/outbox.ts'
import type { FinalBlock } from '../ports/trade-policy.ts'
import { advance, isDone } from './advance.ts'
import { alone } from './alone.ts'
import { cancelGaps } from './cancel-gaps.ts'
import { confirm } from './confirm.ts'
import { dueAccounts, type Seen } from './due.ts'
import { isFinal } from './execution-state.ts'

/**
 * The outbox worker: the only way a transaction leaves the gateway. It does one job: it takes the transactions of each
 * account from their nonces to their final blocks.
 *
 * W1. Nonces are handed out by `outbox.reserve` alone, in the database transaction that checks the trade.
 * W2. Signed bytes are stored before they are broadcast.
 * W3. One process at a time takes the steps of an account: it holds the account's lease in the database while it does, and
 *     what it writes after another process has taken the lease is refused.
 * W4. Within a process the steps of an account run one after the other.
 * W5. Every step may be repeated: after a crash at any line the next process continues here.
 * W6. A reserved nonce is used by a mined transaction, or freed where no node has its bytes: never broadcast, refused at
 *     once, or past its deadline (T4).
 * W7. After every step, also one that failed, the follower of the reference is notified of versions that it was not notified
 *     of. It may be notified twice. A step that could not read the chain changes nothing.
 * W8. The chain's reads of a step end at its time limit. A chain that hangs delays neither other chains nor the rest of an
 *     account's work.
 */
export type Worker = Sender & {
  /** Confirms what the newest block may have changed, and takes the accounts that are due a step on. */
  onBlock(chain: Chain): void
  /** Takes the accounts that are due a step on, without waiting for confirmations to be read. */
  processAccounts(chain: Chain): void
  /** Starts nothing new and waits for the steps that run; what is not finished continues at the next start. */
  close(): Promise<void>
}

/** Updates what a reference belongs to (a trade, a wallet, a claim) with the state of its transactions. */
type Follower<Kind extends Reference['kind']> = (
  chain: Chain,
  reference: ReferenceOf<Kind>,
  transactions: readonly Outgoing[],
) => Promise<void>

/** A follower for every kind of reference: a kind without one does not compile. */
export type Followers = { readonly [Kind in Reference['kind']]: Follower<Kind> }

type WorkerPorts = Pick<Ports, 'chains' | 'clock' | 'halts' | 'outbox' | 'signer' | 'tradingSettings'>

export type WorkerOptions = {
  ports: WorkerPorts
  followers: Followers
  /** Receives failures of background work, which is repeated at the next block. */
  failed: (failure: unknown) => void
  /** Receives each block of which trades become final, before they do. */
  noteFinal?: (chain: Chain, block: FinalBlock) => Promise<void>
  /** The processes that share the database; none others where it is absent. */
  workers?: Workers
  /** False in a process that leaves the steps to workers of other processes: it reserves and wakes them. */
  takesSteps?: boolean
  /** Milliseconds that one step of one reference may take before the rest of the account's work continues. */
  stepMs?: number
}

type Item = Pick<Outgoing, 'id' | 'reference'>
type Sending = SendRequest & Pick<ReserveRequest, 'trade'>
type Reserved = Awaited<ReturnType<Ports['outbox']['reserve']>>

type State = Required<WorkerOptions> & {
  queues: SerialQueues
  /** Accounts by chain id, so that a chain that hangs takes no capacity from another one. */
  accounts: ReadonlyMap<number, KeyedTasks>
  tasks: KeyedTasks
  /** The head by chain id up to which all blocks were confirmed. */
  confirmedTo: Map<number, Head>
  confirming: Set<number>
  /** By chain id: what the last rounds over its accounts saw. */
  seen: Map<number, Seen>
  /** By chain id: accounts whose work was held back or failed. They are due in the next round. */
  heldBack: Map<number, Set<Hex>>
  /** By account: the reference at which the time of the last round ran out. */
  stalledAt: Map<string, Item>
  closed: boolean
}

const usualStepMs = 20_000

/** Accounts of one chain that are processed concurrently. */
const concurrentAccounts = 32

/** Opens the worker over the stored outbox. It does nothing by itself: a schedule calls `onBlock`. */
export function openWorker(options: WorkerOptions): Worker {
  const { ports, failed } = options
  const chainIds = ports.chains.all.map(({ info }) => info.id)
  const state: State = {
    stepMs: usualStepMs,
    takesSteps: true,
    workers: alone,
    noteFinal: async () => undefined,
    ...options,
    queues: serialQueues(),
    accounts: new Map(chainIds.map((id) => [id, createKeyedTasks(concurrentAccounts, failed)])),
    tasks: createKeyedTasks(Number.POSITIVE_INFINITY, failed),
    confirmedTo: new Map(),
    confirming: new Set(),
    seen: new Map(),
    heldBack: new Map(),
    stalledAt: new Map(),
    closed: false,
  }
  const processAccounts = (chain: Chain) =>
    state.tasks.schedule(`accounts ${chain.info.id}`, () => scheduleAccounts(state, chain))
  return {
    async send(request) {
      const sent = await enqueue(state, request)
      if ('refused' in sent)
        throw new Error(`A transaction that is not a trade was refused: ${JSON.stringify(sent.refused)}`)
      return sent
    },
    async sendTrade(request) {
      const reference = { kind: 'trade', id: request.trade.executionId } as const
      const sent = await enqueue(state, { ...request, reference })
      return 'refused' in sent ? sent.refused : null
    },
    onBlock(chain) {
      const { id } = chain.info
      if (state.confirming.has(id)) processAccounts(chain)
      state.tasks.schedule(`confirm ${id}`, async () => {
        await confirmBlocks(state, chain).finally(() => processAccounts(chain))
      })
    },
    processAccounts,
    async close() {
      state.closed = true
      await Promise.all([state.tasks, ...state.accounts.values()].map((tasks) => tasks.close()))
      await state.queues.idle()
    },
  }
}

/** Makes an account due in the next round, whatever the blocks until then hold. */
function repeatSoon({ heldBack }: State, { info }: Chain, from: Hex): void {
  heldBack.set(info.id, (heldBack.get(info.id) ?? new Set<Hex>()).add(from.toLowerCase() as Hex))
}

function accountKey({ info }: Chain, from: string): string {
  return `${info.id} ${from.toLowerCase()}`
}

/** Reserves the nonces, stores the transactions and takes the first step (W1). */
async function enqueue(state: State, request: Sending): Promise<Reserved> {
  if (state.closed) throw gatewayStopping()
  return await state.queues.run(accountKey(request.chain, request.from), () => reserveAndSend(state, request))
}

async function reserveAndSend(state: State, request: Sending): Promise<Reserved> {
  const { outbox } = state.ports
  const { from, reference, ...rest } = request
  const chain = chainWithin(request.chain, state.ports.clock.limit(state.stepMs))
  const floor = await chain.nonce(from, 'pending')
  const reserved = await outbox.reserve({ ...rest, reference, chainId: chain.info.id, from, floor })
  if ('refused' in reserved) return reserved
  if (!state.takesSteps) {
    state.workers.wake(chain.info.id)
    return reserved
  }
  try {
    const present = await drive(state, chain, from, reference, reserved)
    if (present.some(({ nonce }) => nonce === null)) repeatSoon(state, chain, from) // it may have left a gap
    // Another process had the lease, or the step was cut short: the workers look again.
    if (present === reserved) state.workers.wake(chain.info.id)
    return present
  } catch (failure) {
    // The transactions are stored. What failed is done at the next block (W5).
    state.failed(failure)
    state.workers.wake(chain.info.id)
    return await outbox.byReference(reference).catch(() => reserved)
  }
}

/**
 * Takes the transactions of one reference a step on, unless another process works on the account (W3). `known` are its
 * transactions where the caller has just read them. Returns what is stored then.
 */
async function drive(
  state: State,
  chain: Chain,
  from: Hex,
  reference: StoredReference,
  known?: readonly Outgoing[],
): Promise<readonly Outgoing[]> {
  if (reference.kind === 'unknown')
    throw new RepeatLater(
      `The stored reference ${reference.id} is of an unknown kind. Run the version of the gateway that stored it.`,
    )
  const work = () => takeStep(state, chain, from, reference, known)
  return (await underLease(state, chain, from, work)) ?? known ?? []
}

/** Runs work under the lease on the account (W3); null where another process has it. */
async function underLease<T>(state: State, chain: Chain, from: Hex, work: () => Promise<T>): Promise<T | null> {
  const { ports, workers } = state
  const { id } = chain.info
  if (!(await ports.outbox.lockAccount(id, from))) {
    repeatSoon(state, chain, from) // the other process may end before it is done
    return null
  }
  try {
    return await workers.asHolder(id, from, work)
  } finally {
    await ports.outbox.unlockAccount(id, from)
  }
}

/** The step itself, under the lease on the account. */
async function takeStep(
  state: State,
  chain: Chain,
  from: Hex,
  reference: Reference,
  known?: readonly Outgoing[],
): Promise<readonly Outgoing[]> {
  const { ports, failed } = state
  const { id } = chain.info
  const stored = known ?? (await ports.outbox.byReference(reference))
  if (stored.every(isDone)) return await notify(state, chain, reference, stored)
  // Of what was just reserved nothing can be mined.
  const isFresh = known !== undefined && stored.every(({ attempts }) => attempts.length === 0)
  const [head, next] = await Promise.all([chain.head(), isFresh ? 0 : chain.nonce(from, 'latest')])
  const halted = reference.kind === 'trade' && (await ports.halts.covering(id, from)) !== null
  if (halted) repeatSoon(state, chain, from)
  const mostPerGas = ports.tradingSettings.maxFeePerGas
  const advanced = advance({ ports, chain, head, next, halted, mostPerGas, log: failed }, stored)
  const present = await advanced.catch(async (failure: unknown) => {
    await notify(state, chain, reference, await ports.outbox.byReference(reference)) // W7
    throw failure
  })
  return await notify(state, chain, reference, present)
}

/** Notifies the follower of new versions, and closes the reference once the last block of its transactions is final. */
async function notify(
  { ports, followers }: State,
  chain: Chain,
  reference: Reference,
  transactions: readonly Outgoing[],
): Promise<readonly Outgoing[]> {
  if (transactions.every(({ notified }) => notified)) return transactions
  const follow = followers[reference.kind] as Follower<Reference['kind']> // the kind has chosen its own follower
  await follow(chain, reference, transactions)
  const isOver = transactions.every((transaction) => isFinal(transaction.state))
  await ports.outbox.markNotified(transactions, isOver ? ports.clock.now() : null)
  return transactions
}

/** Moves mined transactions on as their blocks become final, and back where a block left the chain. */
async function confirmBlocks(
  { ports, confirmedTo, confirming, noteFinal, workers }: State,
  chain: Chain,
): Promise<void> {
  const { id } = chain.info
  confirming.add(id)
  try {
    const head = await chain.head('recent')
    const complete = await workers.asWatcher(id, () =>
      confirm(ports, chain, confirmedTo.get(id) ?? null, (block) => noteFinal(chain, block)),
    )
    if (complete) confirmedTo.set(id, head)
    else confirmedTo.delete(id)
  } finally {
    confirming.delete(id)
  }
}

async function scheduleAccounts(state: State, chain: Chain): Promise<void> {
  const { id } = chain.info
  const { accounts, seen } = await dueAccounts(state.ports.outbox, chain, state.seen.get(id) ?? null)
  state.seen.set(id, seen)
  const heldBack = state.heldBack.get(id) ?? []
  state.heldBack.delete(id)
  for (const from of new Set([...accounts, ...heldBack]))
    state.accounts.get(id)?.schedule(from, async () => {
      await processAccount(state, chain, from).catch((failure: unknown) => {
        repeatSoon(state, chain, from)
        throw failure
      })
    })
}

/** Takes every open reference of an account a step on, as far as time allows, and then cancels its nonce gaps. */
async function processAccount(state: State, chain: Chain, from: Hex): Promise<void> {
  const account = accountKey(chain, from)
  const after = state.stalledAt.get(account)
  state.stalledAt.delete(account)
  const done = new Set<string>()
  for await (const item of openItems(state, chain, from, after)) {
    const text = referenceText(item.reference)
    if (done.has(text)) continue
    done.add(text)
    if (await step(state, chain, from, (timed) => drive(state, timed, from, item.reference))) continue
    // The next turn begins behind this item: a read that always hangs must not block the items behind it (W8).
    state.stalledAt.set(account, item)
    break
  }
  await step(state, chain, from, async (timed) => {
    const isOpen = await underLease(state, timed, from, () => cancelGaps(state.ports, timed, from))
    if (isOpen === true) repeatSoon(state, chain, from)
  })
}

/**
 * Runs one step in the account's queue (W4). Returns false where its time ran out. One that failed is repeated in the next
 * round, whatever the blocks until then hold.
 */
async function step(state: State, chain: Chain, from: Hex, work: (timed: Chain) => Promise<unknown>): Promise<boolean> {
  return await state.queues.run(accountKey(chain, from), async () => {
    const time = state.ports.clock.limit(state.stepMs)
    const handle = (failure: unknown) => {
      repeatSoon(state, chain, from)
      state.failed(failure)
    }
    if (!state.closed) await work(chainWithin(chain, time)).catch(handle)
    if (time.aborted) repeatSoon(state, chain, from)
    return !state.closed && !time.aborted
  })
}

/** The open items of an account: the oldest first, or the ones after `after` first and then those before it. */
async function* openItems({ ports }: State, { info }: Chain, from: Hex, after: Item | undefined): AsyncGenerator<Item> {
  const itemsAfter = (start: number) =>
    inPages<Item>((last, limit) => ports.outbox.unfinished(info.id, from, last?.id ?? start, limit))
  if (after === undefined) return yield* itemsAfter(0)
  const stalled = referenceText(after.reference)
  for await (const item of itemsAfter(after.id)) if (referenceText(item.reference) !== stalled) yield item
  for await (const item of itemsAfter(0)) {
    if (item.id > after.id) return
    yield item
  }
}
