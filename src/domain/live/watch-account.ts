import type { contract } from '../../contract/index.ts'
import type { OutputOf } from '../../contract/shared/operation.ts'
import { invalid } from '../core/errors.ts'
import type { Handler } from '../core/handler.ts'
import { presentBooked } from '../metrics/present-position.ts'
import { type FeedEvent, type FeedPlace, feedMs } from '../ports/account-feed.ts'
import type { Ports } from '../ports/index.ts'
import { type PresentNeeds, presentExecution } from '../trading/present-execution.ts'

type Needs = 'accountFeed' | PresentNeeds
type Event = OutputOf<typeof contract.trading.watchAccount>

/** Every event of the account after the last one seen, until the caller ends the stream. */
export const watchAccount: Handler<typeof contract.trading.watchAccount, Needs> = async (ports, input, call) => {
  const { userId } = call.principal
  const { newest, oldest } = await ports.accountFeed.span(userId)
  const seen = placeAfter(input.last_event_id, newest, oldest)
  const fromNow = seen === null && input.from === 'now'
  const place = seen ?? (fromNow ? newest : { own: oldest - 1, halts: 0 })
  // Halts are stored for ever: a new reader gets those of the time of its own events, a cursor all that follow it.
  const haltsSince = new Date(seen === null ? ports.clock.now().getTime() - feedMs : 0)
  return events(ports, { userId, place, fromNow, haltsSince }, call.signal)
}

async function* events(
  ports: Pick<Ports, Needs>,
  { userId, place, fromNow, haltsSince }: { userId: number; place: FeedPlace; fromNow: boolean; haltsSince: Date },
  signal: AbortSignal,
): AsyncGenerator<Event> {
  if (fromNow) yield { id: idOf(place) }
  for await (const event of ports.accountFeed.follow(userId, place, haltsSince, signal))
    yield await present(ports, event)
}

async function present(ports: Pick<Ports, Needs>, event: FeedEvent): Promise<Event> {
  const id = idOf(event.place)
  if (event.kind === 'execution') return { id, execution: await presentExecution(ports, event.execution) }
  if (event.kind === 'position') return { id, position: presentBooked(ports, event.position) }
  const { halt, halted, at } = event
  const target = halt.scope === 'global' ? {} : { id: halt.id }
  return { id, halt: { scope: halt.scope, ...target, halted, at: at.toISOString() } }
}

function idOf({ own, halts }: FeedPlace): string {
  return `${own}-${halts}`
}

/** The place of the last event seen; null where there was none. INVALID_ARGUMENT for what is no event, or a deleted one. */
function placeAfter(lastEventId: string | undefined, newest: FeedPlace, oldest: number): FeedPlace | null {
  if (lastEventId === undefined || lastEventId === '') return null
  const [, own = 0, halts = 0] = (/^(\d{1,9})-(\d{1,9})$/.exec(lastEventId) ?? []).map(Number)
  if (lastEventId !== idOf({ own, halts }) || own > newest.own || halts > newest.halts)
    throw invalid(
      'last_event_id',
      'is not the id of an event of this account: send the last one as it was, or leave it out to begin with the oldest',
    )
  if (own + 1 < oldest)
    throw invalid(
      'last_event_id',
      'is too old: events after it were deleted, 30 days after they happened. Leave it out',
    )
  return { own, halts }
}
