import type { Execution, TimelineStep } from '../../../../generated/client/index.d.ts'
import { gateway } from '../../gateway/client.ts'
import { Shown, useLoaded } from '../../parts/loaded.tsx'
import { Amount, Hash, Moment } from '../../parts/values.tsx'
import { chainOf, symbolAt } from '../../state/facts.ts'
import { tradeHash } from '../../state/routes.ts'
import { plainWord } from '../../values/words.ts'

const tones = { success: 'gain', failed: 'loss', rejected: 'loss', pending: 'warn', simulated: '' } as const

/** The outcome of a trade as a word with its colour. */
export function Status({ of: { status, state } }: { of: Execution }) {
  return (
    <b class={tones[status]}>
      {status}
      {state !== status && `, ${plainWord(state)}`}
    </b>
  )
}

/** What a trade sold and bought, in one line. */
export function Swap({ of }: { of: Execution }) {
  const { chain_id, amount_in, token_in_address, token_out_address, fill } = of
  const [sold, bought] = [symbolAt(chain_id, token_in_address), symbolAt(chain_id, token_out_address)]
  return (
    <span>
      <Amount of={fill?.amount_in ?? amount_in} unit={sold} /> →{' '}
      {fill === undefined ? bought : <Amount of={fill.amount_out} unit={bought} />}
    </span>
  )
}

/** The life of a trade: what it is now, and each step with its time and reason. It moves on by itself. */
export function Life({ trade }: { trade: Execution }) {
  const { execution_id, state, updated_at } = trade
  const timeline = useLoaded(
    () => gateway.trading.getTimeline.query({ execution_id }),
    [execution_id, state, updated_at],
  )
  return (
    <section aria-label="Life of the trade">
      <p role="status">
        <Status of={trade} />: {trade.message}
      </p>
      <Facts trade={trade} />
      <Shown of={timeline} what="its steps">
        {({ steps }) => (
          <ol class="timeline">
            {steps.map((step, index) => (
              <Step key={`${index}-${step.step}`} step={step} trade={trade} />
            ))}
          </ol>
        )}
      </Shown>
    </section>
  )
}

function Facts({ trade }: { trade: Execution }) {
  const { fill, chain_id, minimum_out, token_out_address, explorer_url, tx_hash } = trade
  return (
    <dl class="facts">
      <dt>Swap</dt>
      <dd>
        <Swap of={trade} />
      </dd>
      {minimum_out !== undefined && (
        <>
          <dt>At least</dt>
          <dd>
            <Amount of={minimum_out} unit={symbolAt(chain_id, token_out_address)} show="down" />
          </dd>
        </>
      )}
      {fill !== undefined && (
        <>
          <dt>Gas of the swap</dt>
          <dd>
            <Amount of={fill.fee_native} unit={chainOf(chain_id)?.native_symbol ?? ''} />, block {fill.block_number}
          </dd>
        </>
      )}
      {tx_hash !== undefined && (
        <>
          <dt>Transaction</dt>
          <dd>
            <Hash of={tx_hash} href={explorer_url} />
          </dd>
        </>
      )}
      <dt>Wallet</dt>
      <dd>{trade.wallet_ref}</dd>
      <dt>Session that asked</dt>
      <dd>{trade.session_id ?? 'not recorded'}</dd>
      <dt>Label that it chose</dt>
      <dd>{trade.agent}</dd>
      <dt>Trade</dt>
      <dd>
        <a href={tradeHash(trade.execution_id)}>{trade.execution_id}</a>
      </dd>
    </dl>
  )
}

function Step({ step: { step, at, message, nonce, tx_hash }, trade }: { step: TimelineStep; trade: Execution }) {
  // The explorer of the swap has its other transactions too.
  const page = tx_hash === undefined ? undefined : trade.explorer_url?.replace(trade.tx_hash ?? tx_hash, tx_hash)
  return (
    <li class={step === 'failed' || step === 'reorganised' ? 'bad' : ''}>
      <b>{plainWord(step)}</b> <Moment at={at} />
      <br />
      {message}
      {nonce !== undefined && ` Nonce ${nonce}.`} {tx_hash !== undefined && <Hash of={tx_hash} href={page} />}
    </li>
  )
}
