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

/** The wallets of an account at a block, with their books. `busy` are those that cannot be booked now. */
type Wallets = {
  wallets: readonly Wallet[]
  books: ReadonlyMap<Hex, WalletBooks>
  busy: ReadonlySet<Hex>
  block: Head
}

/** The bookings to make; `traced` are the wallets whose other differences can be booked now, too. */
type Own = Pick<Found, 'bookings' | 'transfers' | 'traced'>

/** Finds the transactions between an account's wallets and over the bridge that the gateway did not send. */
export async function traceOwn(ports: Needs, chain: Chain, { wallets, books, busy, block }: Wallets): Promise<Own> {
  const tracks = new Map<Hex, Track>()
  for (const wallet of wallets) tracks.set(asHex(wallet.address), await trackOf(ports, chain, wallet, books, block))
  const found: OwnTransaction[] = []
  for (const sent of await candidates(ports, chain, tracks, block)) {
    const own = await ownTransaction(ports, chain, tracks, sent)
    if (own !== null) found.push(own)
  }
  const held = heldBack(busy, found)
  const bookable = found.filter(({ parties }) => !parties.some((party) => held.has(party)))
  const free = [...tracks].filter(([wallet]) => !held.has(wallet))
  return {
    bookings: bookable.map(({ booking }) => booking),
    transfers: bookable.map(({ booking: { reference, walletAddress }, sent, before }) => {
      return { reference, walletAddress, block: sent.blockNumber, blockHash: sent.blockHash, before }
    }),
    traced: new Map(free.map(([wallet, { before, after }]) => [wallet, { before, after }])),
  }
}

/** A wallet, how far it was traced, how far it is now, and what it sent in between without the gateway. */
type Track = { wallet: Wallet; before: Traced | null; from: Traced; after: Traced; sent: readonly SentTransaction[] }

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
  // What a wallet sent before it came to this gateway is not in the books.
  const from = before ?? (fresh ? { block: 0n, nonce: 0 } : after)
  const taken = new Set(after.nonce > from.nonce ? await outbox.takenNonces(chain.info.id, address, from.nonce) : [])
  const used = Array.from({ length: Math.max(0, after.nonce - from.nonce) }, (_, index) => from.nonce + index)
  const others = used.filter((nonce) => !taken.has(nonce)).slice(-mostSent)
  const sent = others.length === 0 ? [] : ((await chain.sentBy(address, others, from, block)) ?? [])
  return { wallet, before, from, after, sent }
}

/** What the wallets sent, and what others moved between them, by block and without what is booked. */
async function candidates({ ledger }: Needs, chain: Chain, tracks: ReadonlyMap<Hex, Track>, block: Head) {
  const earliest = [...tracks.values()].reduce((least, { from }) => smaller(from.block, least), block.number)
  const isAlone = tracks.size < 2 || earliest === block.number
  const byOthers = isAlone ? null : await chain.movedBetween([...tracks.keys()], earliest, block)
  const all = [...[...tracks.values()].flatMap(({ sent }) => sent), ...(byOthers ?? [])]
  const sent = new Map(all.map((one) => [referenceOf(one.hash), one]))
  const booked = await ledger.booked([...sent.keys()])
  return [...sent]
    .flatMap(([reference, one]) => (booked.has(reference) ? [] : [one]))
    .sort((left, right) => Number(left.blockNumber - right.blockNumber))
}

/** A transaction between own wallets with its booking and the wallets in it; `before` is how far its wallet was traced. */
type OwnTransaction = { sent: SentTransaction; booking: Booking; parties: readonly Hex[]; before: Traced }

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
  const parties = movements.flatMap((movement) => changesBy(movement, walletAddress).map(({ wallet }) => asHex(wallet)))
  if (parties.some((party) => (tracks.get(party)?.from.block ?? sent.blockNumber) >= sent.blockNumber)) return null
  const place = { userId, walletAddress, chainId: chain.info.id, agent: defaultAgent, at: clock.now() }
  const booking = { ...place, reference: referenceOf(sent.hash), movements, trade: null }
  return { sent, booking, parties, before: track.from }
}

function referenceOf(hash: Hex): string {
  return `own:${hash.toLowerCase()}`
}

/** The busy wallets, and all that exchanged something with them, directly or through others. */
function heldBack(busy: ReadonlySet<Hex>, found: readonly { parties: readonly Hex[] }[]): Set<Hex> {
  const held = new Set(busy)
  for (let before = -1; before < held.size; ) {
    before = held.size
    for (const { parties } of found)
      if (parties.some((party) => held.has(party))) for (const party of parties) held.add(party)
  }
  return held
}
