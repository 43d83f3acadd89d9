import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../../src/sandbox/fixtures/testing.ts'
import { type ModelProcess, startModel } from '../assistant/model.ts'
import { says, turn } from '../assistant/script.ts'
import { type Event, output, type Refusal } from '../clients/client.ts'
import { type Clients, openClients } from '../clients/clients.ts'
import { openRpcSocket } from '../clients/rpc-socket.ts'
import { type Gateway, startGateway } from '../gateway-process.ts'
import { shared } from '../shared.ts'
import { type PublicChain, richAccount, settingsOf, startPublicChain } from '../trading/public-world.ts'
import { newAccount, protocols } from '../world.ts'

const moves = ['requested', 'simulated', 'reserved', 'signed', 'broadcast', 'included']

let chain: PublicChain
let model: ModelProcess
let leaving: Gateway
let staying: Gateway
let before: Clients
let after: Clients
beforeAll(async () => {
  ;[chain, model] = await Promise.all([startPublicChain(), startModel()])
  const more = { DATABASE_URL: await shared('database'), DRAIN_SECONDS: '1' }
  // Both have the folder of the chain, and so the same keys.
  const settings = settingsOf(chain, { ...more, LLM_BASE_URL: model.url, LLM_MODEL: 'slow' })
  leaving = await startGateway(chain.dir, settings)
  staying = await startGateway(chain.dir, settings)
  before = openClients(leaving.urls)
  after = openClients(staying.urls)
})
afterAll(async () => {
  before?.[Symbol.dispose]()
  after?.[Symbol.dispose]()
  for (const gateway of [leaving, staying]) await gateway?.kill()
  await model?.[Symbol.asyncDispose]()
  await chain?.close()
})

type Read = { events: Event[]; end: Refusal | null }

/** Reads a stream to its end. `first` settles with its first event. */
function read(stream: AsyncIterable<Event>): { first: Promise<void>; whole: Promise<Read>; events: Event[] } {
  const first = Promise.withResolvers<void>()
  const events: Event[] = []
  const whole = async (): Promise<Read> => {
    try {
      for await (const event of stream) {
        events.push(event)
        first.resolve()
      }
      return { events, end: null }
    } catch (failure) {
      const { refusal } = failure as { refusal?: Refusal }
      if (refusal === undefined) throw failure
      return { events, end: refusal }
    }
  }
  return { first: first.promise, whole: whole(), events }
}

/** The end of a stream names the last event that was read, from which it goes on elsewhere. */
function expectToldCursor({ events, end }: Read): string {
  const cursor = events.at(-1)?.id as string
  expect(end).toMatchObject({ code: 'UNAVAILABLE', metadata: { last_event_id: cursor } })
  expect(end?.message).toContain(cursor)
  return cursor
}

test('streams of a process that stops end with their cursor and go on at another, without loss or repeat', async () => {
  await model.teach({ tale: [{ ...turn(says('Once upon')), end: { later: turn(says(' a time')).events } }] })
  const ada = await richAccount(after.rest, chain)
  await chain.anvil.call('evm_setIntervalMining', 0)
  const order = ada.trade('WETH', 'USDC', '0.1', 'one')
  const cut = before.rest.call('trading.execute', order, ada.token).catch(() => null)
  const list = async () => (await output(after.rest.call('trading.listExecutions', {}, ada.token))).items
  await until(async () => (await list())[0]?.state === 'broadcast', 'the trade')
  const [{ execution_id }] = await list()
  const watch = (clients: Clients, by: (typeof protocols)[number], last_event_id?: string) =>
    read(
      clients[by].stream(
        'trading.watchExecution',
        { execution_id, ...(last_event_id && { last_event_id }) },
        ada.token,
      ),
    )
  const asked = { messages: [{ role: 'user', content: 'Tell me. #tale' }] }
  const readers = await Promise.all(
    protocols.map(async (by) => {
      const { token } = await newAccount(after.rest)
      return { by, token, trade: watch(before, by), chat: read(before[by].stream('chat.stream', asked, token)) }
    }),
  )
  const heads = await openRpcSocket(leaving.urls.rpc)
  await heads.ask('eth_subscribe', ['newHeads'])
  await Promise.all(readers.flatMap(({ trade, chat }) => [trade.first, chat.first]))
  await until(async () => readers.every(({ trade }) => trade.events.length === moves.length - 1), 'the states so far')

  leaving.signal('SIGTERM')
  const ended = await Promise.all(
    readers.map(async ({ trade, chat, ...reader }) => ({
      ...reader,
      trade: await trade.whole,
      chat: await chat.whole,
    })),
  )
  expect(await heads.closed).toMatchObject({ code: 1001, reason: 'The server is closing. Connect again.' })
  const resumed = ended.map(({ by, token, trade, chat }) => {
    const after_id = expectToldCursor(chat)
    const more = after[by].stream('chat.resume', { stream_id: after_id.split(':')[0], after_id }, token)
    return { trade: watch(after, by, expectToldCursor(trade)), chat: read(more) }
  })
  // The answers are written to their end by the process that stops.
  await model.goOn()
  const again = after.rest.call('trading.execute', order, ada.token)
  await chain.anvil.call('evm_setIntervalMining', 1)
  for (const [place, { trade, chat }] of resumed.entries()) {
    const [old, more] = [ended[place]!, await Promise.all([trade.whole, chat.whole])]
    expect(more.map(({ end }) => end)).toEqual([null, null])
    expect([...old.trade.events, ...more[0].events].map(({ state }) => state).slice(0, moves.length)).toEqual(moves)
    expect(more[0].events.map(({ id }) => id)).not.toContain(old.trade.events.at(-1)?.id)
    expect([...old.chat.events, ...more[1].events].map(({ content }) => content).join('')).toBe('Once upon a time')
  }
  await cut
  expect(await output(again)).toMatchObject({ execution_id, status: 'success', replayed: true })
  expect(Number(await chain.anvil.call('eth_getTransactionCount', ada.wallet, 'latest'))).toBe(2)
  expect(await leaving.ended).toBe(0)
})
