import type { contract } from '../../contract/index.ts'
import { bounds } from '../../contract/shared/limits.ts'
import type { OutputOf } from '../../contract/shared/operation.ts'
import { DomainError } from '../core/errors.ts'
import type { Handler } from '../core/handler.ts'
import type { VenueNeeds } from '../policies/trade-policy.ts'
import type { Chain, Head } from '../ports/chains.ts'
import { presentPrice, priceSwap, quotingWallet, requireVenue } from '../quoting/quote.ts'
import { readSwap } from '../values/swap.ts'
import { chainOf } from '../values/tokens.ts'

type Watch = typeof contract.trading.watchQuote
type Event = OutputOf<Watch>

/** The price of a swap and its block. */
export type Priced = { event: Event; block: Head }

/** The price of a swap now and at each new block, until ten minutes are over. Nothing is stored. */
export const watchQuote: Handler<Watch, 'chains' | 'clock' | 'wallets' | VenueNeeds> = async (ports, request, call) => {
  const chain = chainOf(ports.chains, request.input.chain_id, 'input.chain_id')
  const wallet = await quotingWallet(ports, request.wallet_ref, call)
  async function price(): Promise<Priced> {
    const swap = await readSwap(ports.chains, request.input)
    const { price, block } = await priceSwap(ports, { userId: call.principal.userId, swap, wallet }, call.fail)
    await requireVenue(ports, price, wallet, call.fail)
    return { event: { ...presentPrice(price, ports.chains), block_number: Number(block.number) }, block }
  }
  const over = AbortSignal.any([call.signal, ports.clock.limit(bounds.liveQuotes.ms)])
  // From before the first price on, so that no block between the two is missed.
  const blocks = newBlocks(chain, over)
  try {
    return prices(blocks, { first: await price(), price }, over)
  } catch (failure) {
    blocks[Symbol.dispose]()
    throw failure
  }
}

/** Blocks in a row whose price cannot be read before the stream fails, because nodes fail now and then. */
const mostFailures = 3

/** The first price, then that of each new block. */
export async function* prices(
  newBlocks: NewBlocks,
  { first, price }: { first: Priced; price: () => Promise<Priced> },
  over: AbortSignal,
): AsyncGenerator<Event> {
  using blocks = newBlocks
  let shown = first
  let failures = 0
  yield first.event
  for (let head = await blocks.next(); head !== null; head = await blocks.next()) {
    if (head.hash === shown.block.hash) continue
    try {
      const next = await price()
      failures = 0
      if (over.aborted) return
      if (next.block.hash === shown.block.hash) continue
      shown = next
    } catch (failure) {
      failures += 1
      if (failures === mostFailures || !mayPass(failure)) throw failure
      continue
    }
    yield shown.event
  }
}

function mayPass(failure: unknown): boolean {
  return failure instanceof DomainError && (failure.code === 'UNAVAILABLE' || failure.code === 'DEADLINE_EXCEEDED')
}

type NewBlocks = Disposable & { next(): Promise<Head | null> }

/** The newest block since the last call, as soon as there is one; those between are skipped. Null once it is over. */
export function newBlocks(chain: Pick<Chain, 'onBlock'>, over: AbortSignal): NewBlocks {
  let newest: Head | null = null
  let wake = () => {}
  const stop = chain.onBlock((head) => {
    newest = head
    wake()
  })
  const end = () => {
    stop() // also where the blocks are never asked for
    wake()
  }
  over.addEventListener('abort', end)
  return {
    async next() {
      if (newest === null && !over.aborted)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      const head = over.aborted ? null : newest
      newest = null
      return head
    },
    [Symbol.dispose]() {
      stop()
      over.removeEventListener('abort', end)
    },
  }
}
