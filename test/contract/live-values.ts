import { Wallet } from '@ethereumjs/wallet'
import type { OperationId } from '../../src/contract/index.ts'
import { type Account, fundedAccount, newAccount, password } from '../accounts.ts'
import { type Client, eventsOf, output } from '../clients/client.ts'
import type { World } from '../world.ts'

/** What an account has made and owns, for operations that request things by id. */
export type Belongings = Awaited<ReturnType<typeof belongingsOf>>

/** An account with one of each thing that operations request by id. */
export type Prepared = Awaited<ReturnType<typeof prepare>>

/** Creates an account that has traded, chatted and claimed once, with a spare session. */
export async function prepare({ clients: { rest } }: World, vault?: string) {
  const belongings = await belongingsOf(rest, await fundedAccount(rest))
  // Each ends the token that it is called with.
  const leaving = await Promise.all([0, 1, 2, 3].map(async () => (await newAccount(rest)).userToken))
  return {
    ...belongings,
    vault,
    leaving: {
      'auth.changePassword': leaving[0],
      'auth.deleteAccount': leaving[3],
      'auth.logout': leaving[1],
      'auth.logoutEverywhere': leaving[2],
    } as Partial<Record<OperationId, string>>,
  }
}

/**
 * Lets an account trade, chat and claim once, and subscribe. With `ofAnyGateway` what fails there has the id of nothing, so
 * that the cases about it can be judged, and money is moved only where that is wanted.
 */
export async function belongingsOf(client: Client, account: Account, ofAnyGateway?: { movesMoney: boolean }) {
  const { token, userToken, symbols } = account
  const movesMoney = ofAnyGateway?.movesMoney ?? true
  // biome-ignore lint/suspicious/noExplicitAny: answers of several operations pass through here
  const orNothing = async (work: Promise<any>, otherwise: object) =>
    ofAnyGateway === undefined ? await work : await work.catch(() => otherwise)
  const asked = (id: OperationId, input: object, otherwise: object, by = token) =>
    orNothing(output(client.call(id, input, by)), otherwise)
  const nothing = { execution_id: crypto.randomUUID(), tx_hash: freshHash() }
  const order = (key: string) => account.trade(pair[0], pair[1], '0.01', key)
  const pair =
    symbols.includes('WETH') && symbols.includes('USDC')
      ? (['WETH', 'USDC'] as const)
      : ([symbols[0]!, symbols[1]!] as const)
  const spare = await asked('auth.createSession', {}, {}, userToken)
  const quote = await asked('trading.quote', { input: account.swap(...pair, '0.1') }, { route: [] })
  const unsaid = [{ id: `${crypto.randomUUID()}:1` }]
  const said = await orNothing(eventsOf(client.stream('chat.stream', question, token)), unsaid)
  const market = { symbol: 'ETHUSDC', streams: ['kline'] }
  const subscriptions = await Promise.all(
    [0, 1].map(() => asked('tools.subscribeExchange', market, { subscription_id: crypto.randomUUID() })),
  )
  const agent = await asked('auth.createSession', { grant: { scopes: ['trade'], confirm_above_usd: 0 } }, {}, userToken)
  const keystore = await Wallet.generate().toV3(keystorePassword, { kdf: 'pbkdf2', c: 1_000 })
  return {
    ...account,
    pair,
    order: account.trade,
    keystore,
    quote,
    spare: spare.session_id as string,
    stream: said[0].id.split(':')[0] as string,
    subscription: subscriptions[0].subscription_id as string,
    spareSubscription: subscriptions[1].subscription_id as string,
    claim: movesMoney
      ? ((await asked('chain.claimFaucet', { address: freshAddress() }, { txHash: freshHash() })).txHash as string)
      : freshHash(),
    trade: movesMoney ? await asked('trading.execute', order('prepared'), nothing) : nothing,
    waiting: movesMoney
      ? await asked('trading.execute', order('awaited'), nothing, agent.token?.access_token)
      : nothing,
  }
}

const question = { messages: [{ role: 'user', content: 'quote 1 WETH to USDC' }] }

const keystorePassword = 'password of a file'

function freshAddress(): string {
  return `0x${crypto.randomUUID().replaceAll('-', '').padEnd(40, '1')}`
}

function freshHash(): string {
  return `0x${crypto.randomUUID().replaceAll('-', '').padEnd(64, '1')}`
}

/** An input in which about half of the addresses, hashes and ids exist; `pick` decides. */
export function naming(input: unknown, pick: number, prepared: Prepared): unknown {
  if (Array.isArray(input)) return input.map((part, index) => naming(part, pick + index, prepared))
  if (typeof input === 'object' && input !== null) {
    const parts = Object.entries(input).map(([key, part], index) => [key, naming(part, pick + index, prepared)])
    return Object.fromEntries(parts)
  }
  if (typeof input !== 'string' || pick % 2 === 0) return input
  const { wallet, trade, address } = prepared
  if (/^0x[0-9a-fA-F]{40}$/.test(input)) return pick % 4 === 1 ? wallet : address('USDC')
  if (/^0x[0-9a-fA-F]{64}$/.test(input)) return trade.tx_hash
  return /^[0-9a-fA-F-]{36}$/.test(input) ? trade.execution_id : input
}

/** Streams that continue until their reader disconnects. */
export const endless: ReadonlySet<OperationId> = new Set([
  'chain.subscribe',
  'tools.streamExchange',
  'trading.watchAccount',
  'trading.watchQuote',
])

/** Streams that also send an event when only the number of confirmations has changed. */
export const blockwise: ReadonlySet<OperationId> = new Set(['trading.watchExecution'])

/** Operations that show what waits at the moment, so that two answers need not be alike. */
export const momentary: ReadonlySet<OperationId> = new Set([
  'chain.txpoolContent',
  'chain.txpoolContentFrom',
  'chain.txpoolInspect',
])

/** The first event of an endless stream. */
export async function beginning(client: Client, id: OperationId, input: object, token?: string): Promise<unknown[]> {
  const leaving = new AbortController()
  for await (const event of client.stream(id, input, token, leaving.signal)) {
    leaving.abort()
    return [event]
  }
  return []
}

/** A wallet that no test trades from. */
const idle = { scope: 'wallet', id: `0x${'11'.repeat(20)}` }

/** Inputs with existing ids, by operation; other operations use their example. */
export const liveInputs: Partial<
  Record<OperationId, (prepared: Belongings & { vault?: string | undefined }) => object>
> = {
  'auth.register': () => ({ email: `${crypto.randomUUID()}@example.com`, password }),
  'auth.login': ({ email }) => ({ username: email, password }),
  'auth.renameSession': ({ sessionId }) => ({ session_id: sessionId, name: 'Renamed' }),
  'auth.deleteSession': ({ spare }) => ({ session_id: spare }),
  'auth.changePassword': () => ({ current_password: password, new_password: keystorePassword }),
  'auth.deleteAccount': () => ({ password }),
  'chat.send': () => question,
  'chat.stream': () => question,
  'chat.resume': ({ stream }) => ({ stream_id: stream, after_id: `${stream}:1` }),
  'chat.stop': ({ stream }) => ({ stream_id: stream }),
  'trading.quote': ({ swap, pair }) => ({ input: swap(...pair, '0.1') }),
  'chain.streamLogs': () => ({ filter: { fromBlock: '0x0', toBlock: '0x5' } }),
  // A quote that does not exist here, which is flagged independently of its age.
  'trading.assessRisk': ({ quote }) => ({
    quote: { ...quote, quote_id: crypto.randomUUID(), expires_at: '2100-01-01T00:00:00.000Z' },
    input: { chain: 'evm', addresses: quote.route, checks: ['rug', 'whale_flow', 'price_sanity'] },
  }),
  'trading.execute': (prepared) => prepared.order(...prepared.pair, '0.01', 'conformance'),
  'trading.previewRun': ({ swap, pair }) => ({
    text: `Swap 0.1 ${pair[0]} for ${pair[1]}`,
    evm_input: swap(...pair, '0.1'),
  }),
  'trading.confirmExecution': ({ waiting }) => ({ execution_id: waiting.execution_id, approve: false }),
  'trading.getExecution': ({ trade }) => ({ execution_id: trade.execution_id }),
  'trading.getTimeline': ({ trade }) => ({ execution_id: trade.execution_id }),
  'trading.watchExecution': ({ trade }) => ({ execution_id: trade.execution_id }),
  'trading.watchAccount': () => ({}),
  'trading.watchQuote': ({ swap, pair }) => ({ input: swap(...pair, '0.1') }),
  'trading.importWallet': ({ keystore }) => ({ wallet_ref: 'brought', keystore, password: keystorePassword }),
  'trading.exportWallet': () => ({
    wallet_ref: 'default',
    account_password: password,
    keystore_password: keystorePassword,
  }),
  'tools.unsubscribeExchange': ({ spareSubscription }) => ({ subscription_id: spareSubscription }),
  'tools.streamExchange': ({ subscription }) => ({ subscription_id: subscription }),
  'metrics.positions': () => ({ token_symbol: 'USDC' }),
  'metrics.volume': () => ({ start: '2026-01-01T00:00:00Z', end: '2100-01-01T00:00:00+02:00' }),
  'metrics.tvl': () => ({ mode: 'agents' }),
  'chain.claimFaucet': () => ({ address: freshAddress() }),
  'chain.faucetClaim': ({ claim }) => ({ tx_hash: claim }),
  'operator.haltTrading': () => idle,
  'operator.grantWallet': ({ email, vault }) => ({ email, wallet_ref: 'vault', address: vault }),
  'operator.resumeTrading': () => idle,
  'operator.setSandboxPrice': () => ({ symbol: 'ETH', price_usd: 3_000 }),
  'operator.setSandboxMarket': () => ({ mode: 'still' }),
}
