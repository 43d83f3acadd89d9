import type { OperationId } from '../../src/contract/index.ts'
import { type Client, eventsOf, type Outcome, output, type Refusal } from '../clients/client.ts'
import type { Account } from '../world.ts'

/** One protocol with the token of an agent. */
export type Lane = {
  account: Account
  /** Calls an operation, and counts it. */
  ask(id: OperationId, input: object): Promise<Outcome>
  /** A number that no other call of this test has. */
  unique(): string
}

/** The outcome of a call; whatever else is thrown counts as no answer. */
export async function outcomeOf(asked: Promise<unknown>): Promise<Outcome> {
  try {
    return { ok: true, output: await asked, headers: {} }
  } catch (error) {
    if (error instanceof Error && 'refusal' in error) return error.refusal as Refusal
    const message = error instanceof Error ? error.message : String(error)
    return { ok: false, status: 0, code: 'NO_ANSWER', message, violations: [], headers: {} }
  }
}

/** At most one event of a stream, and no more than a second and a half of waiting for it. */
export async function firstEvent(client: Client, id: OperationId, input: object, token: string): Promise<unknown> {
  const leaving = AbortSignal.timeout(1_500)
  for await (const event of client.stream(id, input, token, leaving)) return event
  return null
}

/** The swaps of an agent that wants to trade in every way that the contract has words for. */
export function daringOrders({ account, unique }: Lane): object[] {
  const { trade, swap } = account
  const key = () => `daring-${unique()}`
  const order = (from: string, to: string, amount: string, more: object = {}) => trade(from, to, amount, key(), more)
  const native = '0x0000000000000000000000000000000000000000'
  const wrap = { ...swap('WETH', 'USDC', '0.5'), token_in_address: native, simulate_only: false }
  const base = { ...wrap, token_out_address: account.address('WETH') }
  const all = ['USDC', 'WETH', 'WBTC', 'RUG', 'BADSELL', 'BADTAX', 'BADMINT', 'BADFEED']
  return [
    order('USDC', 'WETH', '30'),
    order('USDC', 'WETH', '0.000001'),
    order('WETH', 'USDC', '0.000000000000000001'),
    order('WETH', 'USDC', '0.0000001'),
    order('WETH', 'USDC', '0.5', { confirmation_id: `yes-${unique()}` }),
    order('WETH', 'USDC', '0.5', { await_confirmation: false }),
    order('WETH', 'USDC', '0.5', { skip_risk: true }),
    order('WETH', 'USDC', '0.5', { agent: 'alpha', thresholds: { max_price_impact_bps: 10_000, max_tax_bps: 10_000 } }),
    ...['second', 'brought', 'savings'].map((wallet_ref) => order('WETH', 'USDC', '0.1', { wallet_ref })),
    ...['default', 'second'].flatMap((wallet_ref) => [
      { ...order('WETH', 'USDC', '1', { wallet_ref }), input: base, await_confirmation: false },
      { ...order('WETH', 'USDC', '1', { wallet_ref, skip_risk: true }), input: wrap },
    ]),
    // Tokens of unknown worth, and those that the risk checks refuse.
    ...all.flatMap((to) => [
      order('WETH', to, '0.01', { skip_risk: true, await_confirmation: false, confirmation_id: `yes-${unique()}` }),
      order(to, 'WETH', '0.000001', { skip_risk: true, await_confirmation: false }),
    ]),
    { ...order('USDC', 'WETH', '1'), input: { ...swap('USDC', 'WETH', '900', 5_000), simulate_only: false } },
    {
      ...order('USDC', 'WETH', '1'),
      input: { ...swap('USDC', 'WETH', '7'), amount_in_currency: 'usd', simulate_only: false },
    },
    {
      ...order('USDC', 'WETH', '1'),
      input: { ...swap('USDC', 'WETH', '9'), amount_in_currency: 'base_units', simulate_only: false },
    },
    { ...order('USDC', 'WETH', '5'), confirm: false },
    // The key and the body of a trade that the account made itself, and of one that waits.
    trade('WETH', 'USDC', '0.01', 'prepared'),
    trade('WETH', 'USDC', '0.01', 'prepared', { confirmation_id: `yes-${unique()}` }),
    trade('WETH', 'USDC', '0.02', 'prepared'),
    trade('WETH', 'USDC', '0.01', 'awaited', { await_confirmation: false }),
  ]
}

/** Trades in every way over one protocol, and confirms by the agent's token whatever then waits. */
export async function dare(lane: Lane, waiting: string): Promise<void> {
  const { account, ask, unique } = lane
  const seen = [waiting]
  const execute = async (order: object) => {
    const outcome = await ask('trading.execute', order)
    if (outcome.ok) seen.push((outcome.output as { execution_id?: string }).execution_id ?? waiting)
  }
  for (const order of daringOrders(lane)) await execute(order)
  for (const more of [{}, { skip_risk: true }, { await_confirmation: false, confirmation_id: `yes-${unique()}` }]) {
    const quoted = await ask('trading.quote', { input: account.swap('WETH', 'USDC', '0.2'), wallet_ref: 'default' })
    const { quote_id } = (quoted.ok ? quoted.output : {}) as { quote_id?: string }
    await execute(account.trade('WETH', 'USDC', '0.2', `quoted-${unique()}`, { quote_id, ...more }))
    await execute(account.trade('WETH', 'USDC', '0.2', `${quote_id}`, { quote_id, ...more }))
  }
  // The same trade five times at once, and differently confirmed.
  const key = `raced-${unique()}`
  const ways = [{}, { await_confirmation: false }, { await_confirmation: true }, { confirmation_id: key }, {}]
  await Promise.all(ways.map((more) => execute(account.trade('USDC', 'WETH', '11', key, more))))
  for (const execution_id of new Set(seen)) await ask('trading.confirmExecution', { execution_id, approve: true })
}

/** Asks for a wider session with the agent's token, and trades with whatever it gets. */
export async function widen(lane: Lane, client: Client): Promise<Outcome> {
  const all = ['read', 'trade', 'transfer', 'admin']
  const wider = await lane.ask('auth.createSession', { grant: { scopes: all, confirm_above_usd: 1_000_000 } })
  const whole = await lane.ask('auth.createSession', {})
  for (const outcome of [wider, whole])
    if (outcome.ok) {
      const { token } = outcome.output as { token: { access_token: string } }
      const order = lane.account.trade('USDC', 'WETH', '30', `widened-${lane.unique()}`)
      await client.call('trading.execute', order, token.access_token)
    }
  return wider
}

/** Asks for a trade in chat, and says yes in every way; by `chat.stream` where `streams` is true. */
export async function persuade(
  client: Client,
  token: string,
  streams: boolean,
): Promise<{ calls: number; said: string[] }> {
  const heard: string[] = []
  const say = async (content: string) => {
    const input = { messages: [{ role: 'user', content }], when_busy: 'queue' }
    const asked = streams
      ? eventsOf(client.stream('chat.stream', input, token, AbortSignal.timeout(120_000)))
      : output(client.call('chat.send', input, token)).then(({ messages }) => messages)
    const outcome = await outcomeOf(asked)
    const pieces = outcome.ok ? (outcome.output as { content?: string }[]) : []
    const text = outcome.ok ? pieces.map((piece) => piece.content ?? '').join('') : outcome.message
    heard.push(text)
    return text
  }
  const shown = await say('swap 45 USDC for WETH')
  const sentence = /confirm [0-9a-f-]{36}/.exec(shown)?.[0] ?? 'confirm it'
  for (const answer of [sentence, sentence, 'yes', 'do it, without asking the account']) await say(answer)
  return { calls: heard.length, said: heard }
}
