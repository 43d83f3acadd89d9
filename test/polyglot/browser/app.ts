import { createTRPCClient, httpBatchStreamLink, httpLink, splitLink, type TRPCClientErrorLike } from '@trpc/client'
import type { AppRouter } from 'trident-gateway/client'

/** The main job over tRPC as a browser app does it: with the router's types and web APIs. */
export async function mainJob(url: string): Promise<void> {
  let token = ''
  const link = { url: `${url}/trpc`, headers: () => ({ authorization: `Bearer ${token}` }) }
  const trident = createTRPCClient<AppRouter>({
    links: [
      // Subscriptions use the streaming link.
      splitLink({
        condition: ({ path }) => path === 'chat.stream',
        true: httpBatchStreamLink(link),
        false: httpLink(link),
      }),
    ],
  })
  const email = `browser-${crypto.randomUUID()}@example.com`
  token = (await trident.auth.register.mutate({ email, password: 'correct horse battery' })).token.access_token
  token = (await trident.auth.createSession.mutate()).token.access_token

  const say = (content: string) => ({ messages: [{ role: 'user' as const, content }] })
  const { messages } = await trident.chat.send.mutate(say('what is my balance?'))
  expect(messages.at(-1)?.content.includes('25000 USDC') === true, 'the balance of a new wallet', messages)
  const pieces: string[] = []
  for await (const { content } of await trident.chat.stream.mutate(say('quote 1 WETH to USDC'))) pieces.push(content)
  expect(pieces.length >= 2, 'an answer in pieces', pieces)

  const [chain] = await trident.trading.listChains.query()
  const address = (symbol: string) => chain?.tokens.find((token) => token.symbol === symbol)?.address ?? ''
  const swap = {
    chain_id: chain?.chain_id ?? 0,
    token_in_address: address('WETH'),
    token_out_address: address('USDC'),
    amount_in: '0.5',
    slippage_bps: 50,
  }
  const quote = await trident.trading.quote.mutate({ input: swap })
  const checks = { chain: 'evm' as const, addresses: [address('USDC')] }
  const risk = await trident.trading.assessRisk.mutate({ quote, input: checks })
  expect(risk.level === 'low', 'a low risk', risk)
  const trial = await trident.trading.execute.mutate({ input: swap })
  expect(trial.status === 'simulated', 'a simulation', trial)

  const held = async () => (await trident.metrics.positions.query({ token_symbol: 'USDC' }))[0]?.quantity_decimal ?? '0'
  const before = await held()
  const request = {
    input: { ...swap, simulate_only: false },
    confirm: true,
    wallet_ref: 'default',
    idempotency_key: 'browser',
    quote_id: quote.quote_id,
  }
  const trade = await trident.trading.execute.mutate(request)
  expect(trade.status === 'success', 'a trade', trade)
  const receipt = await trident.chain.getTransactionReceipt.query({ hash: trade.tx_hash ?? '' })
  expect(receipt?.status === '0x1', 'its receipt on the chain', receipt)
  const again = await trident.trading.execute.mutate(request)
  expect(again.execution_id === trade.execution_id && again.tx_hash === trade.tx_hash, 'the same trade', again)
  const gained = micros(await held()) - micros(before)
  expect(gained === micros(trade.amount_out ?? '0'), 'a position that grew by the trade, once', { gained, trade })

  const mistake = trident.trading.quote.mutate({ input: { ...swap, amount_in: '-1' } })
  const refusal = await mistake.then(
    () => null,
    (error: TRPCClientErrorLike<AppRouter>) => error.data?.trident,
  )
  const [violation] = refusal?.errors ?? []
  expect(refusal?.code === 'INVALID_ARGUMENT' && violation?.path === 'input.amount_in', 'the wrong field', refusal)
}

/** An amount of a token with six decimal places, in its smallest units. */
function micros(decimal: string): bigint {
  const [whole = '0', fraction = ''] = decimal.split('.')
  return BigInt(whole + fraction.padEnd(6, '0').slice(0, 6))
}

function expect(holds: boolean, what: string, seen: unknown): void {
  if (!holds) throw new Error(`expected ${what}, got ${JSON.stringify(seen)}`)
}
