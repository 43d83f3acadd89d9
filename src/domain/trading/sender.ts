import { payQueued } from '../chain/faucet-rules.ts'
import { DomainError } from '../errors.ts'
import type { Chain } from '../ports/chains.ts'
import type { Outgoing, Sender, SendRequest } from '../ports/outbox.ts'
import type { Ports } from '../ports.ts'
import { advance } from './advance.ts'
import { fillHoles } from './fill-holes.ts'
import { follow } from './follow.ts'
import { fundWaiting } from './funding.ts'
import { createLanes } from './lanes.ts'

export type SenderPorts = Omit<Pick<Ports, SenderNeeds>, 'sender'>
type SenderNeeds =
  | 'chains'
  | 'clock'
  | 'executions'
  | 'faucetClaims'
  | 'grants'
  | 'ids'
  | 'ledger'
  | 'outbox'
  | 'signer'
  | 'wallets'

export type RunningSender = Sender & {
  /** Takes up what a dead process left, then watches each block. Call it once, before anything is sent. */
  resume(): Promise<void>
  /** Stops watching and waits for what is under way; what is not finished is taken up at the next start. */
  close(): Promise<void>
}

/** No process takes so long from the first check of a trade to its nonce. */
const abandonedMs = 120_000

/** Opens the sender over the stored outbox. What fails in the background is told to `failed` and tried at the next block. */
export function openSender(ports: SenderPorts, failed: (failure: unknown) => void): RunningSender {
  const lanes = createLanes()
  const stops: (() => void)[] = []
  const turns = new Map<number, Promise<void>>()
  const late = new Set<number>()
  let closed = false

  const laneOf = (chain: Chain, from: string) => `${chain.info.id} ${from.toLowerCase()}`

  /** Takes one reference a step on, and tells the books what has become of it. */
  async function drive(chain: Chain, reference: string): Promise<void> {
    try {
      await advance(ports, chain, await ports.outbox.byReference(reference))
    } finally {
      // However far it came, the books hear of it.
      await follow(ports, chain, reference, await ports.outbox.byReference(reference))
    }
  }

  /** Gives up what was begun and not placed for so long: its process is dead, and its key is free again. */
  async function giveUp(idleMs: number): Promise<void> {
    const before = new Date(ports.clock.now().getTime() - idleMs)
    for (const { id } of await ports.executions.abandoned(before)) await ports.executions.discard(id)
  }

  async function turn(chain: Chain): Promise<void> {
    await giveUp(abandonedMs)
    const open = await ports.outbox.unsettled(chain.info.id)
    const accounts = Map.groupBy(open, ({ from }) => laneOf(chain, from))
    const rounds = [...accounts].map(([lane, legs]) =>
      lanes.run(lane, async () => {
        const inOrder = legs.toSorted((a, b) => (a.nonce ?? -1) - (b.nonce ?? -1))
        for (const reference of new Set(inOrder.map((leg) => leg.reference))) {
          if (closed) return
          await drive(chain, reference).catch(failed)
        }
        const [leg] = inOrder
        if (leg !== undefined && !closed) await fillHoles(ports, chain, leg.from).catch(failed)
      }),
    )
    await Promise.all(rounds)
    if (closed) return
    await fundWaiting({ ...ports, sender }, chain)
    if (chain.info.id === ports.chains.default.info.id) await payQueued({ ...ports, sender })
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

  async function sendInLane(request: SendRequest): Promise<readonly Outgoing[]> {
    const { chain, from, reference, legs, trade } = request
    const floor = await chain.nonce(from, 'pending')
    const reserved = await ports.outbox.reserve({
      chainId: chain.info.id,
      from,
      reference,
      legs,
      floor,
      ...(trade === undefined ? {} : { trade }),
    })
    if (reserved === 'over_budget')
      throw new DomainError('FAILED_PRECONDITION', 'The trade is over the daily cap.', {
        metadata: { refusal: overBudget },
      })
    if (typeof reserved === 'string')
      throw new DomainError('FAILED_PRECONDITION', 'The trade was given up; send it again.')
    // Nothing is lost from here on: what cannot be done now is done at the next block.
    await drive(chain, reference).catch(failed)
    return await ports.outbox.byReference(reference).catch(() => reserved)
  }

  const sender: RunningSender = {
    async send(request) {
      if (closed) throw new DomainError('UNAVAILABLE', 'The gateway is stopping; try again in a moment.')
      return await lanes.run(laneOf(request.chain, request.from), () => sendInLane(request))
    },
    async resume() {
      await giveUp(ports.executions.shared ? abandonedMs : 0)
      for (const chain of ports.chains.all) {
        stops.push(chain.onBlock(() => wake(chain)))
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

/** `details.metadata.refusal` of a send that is past the daily cap. */
export const overBudget = 'over_budget'
