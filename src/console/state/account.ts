import { signal } from '@preact/signals'
import type { Execution, TradingWatchAccountOutput } from '../../../generated/client/index.d.ts'
import { gateway } from '../gateway/client.ts'
import { failureOf } from '../gateway/failures.ts'
import { pause, whileShown } from '../gateway/streams.ts'
import { readChains } from './facts.ts'

/** Trades that are kept in memory: a tab may stay open for weeks. */
const mostTrades = 1_000

/** The trades that changed since the page was loaded, by their ids, as they are now; the last changed one is the last. */
export const changed = signal<ReadonlyMap<string, Execution>>(new Map())

/** Counts the changes of trades. */
export const tradeChanges = signal(0)

/** Counts the changes of positions. */
export const positionChanges = signal(0)

/** Counts how often changes began to arrive anew; what was read before may lack some. */
export const begins = signal(0)

/** Whether changes of the account arrive at the moment. */
export const connection = signal<'connecting' | 'live' | 'cut'>('connecting')

/** Milliseconds before a stream that the gateway ended is opened again: the first time, and the most. */
const waits = { firstMs: 1_000, mostMs: 15_000 }

/**
 * Follows trades, positions and halts of the account while the page is shown: one stream for everything. A stream that is
 * opened again goes on after the last event. Returns what ends it.
 */
export function followAccount(): () => void {
  let last: string | undefined
  const take = (event: TradingWatchAccountOutput) => {
    if (last === undefined) begins.value += 1
    last = event.id
    if (event.execution !== undefined) note(event.execution)
    if (event.position !== undefined) positionChanges.value += 1
    // A halt of a chain is a fact of the chain, which the gateway sums up.
    if (event.halt !== undefined) void readChains().catch(() => undefined)
  }
  connection.value = 'connecting'
  return whileShown((shown) => {
    let wait = waits.firstMs
    const open = () => {
      const input = last === undefined ? ({ from: 'now' } as const) : { last_event_id: last }
      const stream = gateway.trading.watchAccount.subscribe(input, {
        onData: ({ data }) => {
          wait = waits.firstMs
          take(data)
        },
        onConnectionStateChange: ({ state, error }) => {
          if (state === 'pending') connection.value = 'live'
          else if (error != null) connection.value = 'cut'
        },
        onError: (error) => {
          // The gateway no longer has what came after it: begin anew, so that lists are read anew too.
          if (failureOf(error).code === 'INVALID_ARGUMENT') last = undefined
          void again()
        },
        onComplete: () => void again(),
      })
      const end = () => stream.unsubscribe()
      shown.addEventListener('abort', end)
      const again = async () => {
        shown.removeEventListener('abort', end)
        connection.value = 'cut'
        await pause(wait, shown)
        wait = Math.min(wait * 2, waits.mostMs)
        if (!shown.aborted) open()
      }
    }
    open()
  })
}

/** Takes the state of a trade that another call returned. The newer one counts, and is returned. */
export function note(execution: Execution): Execution {
  const known = changed.value.get(execution.execution_id)
  if (known !== undefined && known.updated_at > execution.updated_at) return known
  const next = new Map(changed.value)
  next.delete(execution.execution_id)
  next.set(execution.execution_id, execution)
  for (const id of next.keys()) if (next.size > mostTrades) next.delete(id)
  changed.value = next
  tradeChanges.value += 1
  return execution
}

/** The trade that was requested under a key, once it has changed in this page's time. */
export function tradeOfKey(key: string): Execution | undefined {
  return [...changed.value.values()].find(({ idempotency_key }) => idempotency_key === key)
}

/** Forgets the trades of a session that has ended. */
export function forgetTrades(): void {
  changed.value = new Map()
}
