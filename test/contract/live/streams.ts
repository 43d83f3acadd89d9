import { type OperationId, operationOf } from '../../../src/contract/index.ts'
import type { Operation } from '../../../src/contract/shared/operation.ts'
import type { Event } from '../../clients/client.ts'
import { openRpcSocket } from '../../clients/rpc-socket.ts'
import { type Check, must, NotJudged, shown } from './check.ts'
import { inputFor } from './inputs.ts'
import { eventsInTime } from './patience.ts'
import type { Caller, Setup } from './setup.ts'

/** Streams whose events have ids, and what reads on behind one of them. */
const resumed: Partial<Record<OperationId, { by: OperationId; input(first: Event, input: object): object }>> = {
  'chat.stream': {
    by: 'chat.resume',
    input: (first) => ({ stream_id: first.id.split(':')[0], after_id: first.id }),
  },
  'trading.watchExecution': { by: 'trading.watchExecution', input: behind },
  'trading.watchAccount': { by: 'trading.watchAccount', input: behind },
  'tools.streamExchange': { by: 'tools.streamExchange', input: behind },
}

function behind(first: Event, input: object): object {
  return { ...input, last_event_id: first.id }
}

/** How long to wait for a block. */
const patienceMs = 60_000

/** A stream that was left after its first event reads on with the second. */
export function streamChecks(setup: Setup): Check[] {
  const ids = Object.keys(resumed) as OperationId[]
  return ids.flatMap((id) =>
    setup.callers.map((caller) => ({
      id,
      door: caller.client.protocol,
      rule: 'resumes',
      name: 'resumes behind an event',
      lane: `${caller.client.protocol} ${id} resumes`,
      judge: async () => await mustResume(setup, caller, id),
    })),
  )
}

async function mustResume(setup: Setup, caller: Caller, id: OperationId): Promise<void> {
  const { client, account } = caller
  const operation = operationOf(id) as Operation
  const from = id === 'trading.watchAccount' ? { from: 'start' } : {}
  const input = { ...inputFor(setup, caller, id, operation), ...from }
  const read = (count: number, by: OperationId, given: object) => eventsInTime(client, count, by, given, account.token)
  const [first, second] = await read(2, id, input).catch((error: unknown) => {
    // What is refused is judged as an answer.
    if (error instanceof Error && 'refusal' in error) throw new NotJudged(`it was refused: ${error.message}`)
    throw error
  })
  if (second === undefined) throw new NotJudged('it had no two events in time')
  const { by, input: inputBehind } = resumed[id]!
  const given = { ...inputBehind(first, input) }
  const [next] = await read(1, by, given)
  must(next !== undefined, () => `${by} sent nothing behind ${first.id}, where ${second.id} is next.`)
  // A market has moved on, so the event in the second place may be another.
  const place = (event: Event) => event.sequence ?? event.id
  must(place(next) === place(second), () => `${by} went on with ${shown(next)} instead of ${shown(second)}`)
}

/** A subscription over the WebSocket of the node. */
export function socketChecks(rpc: string): Check[] {
  return [
    {
      id: 'chain.subscribe',
      door: 'rpcByName',
      rule: 'answers',
      name: 'subscribes to new heads over a WebSocket, and ends it',
      lane: 'rpc socket',
      async judge() {
        const socket = await openRpcSocket(rpc)
        const timer = setTimeout(() => socket.socket.terminate(), patienceMs)
        try {
          const { result: subscription } = await socket.ask('eth_subscribe', ['newHeads'])
          must(/^0x[0-9a-f]+$/.test(String(subscription)), () => `The subscription is ${shown(subscription)}`)
          const event = await Promise.race([socket.next(), socket.closed.then(() => null)])
          if (event === null) throw new NotJudged(`no block came in ${patienceMs / 1_000} s`)
          must(event.method === 'eth_subscription', () => `The notification is ${shown(event)}`)
          must(event.params?.subscription === subscription, () => `It is of another subscription: ${shown(event)}`)
          const { result: ended } = await socket.ask('eth_unsubscribe', [subscription])
          must(ended === true, () => `eth_unsubscribe answered ${shown(ended)}`)
        } finally {
          clearTimeout(timer)
          socket.socket.terminate()
        }
      },
    },
  ]
}
