import { ownReference } from '../core/reference.ts'
import type { Chain, Head, Hex, SentTransaction } from '../ports/chains.ts'
import type { Ports } from '../ports/index.ts'
import type { Booking, Found, Traced, WalletBooks } from '../ports/ledger.ts'
import type { Wallet } from '../ports/wallets.ts'
import { asHex } from '../values/tokens.ts'
import { smaller } from './average-cost.ts'
import { changesBy, type OwnWallet, ownMovements } from './own-transfers.ts'
import { defaultAgent } from './positions.ts'

type Needs = Pick<Ports, 'clock' | 'ledger' | 'outbox'>

/** The most transactions of a wallet without the gateway that are read; of more, the newest. */
const mostSent = 64

/** More blocks than a reorganisation replaces. */
const slack = 64n

/** The wallets of an account at a block, with their books. `busy` are those that cannot be booked now. */
type Wallets = {
  wallets: readonly Wallet[]
  books: ReadonlyMap<Hex, WalletBooks>
  busy: ReadonlySet<Hex>
  block: Head
}

/** The bookings to make; `traced` are the wallets whose other differences can be booked now, too. */
type Own = Pick<Found, 'bookings' | 'transfers' | 'traced'>

/**
 * Finds the transactions between an account's wallets and over the bridge that the gateway did not send. What a busy
 * wallet sent waits, because the books may not have what it sent yet, and so does every wallet that may have received it.
 */
export async function traceOwn(ports: Needs, chain: Chain, { wallets, books, busy, block }: Wallets): Promise<Own> {
  const tracks = new Map<Hex, Track>()
  for (const wallet of wallets) {
    const track = await trackOf(ports, chain, wallet, books, block)
    if (track.unknown.length > 0 && busy.has(asHex(wallet.address)))
      return { bookings: [], transfers: [], traced: new Map() }
    tracks.set(asHex(wallet.address), track)
  }
  const found: OwnTransaction[] = []
  for (const sent of await candidates(ports, chain, tracks, block)) {
    const own = await ownTransaction(ports, chain, tracks, sent)
    if (own !== null) found.push(own)
  }
  const waiting = waitingFor(busy, found)
  const bookable = found.filter(({ givers }) => !givers.some((giver) => waiting.has(giver)))
  const free = [...tracks].filter(([wallet]) => !waiting.has(wallet))
  return {
    bookings: bookable.map(({ booking }) => booking),
    transfers: bookable.map(({ booking: { reference, walletAddress }, sent, before }) => {
      return { reference, walletAddress, block: sent.blockNumber, blockHash: sent.blockHash, before }
    }),
    traced: new Map(free.map(([wallet, { before, after }]) => [wallet, { before, after }])),
  }
}

/** A wallet, how far it was traced, how far it is now, and the nonces in between that the gateway does not know. */
type Track = { wallet: Wallet; before: Traced | null; from: Traced; after: Traced; unknown: readonly number[] }

async function trackOf(
  { outbox }: Needs,
  chain: Chain,
  wallet: Wallet,
  books: ReadonlyMap<Hex, WalletBooks>,
  block: Head,
): Promise<Track> {
  const { address, fresh } = wallet
  const after = { block: block.number, nonce: await chain.nonce(address, block.number) }
  const before = books.get(asHex(address))?.traced ?? null
  // What a wallet sent before it came to this gateway is not in the books. A reorganisation may have put what it sends
  // now into a block before.
  const origin = fresh ? { block: 0n, nonce: 0 } : after
  const from = before === null ? origin : { ...before, block: before.block > slack ? before.block - slack : 0n }
  const taken = new Set(after.nonce > from.nonce ? await outbox.takenNonces(chain.info.id, address, from.nonce) : [])
  const used = Array.from({ length: Math.max(0, after.nonce - from.nonce) }, (_, index) => from.nonce + index)
  return { wallet, before, from, after, unknown: used.filter((nonce) => !taken.has(nonce)).slice(-mostSent) }
}

/** What the wallets sent, and what others moved between them, by block and without what is booked. */
async function candidates({ ledger }: Needs, chain: Chain, tracks: ReadonlyMap<Hex, Track>, block: Head) {
  const earliest = [...tracks.values()].reduce(
    (least, { before, from }) => smaller((before ?? from).block, least),
    block.number,
  )
  const isAlone = tracks.size < 2 || earliest === block.number
  const byOthers = isAlone ? [] : await chain.movedBetween([...tracks.keys()], earliest, block)
  // What the wallets sent themselves is found by its nonce, or is the gateway's.
  const all = byOthers.filter(({ from }) => !tracks.has(asHex(from)))
  for (const { wallet, unknown, from } of tracks.values())
    if (unknown.length > 0) all.push(...(await chain.sentBy(wallet.address, unknown, from, block)))
  const sent = new Map(all.map((one) => [ownReference(one.hash), one]))
  const booked = await ledger.booked([...sent.keys()])
  return [...sent]
    .flatMap(([reference, one]) => (booked.has(reference) || one.blockNumber > block.number ? [] : [one]))
    .sort((left, right) => Number(left.blockNumber - right.blockNumber) || left.index - right.index)
}

/** A transaction between own wallets with its booking; `before` is how far its wallet was traced. */
type OwnTransaction = {
  sent: SentTransaction
  booking: Booking
  /** Its wallets, and those of them that it takes from. */
  parties: readonly Hex[]
  givers: readonly Hex[]
  before: Traced
}

/** Null where it is none, or from before one of its wallets was traced: it is in the books of that one already. */
async function ownTransaction(
  { clock }: Needs,
  chain: Chain,
  tracks: ReadonlyMap<Hex, Track>,
  sent: SentTransaction,
): Promise<OwnTransaction | null> {
  const own: OwnWallet = (address) => (address === null ? null : (tracks.get(asHex(address))?.wallet.address ?? null))
  const movements = await ownMovements(chain, own, sent)
  const [giver] = movements.flatMap((movement) => (movement.kind === 'moved' ? [movement.from] : []))
  const track = tracks.get(asHex(own(sent.from) ?? giver ?? sent.from))
  if (movements.length === 0 || track === undefined) return null
  const { userId, address: walletAddress } = track.wallet
  const changes = movements.flatMap((movement) => changesBy(movement, walletAddress))
  const isNew = (wallet: Hex) => (tracks.get(asHex(wallet))?.from.block ?? sent.blockNumber) < sent.blockNumber
  if (!changes.every(({ wallet }) => isNew(wallet))) return null
  const parties = changes.map(({ wallet }) => asHex(wallet))
  const givers = parties.filter((_, index) => (changes[index]?.change ?? 0n) < 0n)
  const place = { userId, walletAddress, chainId: chain.info.id, agent: defaultAgent, at: clock.now() }
  const booking = { ...place, reference: ownReference(sent.hash), movements, trade: null }
  return { sent, booking, parties, givers, before: track.from }
}

/** The busy wallets, and all in a transaction that takes from one that waits. */
function waitingFor(busy: ReadonlySet<Hex>, found: readonly OwnTransaction[]): Set<Hex> {
  const waiting = new Set(busy)
  for (let before = -1; before < waiting.size; ) {
    before = waiting.size
    for (const { givers, parties } of found)
      if (givers.some((giver) => waiting.has(giver))) for (const one of parties) waiting.add(one)
  }
  return waiting
}
