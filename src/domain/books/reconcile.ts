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
 * Books what came to a wallet or left it without a trade of ours, so that the books hold what the chain holds: a deposit
 * or a withdrawal for each listed token that differs, at its present worth. Does nothing while the wallet trades or its
 * starting money is on its way: what is mined and not booked yet would be counted twice; nor while a block that was booked is not on the chain that told the
 * balances, because it left, or because the node lags behind.
 */
export async function reconcile(ports: Needs, place: WalletKey): Promise<void> {
  const { chainId, walletAddress } = place
  const chain = ports.chains.find(chainId)
  if (chain === null) return
  const revision = await ports.ledger.revision(place)
  const tokens = chain.info.tokens.map(({ address }) => address)
  const held = await chain.balances(walletAddress, tokens)
  // Asked after the balances: a transaction of ours that they show is still under way here, or has a newer revision.
  if (await ports.outbox.busy(chainId, walletAddress)) return
  // Asked after the balances too: the treasury may have paid since the wallet was listed.
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
    if (there === null) continue // a token that does not tell has not left
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

/** Is the block on the chain up to the head; then every block before it is. */
async function holds(chain: Chain, head: Head, { number, hash }: Pick<Head, 'number' | 'hash'>): Promise<boolean> {
  return number <= head.number && (await chain.blockHash(number)) === hash
}
