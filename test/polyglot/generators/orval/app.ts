import {
  authCreateSession,
  authLogin,
  authRegister,
  chatStream,
  tradingExecute,
  tradingGetExecution,
  tradingListChains,
  tradingQuote,
} from './trident.js'

/**
 * A trade with the fetch client of orval: a function for each operation, which takes the options of `fetch` and returns
 * a status with the data of that status, so that a look at the status tells an output from a problem.
 */
export async function trade(): Promise<void> {
  const account = { email: `orval-${crypto.randomUUID()}@example.com`, password: 'correct horse battery' }
  await output(authRegister(account))
  // Named, for orval names no media type where an operation takes JSON and forms.
  const json = { headers: { 'content-type': 'application/json' } }
  const user = await output(authLogin({ username: account.email, password: account.password }, json))
  const session = await output(authCreateSession({ name: 'orval' }, bearer(user.access_token)))
  const options = bearer(session.token.access_token)

  const [chain] = await output(tradingListChains(options))
  const address = (symbol: string) => chain?.tokens.find((token) => token.symbol === symbol)?.address ?? ''
  const input = {
    chain_id: chain?.chain_id ?? 0,
    token_in_address: address('WETH'),
    token_out_address: address('USDC'),
    amount_in: '0.1',
    slippage_bps: 50,
  }
  const quote = await output(tradingQuote({ input }, options))
  const order = {
    input: { ...input, simulate_only: false },
    confirm: true,
    wallet_ref: 'default',
    idempotency_key: 'orval',
    quote_id: quote.quote_id,
  }
  const execution = await output(tradingExecute(order, options))
  expect(execution.status === 'success', 'a trade', execution)
  const kept = await output(tradingGetExecution(execution.execution_id ?? '', {}, options))
  expect(kept.tx_hash === execution.tx_hash, 'the trade as it is kept', kept)

  const question = { messages: [{ role: 'user' as const, content: 'what is my balance?' }] }
  const events = await output(chatStream(question, options))
  expect(events.startsWith('data: {') && events.endsWith('data: [DONE]\n\n'), 'an answer to its end', events)

  const refusal = await tradingQuote({ input: { ...input, amount_in: '-1' } }, options)
  const problem = refusal.status === 422 ? refusal.data : undefined
  expect(problem?.code === 'INVALID_ARGUMENT', 'a refusal', refusal)
  expect(problem?.errors?.[0]?.path === 'input.amount_in', 'the wrong field', refusal)
}

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

type Answer = { status: number; data: unknown }
type Output<A extends Answer> = Extract<A, { status: 200 }>

/** The output of a call; throws the problem. */
async function output<A extends Answer>(call: Promise<A>): Promise<Output<A>['data']> {
  const answer = await call
  if (isOutput(answer)) return answer.data
  throw new Error(`${answer.status}: ${JSON.stringify(answer.data)}`)
}

function isOutput<A extends Answer>(answer: A): answer is Output<A> {
  return answer.status === 200
}

function expect(holds: boolean, what: string, seen: unknown): void {
  if (!holds) throw new Error(`expected ${what}, got ${JSON.stringify(seen)}`)
}
