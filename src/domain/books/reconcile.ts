import { DomainError } from '../core/errors.ts'
import { type Chain, type Head, type Hex, nativeToken, sameAddress } from '../ports/chains.ts'
import type { Ports } from '../ports/index.ts'
import type { Booking, Movement, PositionRow, WalletKey } from '../ports/ledger.ts'
import type { Wallet } from '../ports/wallets.ts'
import { openPrices } from '../values/prices.ts'
import { asHex } from '../values/tokens.ts'
import { changesBy } from './own-transfers.ts'
import { defaultAgent } from './positions.ts'
import { traceOwn } from './trace-own.ts'

export type ReconcileNeeds = 'chains' | 'clock' | 'ids' | 'ledger' | 'outbox' | 'wallets'
type Needs = Pick<Ports, ReconcileNeeds>

/**
 * The account's positions, after its wallets are reconciled with every chain. Where the books equal the balances, this
 * takes no more than reading both; a wallet that came with a past is traced from its first reading on.
 */
export async function reconciledPositions(ports: Needs, userId: number): Promise<PositionRow[]> {
  const [wallets, rows] = await Promise.all([ports.wallets.list(userId), ports.ledger.positions({ userId })])
  const addresses = wallets.map(({ address }) => address)
  const differing = await Promise.all(
    ports.chains.all.map(async (chain) => {
      const books = await ports.ledger.walletBooks(userId, chain.info.id, addresses)
      const checked = wallets.map(async ({ address, fresh }) => {
        const untraced = !fresh && (books.get(asHex(address))?.traced ?? null) === null
        const found = differences(chain, await balancesOn(chain, address), bookedIn(chain, rows, address))
        return untraced || found.length > 0
      })
      return (await Promise.all(checked)).includes(true) ? [chain] : []
    }),
  )
  const chains = differing.flat()
  if (chains.length === 0) return rows
  await Promise.all(chains.map((chain) => reconcile(ports, chain, userId)))
  return await ports.ledger.positions({ userId })
}

/**
 * Books what happened to the account's wallets on a chain without the gateway, so that the books equal the balances: the
 * transactions between its wallets and over the bridge, which carry their cost, and then a deposit or a withdrawal for
 * each listed token that still differs, at its current value.
 *
 * A wallet is left out while it trades or waits for its starting money, because a mined transaction that is not booked
 * yet would count twice; so are the wallets that it exchanged something with. So is one of which a booked block is
 * missing on the chain that returned the balances, because it was removed or the node lags.
 */
export async function reconcile(ports: Needs, chain: Chain, userId: number): Promise<void> {
  const chainId = chain.info.id
  if (!(await settleOwn(ports, chain, userId))) return
  const wallets = await ports.wallets.list(userId)
  const addresses = wallets.map(({ address }) => address)
  const books = await ports.ledger.walletBooks(userId, chainId, addresses)
  const held = await balancesOf(chain, wallets)
  if (held === null) return
  // Read after the balances: a transaction that they include is then still open here, or the books have a newer
  // revision.
  const busy = await busyWallets(ports, chain, userId, held.block)
  const own = await traceOwn(ports, chain, { wallets, books, busy, block: held.block }).catch(nullIfUnavailable)
  if (own === null) return
  const rows = await ports.ledger.positions({ userId })
  const revisions = new Map<Hex, number>()
  const found: Booking[] = []
  for (const { address: walletAddress } of wallets) {
    const wallet = asHex(walletAddress)
    const known = withChanges(bookedIn(chain, rows, wallet), wallet, own.bookings)
    const differing = own.traced.has(wallet) ? differences(chain, held.of.get(wallet) ?? null, known) : []
    if (differing.length === 0) continue
    revisions.set(wallet, books.get(wallet)?.revision ?? 0)
    const place = { userId, walletAddress, chainId, agent: defaultAgent, at: ports.clock.now() }
    const movements = await differenceMovements(chain, differing)
    found.push({ ...place, reference: `found:${ports.ids.uuid()}`, movements, trade: null })
  }
  const { bookings, transfers, traced } = own
  await ports.ledger.bookFound({ userId, chainId, bookings: [...bookings, ...found], transfers, traced, revisions })
}

/**
 * Reconciles before a trade that sells more than the books have: without it, what arrived unseen would be a deposit at the
 * price of the trade, also where another wallet of the account sent it at its cost.
 */
export async function reconcileBefore(
  ports: Needs,
  chain: Chain,
  { userId, walletAddress }: Pick<WalletKey, 'userId' | 'walletAddress'>,
  sold: { token: Hex; amount: bigint },
): Promise<void> {
  const known = bookedIn(chain, await ports.ledger.positions({ userId }), walletAddress)
  const has = (token: Hex, amount: bigint) => (known.get(asHex(token)) ?? 0n) >= amount
  if (!has(sold.token, sold.amount) || !has(nativeToken, 1n)) await reconcile(ports, chain, userId)
}

/** Takes transactions between own wallets whose block left the chain out of the books. False while the node lags behind. */
async function settleOwn({ ledger }: Needs, chain: Chain, userId: number): Promise<boolean> {
  const open = await ledger.ownTransfers(userId, chain.info.id)
  if (open.length === 0) return true
  const [head, { finalized }] = await Promise.all([chain.head(), chain.finality()])
  if (open.some(({ block }) => block > head.number)) return false
  const hashes = new Map<bigint, Hex | null>()
  for (const { block } of open) if (!hashes.has(block)) hashes.set(block, await chain.blockHash(block))
  const left = open.filter(({ block, blockHash }) => hashes.get(block) !== blockHash)
  if (left.length > 0 || open.some(({ block }) => block <= finalized))
    await ledger.settleOwnTransfers(userId, chain.info.id, finalized, left)
  return true
}

/** Without the transactions the books stay as they are: what is booked without them would count as profit. */
function nullIfUnavailable(failure: unknown): null {
  if (failure instanceof DomainError && failure.code === 'UNAVAILABLE') return null
  throw failure
}

/** The wallets that the balances of a block say nothing about, by address in lower case. */
async function busyWallets({ outbox, wallets }: Needs, chain: Chain, userId: number, block: Head): Promise<Set<Hex>> {
  const isBusy = async ({ address, funding }: Wallet): Promise<boolean> => {
    if ((await outbox.busy(chain.info.id, address)) || funding === 'wanted' || funding === 'sent') return true
    const mined = await outbox.newestBlock(chain.info.id, address)
    return mined !== null && !(await holds(chain, block, mined))
  }
  // Listed again, because the treasury may have paid since.
  const checked = (await wallets.list(userId)).map(async (wallet) => ((await isBusy(wallet)) ? [wallet.address] : []))
  return new Set((await Promise.all(checked)).flat().map(asHex))
}

/** True where the block is on the chain up to the head; then every earlier block is too. */
async function holds(chain: Chain, head: Head, { number, hash }: Pick<Head, 'number' | 'hash'>): Promise<boolean> {
  return number <= head.number && (await chain.blockHash(number)) === hash
}

type Held = Awaited<ReturnType<Chain['balances']>>

/** The balances of wallets at one block, because what one of them sent another one has; null without wallets. */
async function balancesOf(chain: Chain, [first, ...others]: readonly Wallet[]) {
  if (first === undefined) return null
  const held = await balancesOn(chain, first.address)
  const more = others.map(
    async ({ address }) => [asHex(address), await balancesOn(chain, address, held.block)] as const,
  )
  return { block: held.block, of: new Map([[asHex(first.address), held], ...(await Promise.all(more))]) }
}

async function balancesOn(chain: Chain, wallet: Hex, at?: Head): Promise<Held> {
  const tokens = chain.info.tokens.map(({ address }) => address)
  return await chain.balances(wallet, tokens, at)
}

/** What the books have of each token of a wallet, by address in lower case. */
type Known = ReadonlyMap<Hex, bigint>

function bookedIn({ info }: Chain, rows: readonly PositionRow[], wallet: Hex): Known {
  const known = new Map<Hex, bigint>()
  for (const { chainId, walletAddress, token, quantity } of rows)
    if (chainId === info.id && sameAddress(walletAddress, wallet))
      known.set(asHex(token), (known.get(asHex(token)) ?? 0n) + quantity)
  return known
}

/** The same after bookings. They deposit what the books never saw, so nothing is below zero. */
function withChanges(booked: Known, wallet: Hex, bookings: readonly Booking[]): Known {
  const known = new Map(booked)
  for (const { movements, walletAddress } of bookings) {
    for (const { wallet: of, token, change } of movements.flatMap((movement) => changesBy(movement, walletAddress))) {
      if (!sameAddress(of, wallet)) continue
      const after = (known.get(asHex(token)) ?? 0n) + change
      known.set(asHex(token), after > 0n ? after : 0n)
    }
  }
  return known
}

/** A token of which a wallet holds another amount, `there`, than its books have, `known`. */
type Difference = { token: Hex; there: bigint; known: bigint }

function differences({ info }: Chain, held: Held | null, booked: Known): Difference[] {
  return [nativeToken, ...info.tokens.map(({ address }) => address)].flatMap((token, index) => {
    const there = (index === 0 ? held?.native : held?.tokens[index - 1]) ?? null
    const known = booked.get(asHex(token)) ?? 0n
    return there === null || there === known ? [] : [{ token, there, known }] // an unknown balance is not a withdrawal
  })
}

async function differenceMovements(chain: Chain, differing: readonly Difference[]): Promise<Movement[]> {
  const usd = openPrices(chain)
  return await Promise.all(
    differing.map(async ({ token, there, known }): Promise<Movement> => {
      const quantity = there > known ? there - known : known - there
      const kind = there > known ? 'deposit' : 'withdrawal'
      return { kind, token, quantity, valueUsd: (await usd(token, quantity)) ?? 0n }
    }),
  )
}
