import { useEffect, useState } from 'preact/hooks'
import type { Quote, TradeTransaction, TradingExecuteOutput } from '../../../../generated/client/index.d.ts'
import { gateway } from '../../gateway/client.ts'
import { Action, useWork } from '../../parts/forms.tsx'
import { FailureNote } from '../../parts/loaded.tsx'
import { Moment } from '../../parts/values.tsx'
import { note, tradeOfKey } from '../../state/account.ts'
import { chainOf } from '../../state/facts.ts'
import { Life } from '../trades/life.tsx'
import type { Order } from './order.ts'
import { QuoteFacts } from './quote-facts.tsx'
import { Risk } from './risk.tsx'

/** A simulated order: its quote, what the simulation says, and the key by which a confirmation trades once. */
export type Simulated = { order: Order; quote: Quote; result: TradingExecuteOutput; key: string }

/** Takes a quote of an order and simulates it. */
export async function simulate(order: Order): Promise<Simulated> {
  const quote = await gateway.trading.quote.mutate(order)
  const input = { ...order.input, simulate_only: true }
  const result = await gateway.trading.execute.mutate({ input, wallet_ref: order.wallet_ref, quote_id: quote.quote_id })
  return { order, quote, result, key: newKey() }
}

/** What a simulated order would do and sign; confirmed, what becomes of it. */
export function Review({ simulated, again }: { simulated: Simulated; again: () => void }) {
  const { order, quote, result, key } = simulated
  const confirm = useWork(async () => {
    const input = { ...order.input, simulate_only: false }
    const { wallet_ref } = order
    // The same key whenever it is pressed again: it never trades twice.
    const done = await gateway.trading.execute.mutate({
      input,
      wallet_ref,
      quote_id: quote.quote_id,
      confirm: true,
      idempotency_key: key,
    })
    setOutcome(done)
    // The stream brings it too, where it is not cut.
    const { execution_id } = done
    if (execution_id !== undefined) note(await gateway.trading.getExecution.query({ execution_id }))
  })
  const [outcome, setOutcome] = useState<TradingExecuteOutput | null>(null)
  const expired = useExpired(quote.expires_at)
  const trade = tradeOfKey(key)
  if (trade !== undefined) return <Life trade={trade} />
  const passed = result.status === 'simulated'
  return (
    <section class="card" aria-label="Simulation">
      <h2>Simulation</h2>
      <p role="status">
        <b class={passed ? 'gain' : 'loss'}>{passed ? 'It would succeed.' : 'It would not be traded.'}</b>{' '}
        {result.message}
      </p>
      <QuoteFacts quote={quote} input={order.input} />
      {result.risk !== undefined && <Risk report={result.risk} label="Risk of the simulation" />}
      {result.transactions !== undefined && (
        <Signed transactions={result.transactions} chainId={order.input.chain_id} />
      )}
      {outcome !== null && (
        <p class={outcome.status === 'success' || outcome.status === 'pending' ? 'note' : 'note bad'}>
          {outcome.message}
        </p>
      )}
      {confirm.failure !== null && <FailureNote failure={confirm.failure} />}
      <div class="row">
        {passed && !expired && outcome === null && (
          <Action class="primary" running={confirm.running} doing="Trading" onClick={confirm.run}>
            Confirm trade
          </Action>
        )}
        {!confirm.running && (
          <button type="button" onClick={again}>
            Simulate again
          </button>
        )}
      </div>
      {passed && (
        <p class="quiet">
          {expired ? 'The quote has expired.' : 'The quote is valid until'} <Moment at={quote.expires_at} />
        </p>
      )}
    </section>
  )
}

/** Whether a simulated trade would succeed, why, and what it would sign. */
export function Findings({ result, chainId }: { result: TradingExecuteOutput; chainId: number }) {
  const passed = result.status === 'simulated'
  return (
    <>
      <p role="status">
        <b class={passed ? 'gain' : 'loss'}>{passed ? 'It would succeed.' : 'It would not be traded.'}</b>{' '}
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

/** True from a moment on. */
export function useExpired(moment: string): boolean {
  const [expired, setExpired] = useState(false)
  useEffect(() => {
    setExpired(false)
    const timer = setTimeout(() => setExpired(true), Date.parse(moment) - Date.now())
    return () => clearTimeout(timer)
  }, [moment])
  return expired
}

/** A key that nobody guesses. crypto.randomUUID is missing on plain http except on this machine. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return `console-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
