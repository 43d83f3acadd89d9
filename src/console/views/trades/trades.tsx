import { useEffect, useState } from 'preact/hooks'
import type { Execution, TradingListExecutionsInput } from '../../../../generated/client/index.d.ts'
import { gateway } from '../../gateway/client.ts'
import { Action, Field, Select } from '../../parts/forms.tsx'
import { Shown, useLoaded } from '../../parts/loaded.tsx'
import { usePaced } from '../../parts/paced.ts'
import { type Paged, Pages, usePages } from '../../parts/pages.tsx'
import { Table } from '../../parts/table.tsx'
import { Hash, Moment } from '../../parts/values.tsx'
import { begins, changed, note, tradeChanges } from '../../state/account.ts'
import { route, tradeHash } from '../../state/routes.ts'
import { Life, Status, Swap } from './life.tsx'

/** What the list is narrowed to, as the fields of the form have it. */
type Filter = { state: string; token: string; agent: string; id: string }

const none: Filter = { state: '', token: '', agent: '', id: '' }

/** The choices of the first field: an outcome, or one state of a trade. */
const states = [
  ['', 'any'],
  ['status/success', 'succeeded'],
  ['status/pending', 'under way'],
  ['status/failed', 'failed, for any reason'],
  ...(
    [
      'requested',
      'reserved',
      'signed',
      'broadcast',
      'included',
      'safe',
      'finalized',
      'replaced',
      'reorganised',
      'failed',
    ] as const
  ).map((state) => [`state/${state}`, `state: ${state}`] as const),
] as const

/** Milliseconds between two reads of a filtered list that changes. */
const paceMs = 5_000

/** All trades, or the one that the address names. */
export function Trades() {
  const { rest } = route.value
  return rest === '' ? <List /> : <One key={rest} id={rest} />
}

function One({ id }: { id: string }) {
  const read = useLoaded(async () => note(await gateway.trading.getExecution.query({ execution_id: id })), [id])
  return (
    <>
      <p>
        <a href="#/trades">All trades</a>
      </p>
      <Shown of={read} what="the trade">
        {(trade) => <Life trade={changed.value.get(id) ?? trade} />}
      </Shown>
    </>
  )
}

function List() {
  const [filter, setFilter] = useState(none)
  const input = inputOf(filter)
  const isWhole = Object.keys(input).length === 0
  // The gateway decides what a filter fits, so a filtered list is read again; the whole list grows by itself.
  const turn = usePaced(isWhole ? 0 : tradeChanges.value, paceMs)
  const read = (cursor: string | undefined) => gateway.trading.listExecutions.query({ ...input, limit: 25, cursor })
  const trades = usePages(read, [JSON.stringify(input), begins.value], turn)
  return (
    <>
      <Filters onFilter={setFilter} listed={trades.items} />
      <Pages
        of={{ ...trades, items: asTheyAreNow(trades, isWhole) }}
        what="the trades"
        empty={isWhole ? 'Nothing was traded yet.' : 'No trade fits.'}
      >
        {(items) => <Rows items={items} />}
      </Pages>
    </>
  )
}

/** The trades that were read, each in its newest state, and of a whole list those that came since. */
function asTheyAreNow({ items, hasMore }: Paged<Execution>, isWhole: boolean): Execution[] {
  const known = new Set(items.map(({ execution_id }) => execution_id))
  const since = hasMore ? (items.at(-1)?.created_at ?? '') : ''
  const fresh = [...changed.value.values()].filter(
    ({ execution_id, created_at }) => isWhole && !known.has(execution_id) && created_at >= since,
  )
  const all = [...fresh, ...items.map((item) => changed.value.get(item.execution_id) ?? item)]
  return all.sort((one, other) => (one.created_at < other.created_at ? 1 : -1))
}

function Rows({ items }: { items: readonly Execution[] }) {
  return (
    <Table label="Trades" columns={['Trade', 'State', 'Swap', 'Requested', 'Label', 'Transaction']}>
      {items.map((trade) => (
        <tr key={trade.execution_id}>
          <td>
            <a href={tradeHash(trade.execution_id)}>{trade.execution_id.slice(0, 8)}</a>
          </td>
          <td class="line">
            <Status of={trade} />
          </td>
          <td class="line">
            <Swap of={trade} />
          </td>
          <td>
            <Moment at={trade.created_at} />
          </td>
          <td>{trade.agent}</td>
          <td>{trade.tx_hash === undefined ? 'not sent' : <Hash of={trade.tx_hash} href={trade.explorer_url} />}</td>
        </tr>
      ))}
    </Table>
  )
}

/** The input of a filter; empty fields say nothing. */
function inputOf({ state, token, agent, id }: Filter): TradingListExecutionsInput {
  const [field, value] = state.split('/')
  return {
    ...(field === undefined || value === undefined ? {} : { [field]: value }),
    ...(token === '' ? {} : { token }),
    ...(isAgent(agent) ? { agent } : {}),
    ...(id === '' ? {} : { tx_hash: id }),
  }
}

type FiltersProps = { onFilter: (filter: Filter) => void; listed: readonly Execution[] }

function Filters({ onFilter, listed }: FiltersProps) {
  const [draft, setDraft] = useState(none)
  const set = (change: Partial<Filter>) => setDraft({ ...draft, ...change })
  useEffect(() => {
    const timer = setTimeout(() => onFilter({ ...draft, id: isHash(draft.id) ? draft.id : '' }), 300)
    return () => clearTimeout(timer)
  }, [draft])
  // The list shows the beginning of an id.
  const id = isId(draft.id)
    ? draft.id
    : listed.find(({ execution_id }) => draft.id !== '' && execution_id.startsWith(draft.id))?.execution_id
  const search = () => {
    if (id !== undefined) location.hash = tradeHash(id)
  }
  return (
    <form
      class="filters"
      aria-label="Filter"
      onSubmit={(event) => {
        event.preventDefault()
        search()
      }}
    >
      <Select label="State" value={draft.state} options={states} onChoice={(state) => set({ state })} />
      <Field
        label="Token"
        placeholder="Symbol or address"
        value={draft.token}
        onText={(token) => set({ token: token.trim() })}
      />
      <Field
        label="Label"
        placeholder="trading_team"
        value={draft.agent}
        onText={(agent) => set({ agent: agent.trim() })}
        error={draft.agent === '' || isAgent(draft.agent) ? undefined : 'Write letters, digits, dots, _ or -.'}
      />
      <Field
        label="Trade or transaction"
        placeholder="Id or hash"
        value={draft.id}
        onText={(id) => set({ id: id.trim() })}
        error={
          draft.id === '' || id !== undefined || isHash(draft.id)
            ? undefined
            : 'Write a whole id or hash, or the beginning of a listed id.'
        }
      />
      <Action running={false} doing="" disabled={id === undefined}>
        Open the trade
      </Action>
    </form>
  )
}

/** The names that the gateway takes for an agent. */
function isAgent(text: string): boolean {
  return /^[\w.-]{1,64}$/.test(text)
}

function isId(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)
}

function isHash(text: string): boolean {
  return /^0x[0-9a-f]{64}$/i.test(text)
}
