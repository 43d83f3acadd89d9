import type { contract } from '../../../contract/index.ts'
import { DomainError } from '../../core/errors.ts'
import type { Ports } from '../../ports/index.ts'
import type { StoredQuote } from '../../ports/trades.ts'
import { quote } from '../../quoting/quote.ts'
import { formatUnits } from '../../values/money.ts'
import { swapOfQuote } from '../../values/swap.ts'
import { chainOf, knownToken } from '../../values/tokens.ts'
import { assistantCall } from '../tools/assistant-call.ts'
import { type AnswerContext, dealText, type Shown, showFirst } from './offer.ts'

export type RenewPorts = keyof Parameters<typeof quote>[0] | 'offers'

/** Long enough for a slow chain. */
const timeoutMs = 20_000

export function isExpired({ clock }: Pick<Ports, 'clock'>, { quote: { expiresAt } }: Shown): boolean {
  return expiresAt <= clock.now()
}

/** Shows a new quote of the same swap in place of an expired one, and how the price changed. */
export async function* renew(
  ports: Pick<Ports, RenewPorts>,
  context: AnswerContext,
  { quote: old, offered: { walletRef } }: Shown,
  stopped: AbortSignal,
): AsyncGenerator<string> {
  yield `The quote ${old.id} expired at ${old.expiresAt.toISOString().slice(11, 19)} UTC, and nothing was traded. `
  const fresh = await quoteAgain(ports, context, old, walletRef).catch((failure: unknown) => {
    if (failure instanceof DomainError) return failure
    throw failure
  })
  if (fresh instanceof DomainError) {
    yield `There is no new quote: ${fresh.message}`
    return
  }
  yield `${changeText(ports, old, fresh)}\n`
  yield* showFirst(ports, context, { quote: fresh, walletRef }, stopped)
}

async function quoteAgain(
  ports: Pick<Ports, RenewPorts>,
  { userId, sessionId, grant }: AnswerContext,
  old: StoredQuote,
  walletRef: string | null,
): Promise<StoredQuote> {
  const input = { input: swapOfQuote(old), ...(walletRef === null ? {} : { wallet_ref: walletRef }) }
  const call = assistantCall<typeof contract.trading.quote>({ userId, sessionId, grant }, ports.clock.limit(timeoutMs))
  const { quote_id: id } = await quote(ports, input, call)
  const fresh = await ports.quotes.find(userId, id)
  if (fresh === null) throw call.fail('UNAVAILABLE', 'The new quote was not stored. Ask for it again.')
  return fresh
}

/** How much more or less the same amount buys; where the amount changed too, the old deal. */
function changeText(ports: Pick<Ports, 'chains'>, old: StoredQuote, fresh: StoredQuote): string {
  if (old.amountIn !== fresh.amountIn) return `The expired quote was ${dealText(ports, old)}.`
  const change = fresh.expectedOut - old.expectedOut
  if (change === 0n) return 'The price has not changed.'
  const token = knownToken(chainOf(ports.chains, old.chainId, 'quote'), old.tokenOut)
  const size = change < 0n ? -change : change
  const bps = old.expectedOut === 0n ? 0n : (size * 10_000n) / old.expectedOut
  const amount = `${formatUnits(size, token?.decimals ?? 0)} ${token?.symbol ?? old.tokenOut}`
  return `It gives ${amount} ${change < 0n ? 'less' : 'more'} than before (${bps} bps).`
}
