import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Execution, TradingExecuteOutput } from '../../../../generated/client/index.d.ts'
import type { Failure } from '../../gateway/failures.ts'
import { Action, useWork } from '../../parts/forms.tsx'
import { FailureNote } from '../../parts/loaded.tsx'
import { Amount, Moment, Usd } from '../../parts/values.tsx'
import { symbolAt } from '../../state/facts.ts'
import { route } from '../../state/routes.ts'
import { decide, isRead, type RiskWord, waiting } from '../../state/waiting.ts'
import { percentOfBps } from '../../values/decimal.ts'
import { Risk } from '../trade/risk.tsx'
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
        <p class="quiet">Nothing waits. A trade that you do not confirm within ten minutes is over.</p>
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
  // The level that was agreed to: another one, after a refusal, is agreed to anew.
  const [accepted, setAccepted] = useState<string | null>(null)
  const work = useWork(async (approve: boolean, accepts: RiskWord[]) => onOutcome(await decide(of, approve, accepts)))
  const level = levelIn(work.failure) ?? of.awaits?.risk?.level
  const needed: RiskWord[] = level === 'high' || level === 'unknown' ? [`risk_${level}`] : []
  const sale = `${of.amount_in} ${symbolAt(of.chain_id, of.token_in_address)}`
  return (
    <article class="card" aria-label={`Sell ${sale}`}>
      <Deal of={of} />
      {of.awaits?.risk !== undefined && <Risk report={of.awaits.risk} label={`Risk of selling ${sale}`} />}
      {of.awaits?.risk_skipped === true && <p class="warn">The agent asked to trade whatever the risk.</p>}
      {needed.length > 0 && (
        <label class="check">
          <input
            type="checkbox"
            checked={accepted === level}
            onChange={(event) => setAccepted(event.currentTarget.checked ? (level ?? null) : null)}
          />{' '}
          I trade although the risk is {level}
        </label>
      )}
      {work.failure !== null && <FailureNote failure={work.failure} />}
      <div class="row">
        <Action
          class="primary"
          running={work.running}
          doing="Working"
          disabled={needed.length > 0 && accepted !== level}
          onClick={() => work.run(true, needed)}
        >
          Approve
        </Action>
        <Action running={work.running} doing="Working" onClick={() => work.run(false, [])}>
          Decline
        </Action>
      </div>
    </article>
  )
}

/** The level of risk that an approval has to accept, where one was refused for it. */
function levelIn(failure: Failure | null): 'high' | 'unknown' | null {
  const [, level] = /must have risk_(high|unknown)/.exec(failure?.fields.acknowledge ?? '') ?? []
  return (level as 'high' | 'unknown' | undefined) ?? null
}

/** What is sold and bought, what it is worth, and who asks. */
function Deal({ of }: { of: Execution }) {
  const { chain_id, token_in_address, token_out_address, amount_in, minimum_out, awaits } = of
  const [sold, bought] = [symbolAt(chain_id, token_in_address), symbolAt(chain_id, token_out_address)]
  return (
    <dl class="facts">
      <Fact of="You sell" value={<Amount of={amount_in} unit={sold} show="whole" />} />
      <Fact of="You receive about" value={awaits && <Amount of={awaits.expected_out} unit={bought} />} />
      <Fact of="At least" value={minimum_out && <Amount of={minimum_out} unit={bought} show="down" />} />
      {awaits !== undefined && <Worth of={awaits} />}
      <Fact of="From wallet" value={`${of.wallet_ref} on ${awaits?.chain_name ?? chain_id}`} />
      <Fact of="Session that asks" value={awaits?.session && sessionText(awaits.session)} />
      <Fact of="Label that it chose" value={of.agent} />
      <Fact of="Requested" value={<Moment at={of.created_at} />} />
      <Fact of="Gone at" value={awaits && <Moment at={awaits.until} />} />
    </dl>
  )
}

/** A session by its name, which it may have chosen itself, and the beginning of its id, which it has not. */
function sessionText({ name, session_id }: { name: string; session_id: string }): string {
  return `${name} (${session_id.slice(0, 8)})`.trim()
}

/** What a trade is worth, how far its price is from others, and what the caps leave. */
function Worth({ of }: { of: NonNullable<Execution['awaits']> }) {
  const { session_daily: ofSession, account_daily: ofAccount } = of.caps_left_usd
  const percent = (bps: number | undefined) => bps !== undefined && `${percentOfBps(Math.round(bps))} %`
  return (
    <>
      <Fact of="Worth" value={<Usd of={of.value_usd_decimal ?? null} />} />
      <Fact of="Less than by the price feeds" value={percent(of.price_deviation_bps)} />
      <Fact of="It moves the price by" value={percent(of.price_impact_bps)} />
      <Fact of="Slippage that it allows" value={percent(of.slippage_bps)} />
      <Fact of="The session may still trade today" value={ofSession !== undefined && <Usd of={String(ofSession)} />} />
      <Fact of="The account may still trade today" value={ofAccount !== undefined && <Usd of={String(ofAccount)} />} />
    </>
  )
}

/** A term and its value; nothing without a value. */
function Fact({ of, value }: { of: string; value: ComponentChildren }) {
  if (value === undefined || value === false || value === '') return null
  return (
    <>
      <dt>{of}</dt>
      <dd>{value}</dd>
    </>
  )
}
