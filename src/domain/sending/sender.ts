import { chainWithin } from '../core/chain-within.ts'
import { DomainError } from '../core/errors.ts'
import { inPages } from '../core/in-pages.ts'
import { timeLimit } from '../core/time-limit.ts'
import type { Chain, Head, Hex } from '../ports/chains.ts'
import type { Ports } from '../ports/index.ts'
import type { Outgoing, ReserveRequest, Sender, SendRequest } from '../ports/outbox.ts'
import { payQueued } from '../wallets/faucet-rules.ts'
import { fundWaiting } from '../wallets/funding.ts'
import { advance } from './advance.ts'
import { createBackground } from './background.ts'
import { fillHoles } from './fill-holes.ts'
import { follow } from './follow.ts'
import { createLanes } from './lanes.ts'
import { mature } from './mature.ts'
import { createPurge } from './purge.ts'

export type SenderPorts = Omit<Pick<Ports, SenderNeeds>, 'sender'>
type SenderNeeds =
  | 'chains'
  | 'chatStreams'
  | 'clock'
  | 'executions'
  | 'faucetClaims'
  | 'grants'
  | 'halts'
  | 'ids'
  | 'ledger'
  | 'outbox'
  | 'quotes'
  | 'signer'
  | 'wallets'

export type RunningSender = Sender & {
  /** Takes up what a dead process left, then watches each block. Call it once, before anything is sent. */
  resume(): Promise<void>
  /** Stops watching and waits for what is under way; what is not finished is taken up at the next start. */
  close(): Promise<void>
}

type Item = Pick<Outgoing, 'id' | 'reference'>
type Sending = SendRequest & Pick<ReserveRequest, 'trade'>

/** No process takes so long from the first check of a trade to its nonce. */
const abandonedMs = 120_000

/** How many milliseconds one step of one reference may take before the account's other work has its turn. */
const usualStepMs = 20_000

/** Accounts of one chain that are worked on side by side. */
const accountsAtOnce = 32

/** How often work is looked for that no block of ours would call for: what another process left when it died. */
const patrolMs = 2_000

/** Opens the sender over the stored outbox. What fails in the background is told to `failed` and tried at the next block. */
export function openSender(
  ports: SenderPorts,
  failed: (failure: unknown) => void,
  stepMs = usualStepMs,
): RunningSender {
  const lanes = createLanes()
  const purge = createPurge(ports)
  const stops: (() => void)[] = []
  /** A chain that hangs takes no place from the accounts of another one. */
  const accounts = new Map(ports.chains.all.map(({ info }) => [info.id, createBackground(accountsAtOnce, failed)]))
  const tasks = createBackground(Number.POSITIVE_INFINITY, failed)
  const seen = new Map<number, Head>()
  const ripening = new Set<number>()
  /** Where the time of an account's last turn ran out. */
  const hung = new Map<string, Item>()
  let closed = false

  const laneOf = (chain: Chain, from: string) => `${chain.info.id} ${from.toLowerCase()}`

  /** Takes one reference a step on where no other process is at its account, and tells the books what has become of it. */
  async function drive(chain: Chain, from: Hex, reference: string): Promise<void> {
    if (!(await ports.outbox.claimLane(chain.info.id, from))) return
    try {
      const [legs, head, next] = await Promise.all([
        ports.outbox.byReference(reference),
        chain.head(),
        chain.nonce(from, 'latest'),
      ])
      const halted = isTrade(reference) && (await ports.halts.covering(chain.info.id, from)) !== null
      try {
        await advance({ ports, chain, head, next, halted, log: failed }, legs)
      } finally {
        // However far it came, the books hear of it.
        await follow(ports, chain, reference, await ports.outbox.byReference(reference), failed)
      }
    } finally {
      await ports.outbox.releaseLane(chain.info.id, from)
    }
  }

  /** Gives up what was begun and not placed for so long, or by a process that is dead: its key is free again. */
  async function giveUp(idleMs: number): Promise<void> {
    const before = new Date(ports.clock.now().getTime() - idleMs)
    const ids = inPages<string>((last, limit) => ports.executions.abandoned(before, last ?? '', limit))
    for await (const id of ids) await ports.executions.discard(id).catch(failed)
  }

  /** Looks whether blocks became firm or left the chain since the last look, and then has everybody hear of it. */
  async function ripen(chain: Chain): Promise<void> {
    const { id } = chain.info
    ripening.add(id)
    try {
      const head = await chain.head()
      const complete = await mature(ports, chain, seen.get(id) ?? null)
      if (complete) seen.set(id, head)
      else seen.delete(id)
    } finally {
      ripening.delete(id)
      tasks.ask(`look ${id}`, () => look(chain))
    }
  }

  /** Has each account of the chain do what it has to do; one that hangs delays no other. */
  async function look(chain: Chain): Promise<void> {
    const busy = inPages<Hex>((last, limit) => ports.outbox.atWork(chain.info.id, last ?? '', limit))
    for await (const from of busy) accounts.get(chain.info.id)?.ask(from, () => tend(chain, from))
  }

  /** A turn of its own in the lane, so that a new trade need not wait for all that are under way. False where time ran out. */
  async function step(chain: Chain, from: Hex, work: (timed: Chain) => Promise<void>): Promise<boolean> {
    return await lanes.run(laneOf(chain, from), async () => {
      const time = timeLimit(stepMs)
      if (!closed) await work(chainWithin(chain, time)).catch(failed)
      return !closed && !time.aborted
    })
  }

  /** All that an account has under way: the oldest first, or from behind `after` on and round to it again. */
  async function* underWay({ info }: Chain, from: Hex, after: Item | undefined): AsyncGenerator<Item> {
    const behind = (start: number) =>
      inPages<Item>((last, limit) => ports.outbox.unfinished(info.id, from, last?.id ?? start, limit))
    if (after === undefined) return yield* behind(0)
    for await (const item of behind(after.id)) if (item.reference !== after.reference) yield item
    for await (const item of behind(0)) {
      if (item.id > after.id) return
      yield item
    }
  }

  /** Takes all that an account has under way a step on, as far as time allows, and then fills its holes. */
  async function tend(chain: Chain, from: Hex): Promise<void> {
    const lane = laneOf(chain, from)
    const after = hung.get(lane)
    hung.delete(lane)
    const done = new Set<string>()
    for await (const item of underWay(chain, from, after)) {
      if (done.has(item.reference)) continue
      done.add(item.reference)
      if (await step(chain, from, (timed) => drive(timed, from, item.reference))) continue
      // A node that hangs would hang again at once; one question that hangs must not hold up what is behind it for good.
      hung.set(lane, item)
      break
    }
    await step(chain, from, (timed) => fillHoles(ports, timed, from))
  }

  /** Has everything done that a block may call for. The parts are done side by side, and what is slow delays itself. */
  function wake(chain: Chain): void {
    const { id } = chain.info
    if (ripening.has(id)) tasks.ask(`look ${id}`, () => look(chain))
    tasks.ask(`ripen ${id}`, () => ripen(chain))
    tasks.ask(`fund ${id}`, () => fundWaiting({ ...ports, sender }, chain, failed))
    if (id === ports.chains.default.info.id) tasks.ask('pay', () => payQueued({ ...ports, sender }, failed))
    tasks.ask('give up', () => giveUp(abandonedMs))
    tasks.ask('purge', purge)
  }

  async function sendInLane(request: Sending): Promise<readonly Outgoing[] | { forbidden: string }> {
    const { from, ...rest } = request
    const chain = chainWithin(request.chain, timeLimit(stepMs))
    const floor = await chain.nonce(from, 'pending')
    const reserved = await ports.outbox.reserve({ ...rest, chainId: chain.info.id, from, floor })
    if ('refused' in reserved) {
      if (typeof reserved.refused === 'object') return reserved.refused
      throw new DomainError('FAILED_PRECONDITION', 'The trade was given up; send it again.')
    }
    // Nothing is lost from here on: what cannot be done now is done at the next block.
    await drive(chain, from, request.reference).catch(failed)
    return await ports.outbox.byReference(request.reference).catch(() => reserved)
  }

  async function enqueue(request: Sending) {
    if (closed) throw new DomainError('UNAVAILABLE', 'The gateway is stopping; try again in a moment.')
    return await lanes.run(laneOf(request.chain, request.from), () => sendInLane(request))
  }

  const sender: RunningSender = {
    async send(request) {
      const sent = await enqueue(request)
      if ('forbidden' in sent) throw new DomainError('FAILED_PRECONDITION', sent.forbidden)
      return sent
    },
    async sendTrade(request) {
      const sent = await enqueue(request)
      return 'forbidden' in sent ? sent.forbidden : null
    },
    async resume() {
      await giveUp(ports.executions.shared ? abandonedMs : 0)
      for (const chain of ports.chains.all) {
        stops.push(chain.onBlock(() => wake(chain)))
        if (ports.executions.shared) stops.push(every(patrolMs, () => wake(chain)))
        wake(chain)
        tasks.ask(`look ${chain.info.id}`, () => look(chain)) // before all that matures is read
      }
    },
    async close() {
      closed = true
      for (const stop of stops.splice(0)) stop()
      await Promise.all([tasks, ...accounts.values()].map((background) => background.close()))
      await lanes.idle()
    },
  }
  return sender
}

/** Executions alone have no kind before a colon. */
function isTrade(reference: string): boolean {
  return !reference.includes(':')
}

function every(milliseconds: number, work: () => void): () => void {
  const timer = setInterval(work, milliseconds)
  return () => clearInterval(timer)
}
