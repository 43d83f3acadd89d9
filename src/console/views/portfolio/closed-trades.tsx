import type { ClosedTrade } from '../../../../generated/client/index.d.ts'
import { gateway } from '../../gateway/client.ts'
import { saveCsv } from '../../gateway/csv.ts'
import { Action, useWork } from '../../parts/forms.tsx'
import { FailureNote } from '../../parts/loaded.tsx'
import { Pages, usePages } from '../../parts/pages.tsx'
import { Table } from '../../parts/table.tsx'
import { Amount, Moment, Price, Profit, Usd } from '../../parts/values.tsx'
import { tradeHash } from '../../state/routes.ts'
import { spanText } from '../../values/words.ts'

const columns = [
  'Closed',
  'Sold',
  ...['Entry', 'Exit', 'Profit', 'Fee', 'Gas', 'Held'].map((number) => ({ number })),
  'Valued by',
  'Label',
]

const valuedBy = { token_in: 'token sold', token_out: 'token bought', cost: 'cost' }

/** What was sold: entry, exit, profit, and what it cost. `turn` changes to read it again. */
export function ClosedTrades({ turn }: { turn: number }) {
  const trades = usePages((cursor) => gateway.metrics.listClosedTrades.query({ limit: 25, cursor }), [], turn)
  const save = useWork(() => saveCsv('/api/v1/metrics/trades/closed?limit=100', 'closed-trades.csv'))
  return (
    <section>
      <h2>Closed trades</h2>
      <Pages of={trades} what="closed trades" empty="Nothing was sold yet.">
        {(items) => (
          <Table label="Closed trades" columns={columns}>
            {items.map((trade) => (
              <Row key={`${trade.closed_at}-${trade.execution_id}-${trade.kind}-${trade.token_address}`} of={trade} />
            ))}
          </Table>
        )}
      </Pages>
      <p class="quiet">
        Profit is quantity × (exit − entry) − gas. Exit is what a unit brought: the value of the side that measures the
        trade better, a token pegged to the dollar before the native currency before other tokens. Sales are after the
        fee, and purchases have it in the entry of what you bought.
      </p>
      {trades.items.length > 0 && (
        <Action running={save.running} doing="Saving" onClick={save.run}>
          Save closed trades as CSV
        </Action>
      )}
      {save.failure !== null && <FailureNote failure={save.failure} />}
    </section>
  )
}

function Row({ of }: { of: ClosedTrade }) {
  const { kind, closed_at, token_symbol, quantity_decimal, execution_id, held_seconds } = of
  const what = kind === 'gas' ? 'gas alone' : <Amount of={quantity_decimal} unit={token_symbol ?? ''} />
  return (
    <tr>
      <td>
        <Moment at={closed_at} />
      </td>
      <td class="line">{execution_id === undefined ? what : <a href={tradeHash(execution_id)}>{what}</a>}</td>
      <td class="number">{of.entry_price_usd_decimal !== null && <Price of={of.entry_price_usd_decimal} />}</td>
      <td class="number">{of.exit_price_usd_decimal !== null && <Price of={of.exit_price_usd_decimal} />}</td>
      <td class="number">
        <Profit of={of.profit_usd_decimal} />
      </td>
      <td class="number">{of.fee_usd_decimal === null ? 'unknown' : <Usd of={of.fee_usd_decimal} />}</td>
      <td class="number">
        <Usd of={of.gas_usd_decimal} />
      </td>
      <td class="number">{held_seconds === null ? '' : spanText(held_seconds)}</td>
      <td class="line">{of.valued_by === null ? '' : valuedBy[of.valued_by]}</td>
      <td>{of.agent}</td>
    </tr>
  )
}
