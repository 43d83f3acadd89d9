import { useState } from 'preact/hooks'
import type { Execution, TradingExecuteOutput } from '../../../../generated/client/index.d.ts'
import { Action, useWork } from '../../parts/forms.tsx'
import { FailureNote } from '../../parts/loaded.tsx'
import { Amount, Moment } from '../../parts/values.tsx'
import { symbolAt } from '../../state/facts.ts'
import { route } from '../../state/routes.ts'
import { decide, isRead, waiting } from '../../state/waiting.ts'
import { AsOwner } from './password.tsx'

/** The trades that wait for the account; the one that the address names comes first. */
export function Waiting() {
  const { rest } = route.value
  const [outcome, setOutcome] = useState<TradingExecuteOutput | null>(null)
  const isNamed = ({ execution_id }: Execution) => execution_id === rest
  const all = [...waiting.value.filter(isNamed), ...waiting.value.filter((each) => !isNamed(each))]
  return (
    <section>
      <h2>Waiting for you</h2>
      {outcome !== null && (
        <p class="note" role="status">
          {outcome.message}
        </p>
      )}
      {isRead.value && outcome === null && rest !== '' && !all.some(isNamed) && (
        <p class="note" role="status">
          The trade of this link waits no longer: it was approved or declined, or its ten minutes are over.
        </p>
      )}
      {all.length === 0 ? (
        <p class="quiet">Nothing waits. A trade that you do not confirm within ten minutes is gone.</p>
      ) : (
        <AsOwner>
          {all.map((execution) => (
            <Card key={execution.execution_id} of={execution} onOutcome={setOutcome} />
          ))}
        </AsOwner>
      )}
    </section>
  )
}

function Card({ of, onOutcome }: { of: Execution; onOutcome: (outcome: TradingExecuteOutput) => void }) {
  const { chain_id, token_in_address, token_out_address, amount_in, minimum_out, awaits } = of
  const [sold, bought] = [symbolAt(chain_id, token_in_address), symbolAt(chain_id, token_out_address)]
  const work = useWork(async (approve: boolean) => onOutcome(await decide(of, approve)))
  return (
    <article class="card" aria-label={`Sell ${amount_in} ${sold}`}>
      <dl class="facts">
        <dt>You sell</dt>
        <dd>
          <Amount of={amount_in} unit={sold} show="whole" />
        </dd>
        {awaits !== undefined && (
          <>
            <dt>You receive about</dt>
            <dd>
              <Amount of={awaits.expected_out} unit={bought} />
            </dd>
          </>
        )}
        {minimum_out !== undefined && (
          <>
            <dt>At least</dt>
            <dd>
              <Amount of={minimum_out} unit={bought} show="down" />
            </dd>
          </>
        )}
        <dt>From wallet</dt>
        <dd>{of.wallet_ref}</dd>
        <dt>Agent</dt>
        <dd>{of.agent}</dd>
        <dt>Requested</dt>
        <dd>
          <Moment at={of.created_at} />
        </dd>
        {awaits !== undefined && (
          <>
            <dt>Gone at</dt>
            <dd>
              <Moment at={awaits.until} />
            </dd>
          </>
        )}
      </dl>
      {work.failure !== null && <FailureNote failure={work.failure} />}
      <div class="row">
        <Action class="primary" running={work.running} doing="Working" onClick={() => work.run(true)}>
          Approve
        </Action>
        <Action running={work.running} doing="Working" onClick={() => work.run(false)}>
          Decline
        </Action>
      </div>
    </article>
  )
}
