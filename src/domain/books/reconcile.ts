import { type Chain, type Head, nativeToken, sameAddress } from '../ports/chains.ts'
import type { Ports } from '../ports/index.ts'
import type { Movement, WalletKey } from '../ports/ledger.ts'
import { openPrices } from '../values/prices.ts'
import { defaultAgent } from './positions.ts'

export type ReconcileNeeds = 'chains' | 'clock' | 'ids' | 'ledger' | 'outbox' | 'wallets'
type Needs = Pick<Ports, ReconcileNeeds>

/** Reconciles every wallet of an account with every chain. */
export async function reconcileAll(ports: Needs, userId: number): Promise<void> {
  const wallets = await ports.wallets.list(userId)
  const places = wallets.flatMap(({ address: walletAddress }) =>
    ports.chains.all.map(({ info }) => ({ userId, walletAddress, chainId: info.id })),
  )
  await Promise.all(places.map((place) => reconcile(ports, place)))
}

/**
 * Books deposits and withdrawals that are not trades, so that the books equal the chain's balances: one for each listed
 * token that differs, at its current value. It does nothing while the wallet trades or waits for its starting money,
 * because a mined transaction that is not booked yet would count twice. It also does nothing while a booked block is
 * missing on the chain that returned the balances, because it was removed or the node lags.
 */
export async function reconcile(ports: Needs, place: WalletKey): Promise<void> {
  const { chainId, walletAddress } = place
  const chain = ports.chains.find(chainId)
  if (chain === null) return
  const revision = await ports.ledger.revision(place)
  const tokens = chain.info.tokens.map(({ address }) => address)
  const held = await chain.balances(walletAddress, tokens)
  // Read after the balances: a transaction that they include is then still open here, or the books have a newer
  // revision.
  if (await ports.outbox.busy(chainId, walletAddress)) return
  // This is also read after the balances: the treasury may have paid since the wallet was listed.
  const funding = (await ports.wallets.findByAddress(walletAddress))?.funding
  if (funding === 'wanted' || funding === 'sent') return
  const mined = await ports.outbox.newestBlock(chainId, walletAddress)
  if (mined !== null && !(await holds(chain, held.block, mined))) return
  const booked = (await ports.ledger.positions({ userId: place.userId })).filter(
    (row) => row.chainId === chainId && sameAddress(row.walletAddress, walletAddress),
  )
  const usd = openPrices(chain)
  const movements: Movement[] = []
  for (const [index, token] of [nativeToken, ...tokens].entries()) {
    const there = index === 0 ? held.native : (held.tokens[index - 1] ?? null)
    if (there === null) continue // an unknown balance is not a withdrawal
    const known = booked.reduce((sum, row) => (sameAddress(row.token, token) ? sum + row.quantity : sum), 0n)
    if (there === known) continue
    const quantity = there > known ? there - known : known - there
    const kind = there > known ? 'deposit' : 'withdrawal'
    movements.push({ kind, token, quantity, valueUsd: (await usd(token, quantity)) ?? 0n })
  }
  if (movements.length === 0) return
  const found = { ...place, agent: defaultAgent, at: ports.clock.now(), movements, trade: null }
  await ports.ledger.book({ ...found, reference: `found:${ports.ids.uuid()}` }, revision)
}

/** True where the block is on the chain up to the head; then every earlier block is too. */
async function holds(chain: Chain, head: Head, { number, hash }: Pick<Head, 'number' | 'hash'>): Promise<boolean> {
  return number <= head.number && (await chain.blockHash(number)) === hash
}
