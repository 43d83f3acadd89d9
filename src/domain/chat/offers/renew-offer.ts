import type { contract } from '../../../contract/index.ts'
import { DomainError } from '../../core/errors.ts'
import { timeLimit } from '../../core/time-limit.ts'
import type { Ports } from '../../ports/index.ts'
import type { StoredQuote } from '../../ports/trades.ts'
import { quote } from '../../quoting/quote.ts'
import { formatUnits } from '../../values/money.ts'
import { swapAsked } from '../../values/swap.ts'
import { chainOf, knownToken } from '../../values/tokens.ts'
import { assistantCall } from '../tools/assistant-call.ts'
import { type Answered, dealText, type Shown, show } from './offer.ts'

export type RenewPorts = keyof Parameters<typeof quote>[0] | 'offers'

/** Long enough for a chain that is slow. */
const patienceMs = 20_000

export function ranOut({ clock }: Pick<Ports, 'clock'>, { quote: { expiresAt } }: Shown): boolean {
  return expiresAt <= clock.now()
}

/** Shows the same swap at its present price in the place of a quote that ran out, and what has changed. */
export async function* renew(
  ports: Pick<Ports, RenewPorts>,
  caller: Answered,
  { quote: old, offered: { walletRef } }: Shown,
  stopped: AbortSignal,
): AsyncGenerator<string> {
  yield `The quote ${old.id} ran out at ${old.expiresAt.toISOString().slice(11, 19)} UTC, and nothing was traded. `
  const fresh = await quoteAgain(ports, caller, old, walletRef).catch((failure: unknown) => {
    if (failure instanceof DomainError) return failure
    throw failure
  })
  if (fresh instanceof DomainError) {
    yield `There is no new one: ${fresh.message}`
    return
  }
  yield `${changeText(ports, old, fresh)}\n`
  yield* show(ports, fresh, { answerId: caller.answerId, walletRef }, stopped)
}

async function quoteAgain(
  ports: Pick<Ports, RenewPorts>,
  caller: { userId: number; sessionId: string },
  old: StoredQuote,
  walletRef: string | null,
): Promise<StoredQuote> {
  const input = { input: swapAsked(old), ...(walletRef === null ? {} : { wallet_ref: walletRef }) }
  const call = assistantCall<typeof contract.trading.quote>(caller, timeLimit(patienceMs))
  const { quote_id: id } = await quote(ports, input, call)
  const fresh = await ports.quotes.find(caller.userId, id)
  if (fresh === null) throw call.fail('UNAVAILABLE', 'The new quote was lost; ask for it again.')
  return fresh
}

/** What the same amount buys now against before; where the amount is another one too, what both were. */
function changeText(ports: Pick<Ports, 'chains'>, old: StoredQuote, fresh: StoredQuote): string {
  if (old.amountIn !== fresh.amountIn) return `Before it was ${dealText(ports, old)}.`
  const change = fresh.expectedOut - old.expectedOut
  if (change === 0n) return 'It is the same as before.'
  const token = knownToken(chainOf(ports.chains, old.chainId, 'quote'), old.tokenOut)
  const size = change < 0n ? -change : change
  const bps = old.expectedOut === 0n ? 0n : (size * 10_000n) / old.expectedOut
  const amount = `${formatUnits(size, token?.decimals ?? 0)} ${token?.symbol ?? old.tokenOut}`
  return `It gives ${amount} ${change < 0n ? 'less' : 'more'} than before (${bps} bps).`
}
