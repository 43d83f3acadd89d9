import { useEffect, useState } from 'preact/hooks'
import type { Execution, TradingListExecutionsInput } from '../../../../generated/client/index.d.ts'
import { gateway } from '../../gateway/client.ts'
import { Action, Field, Select } from '../../parts/forms.tsx'
import { Shown, useLoaded } from '../../parts/loaded.tsx'
import { usePaced } from '../../parts/paced.ts'
import { Pages, usePages } from '../../parts/pages.tsx'
import { Table } from '../../parts/table.tsx'
import { Hash, Moment } from '../../parts/values.tsx'
import { changed, note } from '../../state/account.ts'
import { route } from '../../state/routes.ts'
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
  const trade = changed.value.get(id)
  return (
    <>
      <p>
        <a href="#/trades">All trades</a>
      </p>
      <Shown of={read} what="the trade">
        {() => trade !== undefined && <Life trade={trade} />}
      </Shown>
    </>
  )
}

function List() {
  const [filter, setFilter] = useState(none)
  const input = inputOf(filter)
  const isWhole = Object.keys(input).length === 0
  // The gateway decides what a filter fits, so a filtered list is read again; the whole list grows by itself.
  const turn = usePaced(isWhole ? 0 : changed.value.size, paceMs)
  const trades = usePages(
    (cursor) => gateway.trading.listExecutions.query({ ...input, limit: 25, cursor }),
    [JSON.stringify(input), turn],
  )
  return (
    <>
      <Filters onFilter={setFilter} />
      <Pages of={trades} what="the trades" empty={isWhole ? 'Nothing was traded yet.' : 'No trade fits.'}>
        {(items) => <Rows items={items} isWhole={isWhole} />}
      </Pages>
      {isWhole && trades.first.value !== null && trades.items.length === 0 && changed.value.size > 0 && (
        <Rows items={[]} isWhole />
      )}
    </>
  )
}

function Rows({ items, isWhole }: { items: readonly Execution[]; isWhole: boolean }) {
  const known = new Set(items.map(({ execution_id }) => execution_id))
  const fresh = isWhole ? [...changed.value.values()].filter(({ execution_id }) => !known.has(execution_id)) : []
  const oldest = items.at(-1)?.created_at ?? ''
  const all = [
    ...fresh.filter(({ created_at }) => created_at >= oldest),
    ...items.map((item) => changed.value.get(item.execution_id) ?? item),
  ]
  all.sort((a, b) => (a.created_at < b.created_at ? 1 : -1))
  return (
    <Table label="Trades" columns={['Trade', 'Requested', 'Swap', 'State', 'Agent', 'Transaction']}>
      {all.map((trade) => (
        <tr key={trade.execution_id}>
          <td>
            <a href={`#/trades/${encodeURIComponent(trade.execution_id)}`}>{trade.execution_id.slice(0, 8)}</a>
          </td>
          <td>
            <Moment at={trade.created_at} />
          </td>
          <td class="line">
            <Swap of={trade} />
          </td>
          <td class="line">
            <Status of={trade} />
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
    ...(agent === '' ? {} : { agent }),
    ...(id === '' ? {} : { tx_hash: id }),
  }
}

function Filters({ onFilter }: { onFilter: (filter: Filter) => void }) {
  const [draft, setDraft] = useState(none)
  const set = (change: Partial<Filter>) => setDraft({ ...draft, ...change })
  useEffect(() => {
    const timer = setTimeout(() => onFilter({ ...draft, id: isHash(draft.id) ? draft.id : '' }), 300)
    return () => clearTimeout(timer)
  }, [draft])
  const search = () => {
    if (draft.id !== '' && !isHash(draft.id)) location.hash = `#/trades/${encodeURIComponent(draft.id)}`
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
        label="Agent"
        placeholder="trading_team"
        value={draft.agent}
        onText={(agent) => set({ agent: agent.trim() })}
      />
      <Field
        label="Trade or transaction"
        placeholder="Id or hash"
        value={draft.id}
        onText={(id) => set({ id: id.trim() })}
      />
      <Action running={false} doing="" disabled={draft.id === '' || isHash(draft.id)}>
        Open the trade
      </Action>
    </form>
  )
}

function isHash(text: string): boolean {
  return /^0x[0-9a-f]{64}$/i.test(text)
}
