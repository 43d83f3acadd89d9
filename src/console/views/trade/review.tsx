import { useEffect, useRef } from 'preact/hooks'
import type { TradeTransaction, TradingExecuteOutput } from '../../../../generated/client/index.d.ts'
import { Action } from '../../parts/forms.tsx'
import { FailureNote } from '../../parts/loaded.tsx'
import { Moment } from '../../parts/values.tsx'
import { tradeOfKey } from '../../state/account.ts'
import { chainOf } from '../../state/facts.ts'
import { Life } from '../trades/life.tsx'
import type { Order } from './order.ts'
import { QuoteFacts } from './quote-facts.tsx'
import { confirmReviewed, type Reviewed } from './reviewed.ts'
import { Risk } from './risk.tsx'

type ReviewProps = {
  of: Reviewed
  /** The order that the form has now. */
  form: Order | null
  again: () => void
}

/** What a simulated order would do and sign; confirmed, what becomes of it. */
export function Review({ of, form, again }: ReviewProps) {
  const { order, quote, result, key, stage, failure, outcome } = of
  const trade = tradeOfKey(key)
  const place = useRef<HTMLElement>(null)
  // The result stands below the form: the eye and the keyboard are led to it.
  useEffect(() => {
    place.current?.focus()
  }, [])
  if (trade !== undefined)
    return (
      <section class="card" ref={place} tabIndex={-1}>
        <Life trade={trade} />
      </section>
    )
  const isOther = JSON.stringify(form) !== JSON.stringify(order)
  return (
    <section class="card" aria-label="Simulation" ref={place} tabIndex={-1}>
      <h2>Simulation</h2>
      {isOther && (
        <p class="note">The form has changed since. Simulate again to trade what it says. This was simulated:</p>
      )}
      <QuoteFacts quote={quote} input={order.input} wallet={order.wallet_ref} />
      <Findings result={result} chainId={order.input.chain_id} />
      {outcome !== null && <p class="note">{outcome.message}</p>}
      {failure !== null && <FailureNote failure={failure} />}
      {stage === 'unsure' && (
        <p class="note bad">
          Whether it was traded is not known. Press Confirm again: the same trade is never made twice.
        </p>
      )}
      <div class="row">
        {wouldTrade(result) && stage !== 'answered' && (!isOther || stage === 'unsure') && (
          <Action class="primary" running={stage === 'trading'} doing="Trading" onClick={confirmReviewed}>
            {stage === 'unsure' ? 'Confirm again' : 'Confirm trade'}
          </Action>
        )}
        {(stage === 'open' || stage === 'answered') && (
          <button type="button" onClick={again}>
            Simulate again
          </button>
        )}
      </div>
      <p class="quiet">
        The quote is valid until <Moment at={quote.expires_at} />.
      </p>
    </section>
  )
}

/** True of a simulation that a real trade would pass: what it would sign is there. */
export function wouldTrade({ status, transactions }: TradingExecuteOutput): boolean {
  return status === 'simulated' && transactions !== undefined
}

/** Whether a simulated trade would be made, why, and what it would sign. */
export function Findings({ result, chainId }: { result: TradingExecuteOutput; chainId: number }) {
  const passes = wouldTrade(result)
  return (
    <>
      <p role="status">
        <b class={passes ? 'gain' : 'loss'}>{passes ? 'It would succeed.' : 'It would not be traded.'}</b>{' '}
        {result.message}
      </p>
      {result.risk !== undefined && <Risk report={result.risk} label="Risk of the simulation" />}
      {result.transactions !== undefined && <Signed transactions={result.transactions} chainId={chainId} />}
    </>
  )
}

/** What would be signed, in order. */
function Signed({ transactions, chainId }: { transactions: readonly TradeTransaction[]; chainId: number }) {
  const native = chainOf(chainId)?.native_symbol ?? ''
  return (
    <section aria-label="What will be signed">
      <p>
        <b>What will be signed</b>
      </p>
      <ol>
        {transactions.map(({ to, value, data, function: name, purpose }) => (
          <li key={data}>
            {purpose}
            <details>
              <summary>
                <code>{name}</code>
              </summary>
              <dl class="facts">
                <dt>Contract</dt>
                <dd>
                  <code class="whole">{to}</code>
                </dd>
                <dt>Value</dt>
                <dd>
                  {value} {native}
                </dd>
                <dt>Data</dt>
                <dd>
                  <code class="whole">{data}</code>
                </dd>
              </dl>
            </details>
          </li>
        ))}
      </ol>
    </section>
  )
}
