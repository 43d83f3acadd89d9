import { useState } from 'preact/hooks'
import type { GrantInput } from '../../../../generated/client/index.d.ts'
import { gateway, withToken } from '../../gateway/client.ts'
import { Action, Copy, Field, useWork } from '../../parts/forms.tsx'
import { FailureNote } from '../../parts/loaded.tsx'
import { Moment } from '../../parts/values.tsx'
import { ownerToken } from '../../state/owner.ts'
import { isDecimal } from '../../values/decimal.ts'
import { AsOwner } from './password.tsx'

/** The session that was made for an agent; its token is shown once. */
type Made = { token: string; until: string; warning: string | undefined }

/** Makes a session for an agent that may do only what is chosen. */
export function Connect() {
  const [made, setMade] = useState<Made | null>(null)
  return (
    <section>
      <h2>Connect an agent</h2>
      {made !== null && <Token of={made} done={() => setMade(null)} />}
      <AsOwner>
        <Form onMade={setMade} />
      </AsOwner>
    </section>
  )
}

function Form({ onMade }: { onMade: (made: Made) => void }) {
  const [trades, setTrades] = useState(true)
  const [perTrade, setPerTrade] = useState('100')
  const [perDay, setPerDay] = useState('500')
  const [above, setAbove] = useState('0')
  const work = useWork(async () => {
    const grant: GrantInput = trades
      ? {
          scopes: ['read', 'trade'],
          ...limits({ max_trade_usd: perTrade, max_daily_usd: perDay, confirm_above_usd: above }),
        }
      : { scopes: ['read'], confirm_above_usd: 0 } // MCP serves no session without the threshold
    const session = await gateway.auth.createSession.mutate({ grant, name: 'Agent' }, withToken(ownerToken()))
    const { token, warning } = session
    onMade({ token: token.access_token, until: token.expires_at, warning })
  })
  return (
    <form
      class="stack narrow"
      onSubmit={(event) => {
        event.preventDefault()
        void work.run()
      }}
    >
      <label class="check">
        <input type="checkbox" checked={trades} onChange={(event) => setTrades(event.currentTarget.checked)} /> It may
        trade, not only read
      </label>
      {trades && (
        <>
          <UsdField
            label="At most for one trade, in US dollars; empty: no cap of its own"
            value={perTrade}
            onText={setPerTrade}
          />
          <UsdField
            label="At most in 24 hours, in US dollars; empty: no cap of its own"
            value={perDay}
            onText={setPerDay}
          />
          <UsdField
            label="You confirm each trade worth more than this, in US dollars; 0: every trade; empty: no trade, and no MCP"
            value={above}
            onText={setAbove}
          />
        </>
      )}
      {work.failure !== null && <FailureNote failure={work.failure} />}
      <Action running={work.running} doing="Making its session" disabled={[perTrade, perDay, above].some(wrong)}>
        Make a session for it
      </Action>
    </form>
  )
}

/** A limit that may be left empty. */
function UsdField({ label, value, onText }: { label: string; value: string; onText: (text: string) => void }) {
  return (
    <Field
      label={label}
      inputMode="decimal"
      value={value}
      onText={(text) => onText(text.trim())}
      error={wrong(value)}
    />
  )
}

function wrong(text: string): string | undefined {
  return text === '' || isDecimal(text) ? undefined : 'Write a number such as 100, or nothing.'
}

/** The limits that were filled in. They are settings, not amounts that are traded: numbers, as the contract has them. */
function limits(texts: Record<'max_trade_usd' | 'max_daily_usd' | 'confirm_above_usd', string>) {
  return Object.fromEntries(
    Object.entries(texts).flatMap(([name, text]) => (text === '' ? [] : [[name, Number(text)]])),
  )
}

function Token({ of: { token, until, warning }, done }: { of: Made; done: () => void }) {
  const lines = `export TRIDENT_URL=${location.origin}\nexport TRIDENT_TOKEN=${token}`
  const entry = { type: 'http', url: `${location.origin}/mcp`, headers: { Authorization: `Bearer ${token}` } }
  const config = JSON.stringify({ mcpServers: { trident: entry } }, null, 2)
  return (
    <div class="note">
      <p>
        <b>The session of your agent.</b> It is shown once. For a program, or for{' '}
        <code>npx --no-install trident mcp</code> in the folder of Trident, paste these lines:
      </p>
      {warning !== undefined && <p class="warn">{warning}</p>}
      <pre class="whole">{lines}</pre>
      <p>For a client of MCP, add this to its configuration:</p>
      <pre class="whole">{config}</pre>
      <div class="row">
        <Copy text={lines} label="copy the lines" />
        <Copy text={config} label="copy the configuration" />
        <button type="button" onClick={done}>
          I have them
        </button>
      </div>
      <p class="quiet">
        The token works until <Moment at={until} />.
      </p>
    </div>
  )
}
