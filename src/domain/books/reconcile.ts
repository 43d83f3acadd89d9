import { type Chain, type Head, nativeToken, sameAddress } from '../ports/chains.ts'
import type { Ports } from '../ports/index.ts'
import type { Movement, PositionRow, WalletKey } from '../ports/ledger.ts'
import { openPrices } from '../values/prices.ts'
import { defaultAgent } from './positions.ts'

export type ReconcileNeeds = 'chains' | 'clock' | 'ids' | 'ledger' | 'outbox' | 'wallets'
type Needs = Pick<Ports, ReconcileNeeds>

/**
 * The account's positions, after every wallet is reconciled with every chain. Where the books equal the balances, this
 * takes no more than reading both.
 */
export async function reconciledPositions(ports: Needs, userId: number): Promise<PositionRow[]> {
  const [wallets, rows] = await Promise.all([ports.wallets.list(userId), ports.ledger.positions({ userId })])
  const places = wallets.flatMap(({ address: walletAddress }) =>
    ports.chains.all.map((chain) => ({ chain, place: { userId, walletAddress, chainId: chain.info.id } })),
  )
  const checked = await Promise.all(
    places.map(async ({ chain, place }) => {
      const held = await balancesOn(chain, place)
      return differences(chain, held, rows, place).length === 0 ? [] : [place]
    }),
  )
  const differing = checked.flat()
  if (differing.length === 0) return rows
  await Promise.all(differing.map((place) => reconcile(ports, place)))
  return await ports.ledger.positions({ userId })
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
  const held = await balancesOn(chain, place)
  // Read after the balances: a transaction that they include is then still open here, or the books have a newer
  // revision.
  if (await ports.outbox.busy(chainId, walletAddress)) return
  // This is also read after the balances: the treasury may have paid since the wallet was listed.
  const funding = (await ports.wallets.findByAddress(walletAddress))?.funding
  if (funding === 'wanted' || funding === 'sent') return
  const mined = await ports.outbox.newestBlock(chainId, walletAddress)
  if (mined !== null && !(await holds(chain, held.block, mined))) return
  const rows = await ports.ledger.positions({ userId: place.userId })
  const usd = openPrices(chain)
  const movements: Movement[] = []
  for (const { token, there, known } of differences(chain, held, rows, place)) {
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

type Held = Awaited<ReturnType<Chain['balances']>>

async function balancesOn(chain: Chain, { walletAddress }: WalletKey): Promise<Held> {
  return await chain.balances(
    walletAddress,
    chain.info.tokens.map(({ address }) => address),
  )
}

/** The tokens of which a wallet holds another amount, `there`, than its books have, `known`. */
function differences({ info }: Chain, held: Held, rows: readonly PositionRow[], place: WalletKey) {
  const booked = rows.filter(
    (row) => row.chainId === place.chainId && sameAddress(row.walletAddress, place.walletAddress),
  )
  return [nativeToken, ...info.tokens.map(({ address }) => address)].flatMap((token, index) => {
    const there = index === 0 ? held.native : (held.tokens[index - 1] ?? null)
    const known = booked.reduce((sum, row) => (sameAddress(row.token, token) ? sum + row.quantity : sum), 0n)
    return there === null || there === known ? [] : [{ token, there, known }] // an unknown balance is not a withdrawal
  })
}
