import { createPublicClient, erc20Abi, type Hex, http } from 'viem'
import type { PostgresServer } from '../ports/postgres.ts'
import { runCommand } from '../run-command.ts'
import type { Account } from '../world.ts'
import type { Note } from './trading-clients.ts'

type Trade = {
  id: string
  user_id: number
  key: string
  wallet: string
  state: string
  hash: string | null
  usd: string | null
}
type Leg = {
  sender: string
  reference: string
  kind: string
  nonce: number | null
  state: string
  outcome: string | null
}

/** What is left at the end, each as the list of what is wrong. */
export type Verdict = {
  lost: string[]
  repeated: string[]
  gaps: string[]
  caps: string[]
  books: string[]
  audit: string[]
  open: string[]
}

/** States of trades that are over, and of those that have not begun: their key is free. */
const decided = new Set(['included', 'safe', 'finalized', 'failed', 'requested', 'simulated'])
const mined = new Set(['included', 'safe', 'finalized'])
/** Values in USD are stored with 18 decimals. */
const unitsOfUsd = 1e18
const native = `0x${'00'.repeat(20)}`

/** The stored trades that can still change. */
export async function openTrades(postgres: PostgresServer): Promise<string[]> {
  const rows = await postgres.rows('trident', 'select id, state, message from execution')
  return rows.filter(({ state }) => !decided.has(state)).map(({ id, state, message }) => `${id} ${state} ${message}`)
}

/** Reads everything from the chain and the database, and holds the clients' notes against it. */
export async function judge(
  postgres: PostgresServer,
  { databaseUrl, rpc, notes, accounts, dailyUsd }: Found,
): Promise<Verdict> {
  const trades: Trade[] = await postgres.rows(
    'trident',
    `select id, user_id, idempotency_key as key, wallet_address as wallet, state, transaction_hash as hash, value_usd as usd
       from execution`,
  )
  const legs: Leg[] = await postgres.rows(
    'trident',
    'select sender, reference, kind, nonce, state, outcome from outgoing order by sender, nonce',
  )
  const chain = createPublicClient({ transport: http(rpc) })
  const verdict: Verdict = { lost: [], repeated: [], gaps: [], caps: [], books: [], audit: [], open: [] }
  const byId = new Map(trades.map((trade) => [trade.id, trade]))
  for (const { key, acknowledged, account } of notes) {
    const ids = new Set(acknowledged.map(({ execution }) => execution))
    if (ids.size > 1) verdict.repeated.push(`${key} was told as ${[...ids].join(' and ')}`)
    const stored = trades.filter(
      (trade) => trade.key === key && sameWallet(trade.wallet, account.wallet) && mined.has(trade.state),
    )
    if (stored.length > 1) verdict.repeated.push(`${key} was mined ${stored.length} times`)
    for (const { execution, status, hash } of acknowledged) {
      const trade = byId.get(execution)
      if (trade === undefined) verdict.lost.push(`${key} ${execution} ${status} is not stored`)
      else if (status === 'success' && !mined.has(trade.state))
        verdict.lost.push(`${key} was told as a success and is ${trade.state}`)
      if (status === 'success' && trade?.hash !== hash)
        verdict.lost.push(`${key} was told with ${hash}, stored with ${trade?.hash}`)
    }
  }
  for (const trade of trades.filter(({ state }) => mined.has(state))) {
    const receipt = await chain.getTransactionReceipt({ hash: trade.hash as Hex }).catch(() => null)
    if (receipt?.status !== 'success')
      verdict.lost.push(`${trade.key} is ${trade.state} and not on the chain as ${trade.hash}`)
  }
  const swaps = legs.filter(({ kind, outcome }) => kind === 'swap' && outcome === 'success')
  for (const [reference, sent] of Map.groupBy(swaps, (leg) => leg.reference))
    if (sent.length > 1) verdict.repeated.push(`${reference} swapped ${sent.length} times`)
  for (const account of accounts) await judgeWallet(verdict, { account, legs, chain, postgres })
  for (const [user, own] of Map.groupBy(trades, ({ user_id }) => user_id)) {
    const usd = own
      .filter(({ state }) => mined.has(state))
      .reduce((sum, trade) => sum + Number(trade.usd ?? 0) / unitsOfUsd, 0)
    if (usd > dailyUsd) verdict.caps.push(`account ${user} traded ${usd} USD`)
  }
  const env = { ...process.env, DATABASE_URL: databaseUrl }
  const audit = await runCommand('node', ['scripts/verify-audit.ts'], { limitSeconds: 60, env })
  if (audit.code !== 0) verdict.audit.push(audit.output)
  verdict.open = await openTrades(postgres)
  return verdict
}

export type Found = {
  databaseUrl: string
  rpc: string
  notes: readonly Note[]
  accounts: readonly Account[]
  dailyUsd: number
}

/** The nonces of a wallet, and its books beside its balances. */
async function judgeWallet(
  verdict: Verdict,
  {
    account,
    legs,
    chain,
    postgres,
  }: { account: Account; legs: readonly Leg[]; chain: ReturnType<typeof createPublicClient>; postgres: PostgresServer },
): Promise<void> {
  const wallet = account.wallet as Hex
  const latest = await chain.getTransactionCount({ address: wallet })
  const nonces = legs
    .filter(({ sender, nonce }) => sameWallet(sender, wallet) && nonce !== null)
    .map(({ nonce }) => nonce)
  const wanted = Array.from({ length: latest }, (_, nonce) => nonce)
  if (nonces.join() !== wanted.join())
    verdict.gaps.push(`${wallet} has ${latest} on the chain and stored ${nonces.join()}`)
  const positions: { token: string; quantity: string }[] = await postgres.rows(
    'trident',
    `select lower(token) as token, quantity from position where lower(wallet_address) = '${wallet.toLowerCase()}'`,
  )
  const booked = (token: string) =>
    positions
      .filter((one) => one.token === token.toLowerCase())
      .reduce((sum, { quantity }) => sum + BigInt(quantity), 0n)
  for (const symbol of ['WETH', 'USDC']) {
    const address = account.address(symbol) as Hex
    const held = await chain.readContract({ address, abi: erc20Abi, functionName: 'balanceOf', args: [wallet] })
    if (booked(address) !== held)
      verdict.books.push(`${wallet} holds ${held} ${symbol}, the books have ${booked(address)}`)
  }
  const held = await chain.getBalance({ address: wallet })
  if (booked(native) !== held) verdict.books.push(`${wallet} holds ${held} wei, the books have ${booked(native)}`)
}

const sameWallet = (one: string, other: string) => one.toLowerCase() === other.toLowerCase()
