import { payQueued } from '../chain/faucet-rules.ts'
import { DomainError } from '../errors.ts'
import type { Chain, Head, Hex } from '../ports/chains.ts'
import type { Outgoing, ReserveRequest, Sender, SendRequest } from '../ports/outbox.ts'
import type { Ports } from '../ports.ts'
import { advance } from './advance.ts'
import { fillHoles } from './fill-holes.ts'
import { follow } from './follow.ts'
import { fundWaiting } from './funding.ts'
import { createLanes } from './lanes.ts'
import { mature } from './mature.ts'
import { createPurge } from './purge.ts'

export type SenderPorts = Omit<Pick<Ports, SenderNeeds>, 'sender'>
type SenderNeeds =
  | 'chains'
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

type Sending = SendRequest & Pick<ReserveRequest, 'trade'>

/** No process takes so long from the first check of a trade to its nonce. */
const abandonedMs = 120_000

/** How often work is looked for that no block of ours would call for: what another process left when it died. */
const patrolMs = 2_000

/** Opens the sender over the stored outbox. What fails in the background is told to `failed` and tried at the next block. */
export function openSender(ports: SenderPorts, failed: (failure: unknown) => void): RunningSender {
  const lanes = createLanes()
  const purge = createPurge(ports)
  const stops: (() => void)[] = []
  const turns = new Map<number, Promise<void>>()
  const late = new Set<number>()
  const seen = new Map<number, Head>()
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
        await advance({ ports, chain, head, next, halted }, legs)
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
    for (const { id } of await ports.executions.abandoned(before)) await ports.executions.discard(id).catch(failed)
  }

  /** Looks whether blocks became firm or left the chain since the last look. */
  async function ripen(chain: Chain): Promise<void> {
    const head = await chain.head()
    const complete = await mature(ports, chain, seen.get(chain.info.id) ?? null)
    if (complete) seen.set(chain.info.id, head)
    else seen.delete(chain.info.id)
  }

  async function turn(chain: Chain): Promise<void> {
    await giveUp(abandonedMs).catch(failed)
    await purge().catch(failed)
    await ripen(chain).catch(failed)
    const open = await ports.outbox.unfinished(chain.info.id)
    // Each reference has its own turn in the lane, so that a new trade need not wait for all that are under way.
    const rounds = open.map(({ reference, from }) =>
      lanes.run(laneOf(chain, from), async () => {
        if (!closed) await drive(chain, from, reference).catch(failed)
      }),
    )
    await Promise.all(rounds)
    const accounts = new Map(open.map(({ from }) => [laneOf(chain, from), from]))
    const holes = [...accounts].map(([lane, from]) =>
      lanes.run(lane, async () => {
        if (!closed) await fillHoles(ports, chain, from).catch(failed)
      }),
    )
    await Promise.all(holes)
    if (closed) return
    await fundWaiting({ ...ports, sender }, chain, failed).catch(failed)
    if (chain.info.id === ports.chains.default.info.id) await payQueued({ ...ports, sender }, failed)
  }

  /** At most one turn a chain at a time; a block that comes meanwhile has its turn right after. */
  function wake(chain: Chain): void {
    if (closed) return
    if (turns.has(chain.info.id)) {
      late.add(chain.info.id)
      return
    }
    const running = turn(chain)
      .catch(failed)
      .finally(() => {
        turns.delete(chain.info.id)
        if (late.delete(chain.info.id)) wake(chain)
      })
    turns.set(chain.info.id, running)
  }

  async function sendInLane(request: Sending): Promise<readonly Outgoing[] | { forbidden: string }> {
    const { chain, from, ...rest } = request
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
      }
    },
    async close() {
      closed = true
      for (const stop of stops.splice(0)) stop()
      await Promise.all(turns.values())
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
