import { type Client, output } from './clients/client.ts'
import type { Clients } from './clients/clients.ts'

export const password = 'correct horse battery'

export function newEmail(): string {
  return `${crypto.randomUUID()}@example.com`
}

/** Where the wallets of new accounts get the sandbox's starting money on a chain that does not grant it itself. */
const payers = new WeakMap<Client, (wallet: string) => Promise<void>>()

/** Lets `give` pay the wallets of all accounts that are registered by these clients. */
export function paidBy(clients: Clients, give: (wallet: string) => Promise<void>): void {
  for (const client of [clients.rest, clients.trpc, clients.grpc]) payers.set(client, give)
}

/** A registered user with one session, and what a trader needs to know of the chain. */
export type Account = Awaited<ReturnType<typeof newAccount>>

/** Registers a user and opens a session over the client. The wallet's money may still be on its way. */
export async function newAccount(client: Client, email = newEmail()) {
  const user = await output(client.call('auth.register', { email, password }))
  const userToken: string = user.token.access_token
  const session = await output(client.call('auth.createSession', {}, userToken))
  const token: string = session.token.access_token
  const [chain] = await output(client.call('trading.listChains', {}, token))
  const [wallet] = await output(client.call('trading.listWallets', {}, token))
  await payers.get(client)?.(wallet.address)
  const native = { symbol: 'ETH', address: `0x${'0'.repeat(40)}` }
  const address = (symbol: string): string =>
    [native, ...chain.tokens].find((item: { symbol: string }) => item.symbol === symbol).address
  const swap = (from: string, to: string, amount_in: string, slippage_bps = 50) => ({
    chain_id: chain.chain_id as number,
    token_in_address: address(from),
    token_out_address: address(to),
    amount_in,
    amount_in_currency: 'token_units',
    slippage_bps,
  })
  return {
    email,
    /** What `auth.register` answered. */
    registered: user as unknown,
    userToken,
    token,
    sessionId: session.session_id as string,
    wallet: wallet.address as string,
    swap,
    address,
    /** The tokens of the default chain, by symbol. */
    symbols: chain.tokens.map(({ symbol }: { symbol: string }) => symbol) as string[],
    /** A real trade from the default wallet. */
    trade: (from: string, to: string, amount: string, key: string, more: object = {}) => ({
      input: { ...swap(from, to, amount), simulate_only: false },
      confirm: true,
      wallet_ref: 'default',
      idempotency_key: key,
      ...more,
    }),
  }
}

/** Registers an account like `newAccount`, and waits until its wallet has the starting money. */
export async function fundedAccount(client: Client, email = newEmail()): Promise<Account> {
  const account = await newAccount(client, email)
  const trial = { input: { ...account.swap('WETH', 'USDC', '0.001') }, wallet_ref: 'default' }
  const { status, message } = await output(client.call('trading.execute', trial, account.token))
  if (status !== 'simulated') throw new Error(`The wallet of ${account.email} has no starting money: ${message}`)
  return account
}
