import { useState } from 'preact/hooks'
import type { TradingExecuteOutput } from '../../../../generated/client/index.d.ts'
import { gateway } from '../../gateway/client.ts'
import { Action, useWork } from '../../parts/forms.tsx'
import { FailureNote } from '../../parts/loaded.tsx'
import { Moment } from '../../parts/values.tsx'
import { tradeOfKey } from '../../state/account.ts'
import { answering, type Card, say } from '../../state/chat.ts'
import { QuoteFacts } from '../trade/quote-facts.tsx'
import { Findings } from '../trade/review.tsx'
import { Life } from '../trades/life.tsx'

type QuoteCardProps = {
  of: Extract<Card, { kind: 'quote' }>
  /** True where the answer offers it: the gateway trades no other quote from a chat. */
  isOffered: boolean
}

/**
 * A quote that the assistant shows. Confirm says the sentence that trades it, which nothing else in a chat does; the id of
 * the quote is then the key of the trade.
 */
export function QuoteCard({ of: { quote, swap, wallet }, isOffered }: QuoteCardProps) {
  const [result, setResult] = useState<TradingExecuteOutput | null>(null)
  const { quote_id, expires_at } = quote
  const simulation = useWork(async () => {
    if (swap === undefined) return
    const input = { ...swap, simulate_only: true }
    setResult(await gateway.trading.execute.mutate({ input, quote_id, wallet_ref: wallet }))
  })
  const trade = tradeOfKey(quote_id)
  if (trade !== undefined) return <Life trade={trade} />
  if (swap === undefined) return null
  return (
    <section class="card" aria-label="Quote">
      <QuoteFacts quote={quote} input={swap} wallet={wallet} />
      {quote.warning !== undefined && <p class="note bad">{quote.warning}</p>}
      {result !== null && <Findings result={result} chainId={swap.chain_id} />}
      {simulation.failure !== null && <FailureNote failure={simulation.failure} />}
      <div class="row">
        {isOffered && (
          <button type="button" class="primary" disabled={answering.value} onClick={() => say(`confirm ${quote_id}`)}>
            Confirm
          </button>
        )}
        <Action running={simulation.running} doing="Simulating" onClick={simulation.run}>
          Simulate
        </Action>
      </div>
      <p class="quiet">
        Valid until <Moment at={expires_at} />. Confirmed later, it is quoted anew and nothing is traded.
      </p>
    </section>
  )
}
