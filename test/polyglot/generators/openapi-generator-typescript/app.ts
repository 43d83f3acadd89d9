import { AuthApi, ChatApi, Configuration, ProblemFromJSON, ResponseError, TradingApi } from './trident/index.js'

/**
 * A trade with the OpenAPI Generator's fetch client: a class for each tag, names in camel case, and an error that keeps
 * the response, from which the model reads the problem.
 */
export async function trade(basePath: string): Promise<void> {
  let token = ''
  const configuration = new Configuration({ basePath, accessToken: () => token })
  const [auth, chat, trading] = [new AuthApi(configuration), new ChatApi(configuration), new TradingApi(configuration)]

  const account = { email: `fetch-${crypto.randomUUID()}@example.com`, password: 'correct horse battery' }
  await auth.authRegister({ authRegisterInput: account })
  const login = { username: account.email, password: account.password }
  token = (await auth.authLogin({ authLoginInput: login })).accessToken
  const session = await auth.authCreateSession({ authCreateSessionInput: { name: 'typescript-fetch' } })
  token = session.token.accessToken

  const [chain] = await trading.tradingListChains()
  const address = (symbol: string) => chain?.tokens.find((token) => token.symbol === symbol)?.address ?? ''
  const input = {
    chainId: chain?.chainId ?? 0,
    tokenInAddress: address('WETH'),
    tokenOutAddress: address('USDC'),
    amountIn: '0.1',
    slippageBps: 50,
  }
  const { quoteId } = await trading.tradingQuote({ tradingQuoteInput: { input } })
  const tradingExecuteInput = {
    input: { ...input, simulateOnly: false },
    confirm: true,
    walletRef: 'default',
    idempotencyKey: 'openapi-generator',
    quoteId,
  }
  const execution = await trading.tradingExecute({ tradingExecuteInput })
  expect(execution.status === 'success', 'a trade', execution)
  const kept = await trading.tradingGetExecution({ executionId: execution.executionId ?? '' })
  expect(kept.txHash === execution.txHash, 'the trade as it is kept', kept)

  const chatStreamInput = { messages: [{ role: 'user' as const, content: 'what is my balance?' }] }
  const events = await chat.chatStream({ chatStreamInput })
  expect(events.startsWith('data: {') && events.endsWith('data: [DONE]\n\n'), 'an answer to its end', events)

  const wrong = trading.tradingQuote({ tradingQuoteInput: { input: { ...input, amountIn: '-1' } } })
  const refusal = await wrong.catch((error: unknown) => error)
  if (!(refusal instanceof ResponseError)) throw new Error(`expected a refusal, got ${JSON.stringify(refusal)}`)
  const problem = ProblemFromJSON(await refusal.response.json())
  expect(problem.code === 'INVALID_ARGUMENT', 'a refusal', problem)
  expect(problem.errors?.[0]?.path === 'input.amount_in', 'the wrong field', problem)
}

function expect(holds: boolean, what: string, seen: unknown): void {
  if (!holds) throw new Error(`expected ${what}, got ${JSON.stringify(seen)}`)
}
