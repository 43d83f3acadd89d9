import { useState } from 'preact/hooks'
import type { Quote, QuotedSwap, TradingExecuteOutput } from '../../../../generated/client/index.d.ts'
import { gateway } from '../../gateway/client.ts'
import { Action, useWork } from '../../parts/forms.tsx'
import { FailureNote } from '../../parts/loaded.tsx'
import { Moment } from '../../parts/values.tsx'
import { tradeOfKey } from '../../state/account.ts'
import { answering, say } from '../../state/chat.ts'
import { QuoteFacts } from '../trade/quote-facts.tsx'
import { Findings, useExpired } from '../trade/review.tsx'
import { Life } from '../trades/life.tsx'

/**
 * A quote that the assistant shows. Confirm says the sentence that trades it, which nothing else in a chat does; the id of
 * the quote is then the key of the trade.
 */
export function QuoteCard({ quote, swap }: { quote: Quote; swap: QuotedSwap }) {
  const [result, setResult] = useState<TradingExecuteOutput | null>(null)
  const { quote_id, expires_at } = quote
  const simulation = useWork(async () => {
    setResult(await gateway.trading.execute.mutate({ input: { ...swap, simulate_only: true }, quote_id }))
  })
  const expired = useExpired(expires_at)
  const trade = tradeOfKey(quote_id)
  if (trade !== undefined) return <Life trade={trade} />
  return (
    <section class="card" aria-label="Quote">
      <QuoteFacts quote={quote} input={swap} />
      {quote.warning !== undefined && <p class="note bad">{quote.warning}</p>}
      {result !== null && <Findings result={result} chainId={swap.chain_id} />}
      {simulation.failure !== null && <FailureNote failure={simulation.failure} />}
      {!expired && (
        <div class="row">
          <button type="button" class="primary" disabled={answering.value} onClick={() => say(`confirm ${quote_id}`)}>
            Confirm
          </button>
          <Action running={simulation.running} doing="Simulating" onClick={simulation.run}>
            Simulate
          </Action>
        </div>
      )}
      <p class="quiet">
        {expired ? 'Expired' : 'Valid until'} <Moment at={expires_at} />
        {expired && '. Ask for it again to trade.'}
      </p>
    </section>
  )
}
