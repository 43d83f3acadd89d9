import { client } from './trident/client.gen.js'
import {
  authCreateSession,
  authLogin,
  authRegister,
  chatStream,
  tradingExecute,
  tradingGetExecution,
  tradingListChains,
  tradingQuote,
} from './trident/index.js'

/**
 * A trade with the SDK of hey-api: a function for each operation, whose refusals are thrown or returned, typed as
 * problems, and whose event streams are read as events.
 */
export async function trade(baseUrl: string): Promise<void> {
  let token = ''
  client.setConfig({ baseUrl, auth: () => token })

  const account = { email: `hey-${crypto.randomUUID()}@example.com`, password: 'correct horse battery' }
  await authRegister({ body: account, throwOnError: true })
  const login = { username: account.email, password: account.password }
  token = (await authLogin({ body: login, throwOnError: true })).data.access_token
  token = (await authCreateSession({ body: { name: 'hey-api' }, throwOnError: true })).data.token.access_token

  const chains = await tradingListChains({ throwOnError: true })
  const [chain] = chains.data
  const address = (symbol: string) => chain?.tokens.find((token) => token.symbol === symbol)?.address ?? ''
  const input = {
    chain_id: chain?.chain_id ?? 0,
    token_in_address: address('WETH'),
    token_out_address: address('USDC'),
    amount_in: '0.1',
    slippage_bps: 50,
  }
  const quote = (await tradingQuote({ body: { input }, throwOnError: true })).data
  const body = {
    input: { ...input, simulate_only: false },
    confirm: true,
    wallet_ref: 'default',
    idempotency_key: 'hey-api',
    quote_id: quote.quote_id,
  }
  const execution = (await tradingExecute({ body, throwOnError: true })).data
  expect(execution.status === 'success', 'a trade', execution)
  const path = { execution_id: execution.execution_id ?? '' }
  const kept = (await tradingGetExecution({ path, throwOnError: true })).data
  expect(kept.tx_hash === execution.tx_hash, 'the trade as it is kept', kept)

  const { stream } = await chatStream({ body: { messages: [{ role: 'user', content: 'what is my balance?' }] } })
  const events = await Array.fromAsync(stream)
  expect(events.length >= 2 && events.at(-1) === '[DONE]', 'an answer to its end', events)

  const { error } = await tradingQuote({ body: { input: { ...input, amount_in: '-1' } } })
  expect(error?.code === 'INVALID_ARGUMENT' && error.errors?.[0]?.path === 'input.amount_in', 'the wrong field', error)
}

function expect(holds: boolean, what: string, seen: unknown): void {
  if (!holds) throw new Error(`expected ${what}, got ${JSON.stringify(seen)}`)
}
