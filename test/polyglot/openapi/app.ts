import createClient from 'openapi-fetch'
import type { paths } from './schema.ts'

/** The main job over REST with paths, inputs and outputs typed by the OpenAPI document. */
export async function mainJob(url: string): Promise<void> {
  let token = ''
  const trident = createClient<paths>({ baseUrl: url })
  trident.use({ onRequest: ({ request }) => request.headers.set('authorization', `Bearer ${token}`) })

  const email = `openapi-${crypto.randomUUID()}@example.com`
  const account = { body: { email, password: 'correct horse battery' } }
  token = (await answer(trident.POST('/api/v1/auth/register', account))).token.access_token
  token = (await answer(trident.POST('/api/v1/auth/session'))).token.access_token

  const say = (content: string) => ({ messages: [{ role: 'user' as const, content }] })
  const { messages } = await answer(trident.POST('/api/v1/chatbot/chat', { body: say('what is my balance?') }))
  expect(messages.at(-1)?.content.includes('25000 USDC') === true, 'the balance of a new wallet', messages)
  const asked = { body: say('quote 1 WETH to USDC'), parseAs: 'stream' as const }
  const pieces = await dataOf(await answer(trident.POST('/api/v1/chatbot/chat/stream', asked)))
  expect(pieces.length >= 3 && pieces.at(-1) === '[DONE]', 'an answer in pieces', pieces)

  const [chain] = await answer(trident.GET('/api/v1/chains'))
  const address = (symbol: string) => chain?.tokens.find((token) => token.symbol === symbol)?.address ?? ''
  const swap = {
    chain_id: chain?.chain_id ?? 0,
    token_in_address: address('WETH'),
    token_out_address: address('USDC'),
    amount_in: '0.5',
    slippage_bps: 50,
  }
  const quote = await answer(trident.POST('/api/v1/multi-agent/quote/evm/pseudo', { body: { input: swap } }))
  const checks = { quote, input: { chain: 'evm' as const, addresses: [address('USDC')] } }
  const risk = await answer(trident.POST('/api/v1/multi-agent/risk/preview', { body: checks }))
  expect(risk.level === 'low', 'a low risk', risk)
  const trial = await answer(trident.POST('/api/v1/multi-agent/execute/evm', { body: { input: swap } }))
  expect(trial.status === 'simulated', 'a simulation', trial)

  const held = async () => {
    const positions = await answer(trident.GET('/api/v1/positions', { params: { query: { token_symbol: 'USDC' } } }))
    return positions[0]?.quantity_decimal ?? '0'
  }
  const before = await held()
  const body = {
    input: { ...swap, simulate_only: false },
    confirm: true,
    wallet_ref: 'default',
    idempotency_key: 'openapi',
    quote_id: quote.quote_id,
  }
  const trade = await answer(trident.POST('/api/v1/multi-agent/execute/evm', { body }))
  expect(trade.status === 'success', 'a trade', trade)
  const path = { execution_id: trade.execution_id ?? '' }
  const kept = await answer(trident.GET('/api/v1/multi-agent/executions/{execution_id}', { params: { path } }))
  expect(kept.tx_hash === trade.tx_hash, 'the trade as it is kept', kept)
  const again = await trident.POST('/api/v1/multi-agent/execute/evm', { body })
  expect(again.data?.execution_id === trade.execution_id, 'the same trade', again)
  expect(again.response.headers.get('idempotent-replayed') === 'true', 'a replay', again)
  const gained = micros(await held()) - micros(before)
  expect(gained === micros(trade.amount_out ?? '0'), 'a position that grew by the trade, once', { trade })

  const wrong = { body: { input: { ...swap, amount_in: '-1' } } }
  const { error } = await trident.POST('/api/v1/multi-agent/quote/evm/pseudo', wrong)
  expect(error?.code === 'INVALID_ARGUMENT' && error.errors?.[0]?.path === 'input.amount_in', 'the wrong field', error)
}

/** The output of a call; throws the refusal. */
async function answer<T>(call: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<NonNullable<T>> {
  const { data, error, response } = await call
  if (data === undefined || data === null)
    throw new Error(`${response.status} of ${response.url}: ${JSON.stringify(error)}`)
  return data
}

/** The data of each event of a stream. */
async function dataOf(stream: ReadableStream<Uint8Array>): Promise<string[]> {
  const text = await new Response(stream).text()
  return text.split('\n').flatMap((line) => (line.startsWith('data: ') ? [line.slice('data: '.length)] : []))
}

/** An amount of a token with six decimal places, in its smallest units. */
function micros(decimal: string): bigint {
  const [whole = '0', fraction = ''] = decimal.split('.')
  return BigInt(whole + fraction.padEnd(6, '0').slice(0, 6))
}

function expect(holds: boolean, what: string, seen: unknown): void {
  if (!holds) throw new Error(`expected ${what}, got ${JSON.stringify(seen)}`)
}
