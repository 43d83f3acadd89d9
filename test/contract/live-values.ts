import { Wallet } from '@ethereumjs/wallet'
import type { OperationId } from '../../src/contract/index.ts'
import { type Client, eventsOf, output } from '../clients/client.ts'
import { fundedAccount, newAccount, password, type World } from '../world.ts'

/** An account with one of each thing that operations request by id. */
export type Prepared = Awaited<ReturnType<typeof prepare>>

/** Creates an account that has traded, chatted and claimed once, with a spare session. */
export async function prepare({ clients: { rest } }: World, vault?: string) {
  const account = await fundedAccount(rest)
  const { token, userToken } = account
  const asked = (id: OperationId, input: object, by = token) => output(rest.call(id, input, by))
  const spare = await asked('auth.createSession', {}, userToken)
  // Each ends the token that it is called with.
  const leaving = await Promise.all([0, 1, 2, 3].map(async () => (await newAccount(rest)).userToken))
  const claim = await asked('chain.claimFaucet', { address: freshAddress() })
  const trade = await asked('trading.execute', account.trade('WETH', 'USDC', '0.01', 'prepared'))
  const quote = await asked('trading.quote', { input: account.swap('WETH', 'USDC', '0.1') })
  const said = await eventsOf(rest.stream('chat.stream', question, token))
  const stream: string = said[0].id.split(':')[0]
  const market = { symbol: 'ETHUSDC', streams: ['kline'] }
  const [subscription, spareSubscription] = await Promise.all(
    [0, 1].map(async () => (await asked('tools.subscribeExchange', market)).subscription_id as string),
  )
  const agent = await asked('auth.createSession', { grant: { scopes: ['trade'], confirm_above_usd: 0 } }, userToken)
  const awaited = account.trade('WETH', 'USDC', '0.01', 'awaited')
  const waiting = await asked('trading.execute', awaited, agent.token.access_token)
  const keystore = await Wallet.generate().toV3(keystorePassword, { kdf: 'pbkdf2', c: 1_000 })
  return {
    keystore,
    subscription,
    spareSubscription,
    vault,
    ...account,
    order: account.trade,
    spare: spare.session_id,
    leaving: {
      'auth.changePassword': leaving[0],
      'auth.deleteAccount': leaving[3],
      'auth.logout': leaving[1],
      'auth.logoutEverywhere': leaving[2],
    } as Partial<Record<OperationId, string>>,
    claim: claim.txHash,
    trade,
    waiting,
    quote,
    stream,
  }
}

const question = { messages: [{ role: 'user', content: 'quote 1 WETH to USDC' }] }

const keystorePassword = 'password of a file'

function freshAddress(): string {
  return `0x${crypto.randomUUID().replaceAll('-', '').padEnd(40, '1')}`
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
  'tools.streamExchange',
  'trading.watchAccount',
  'trading.watchQuote',
])

/** Streams that also send an event when only the number of confirmations has changed. */
export const blockwise: ReadonlySet<OperationId> = new Set(['trading.watchExecution'])

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
export const liveInputs: Partial<Record<OperationId, (prepared: Prepared) => object>> = {
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
  'trading.quote': ({ swap }) => ({ input: swap('WETH', 'USDC', '0.1') }),
  // A quote that does not exist here, which is flagged independently of its age.
  'trading.assessRisk': ({ quote }) => ({
    quote: { ...quote, quote_id: crypto.randomUUID(), expires_at: '2100-01-01T00:00:00.000Z' },
    input: { chain: 'evm', addresses: quote.route, checks: ['rug', 'whale_flow', 'price_sanity'] },
  }),
  'trading.execute': (prepared) => prepared.order('WETH', 'USDC', '0.01', 'conformance'),
  'trading.previewRun': ({ swap }) => ({ text: 'Swap 0.1 WETH for USDC', evm_input: swap('WETH', 'USDC', '0.1') }),
  'trading.confirmExecution': ({ waiting }) => ({ execution_id: waiting.execution_id, approve: false }),
  'trading.getExecution': ({ trade }) => ({ execution_id: trade.execution_id }),
  'trading.getTimeline': ({ trade }) => ({ execution_id: trade.execution_id }),
  'trading.watchExecution': ({ trade }) => ({ execution_id: trade.execution_id }),
  'trading.watchAccount': () => ({}),
  'trading.watchQuote': ({ swap }) => ({ input: swap('WETH', 'USDC', '0.1') }),
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
}
