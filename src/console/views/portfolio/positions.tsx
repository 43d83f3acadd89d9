import type { Position } from '../../../../generated/client/index.d.ts'
import { gateway } from '../../gateway/client.ts'
import { Shown, useLoaded } from '../../parts/loaded.tsx'
import { Table } from '../../parts/table.tsx'
import { Amount, Price, Profit, Usd } from '../../parts/values.tsx'
import { chainOf, chains } from '../../state/facts.ts'
import { percent, signOf, sum } from '../../values/decimal.ts'

const columns = [
  'Token',
  ...['Quantity', 'Value', 'Share', 'Entry', 'Price', 'Profit open', 'Profit realised'].map((number) => ({ number })),
  'Label',
]

/** The open positions with their value, their share of all, and their profit. `turn` changes to read them again. */
export function Positions({ turn }: { turn: string }) {
  const positions = useLoaded(readPositions, [turn])
  return (
    <section>
      <h2>Positions</h2>
      <Shown of={positions} what="the positions">
        {(held) => <Held {...held} />}
      </Shown>
    </section>
  )
}

async function readPositions() {
  const [positions, realised] = await Promise.all([
    gateway.metrics.positions.query({}),
    gateway.metrics.realizedPnl.query({}),
  ])
  return { positions, realised: realised.realized_pnl_usd_decimal }
}

/** `realised` counts the positions too that are closed. */
function Held({ positions, realised }: { positions: readonly Position[]; realised: string }) {
  if (positions.length === 0 && signOf(realised) === 0)
    return (
      <p class="quiet">
        Nothing was bought yet. <a href="#/trade">Make a trade</a>, and what it brought stands here.
      </p>
    )
  const total = sum(positions.map(({ market_value_usd_decimal: value }) => value ?? '0'))
  const open = sum(positions.map(({ unrealized_pnl_usd_decimal: profit }) => profit ?? '0'))
  const unpriced = positions.filter(({ market_value_usd_decimal: value }) => value === null)
  return (
    <>
      <p>
        Worth <Usd of={total} />; profit open <Profit of={open} />, realised <Profit of={realised} />.
        {unpriced.length > 0 &&
          ` Without a current price: ${unpriced.map(({ token_symbol }) => token_symbol).join(', ')}.`}
      </p>
      <Table label="Positions" columns={columns}>
        {positions.map((position) => (
          <Row
            key={`${position.wallet_address}-${position.chain_id}-${position.token_address}-${position.agent}`}
            of={position}
            total={total}
          />
        ))}
      </Table>
      <p class="quiet">
        Profit open is quantity × (price − entry). The entry is what a unit cost, with the fees of the pools; the price
        is that of the feed. Gas counts as a realised loss of the native currency.
      </p>
    </>
  )
}

function Row({ of, total }: { of: Position; total: string }) {
  const share = of.market_value_usd_decimal === null ? null : percent(of.market_value_usd_decimal, total)
  return (
    <tr>
      <td>
        {of.token_symbol}
        {chains.value.length > 1 && <span class="quiet"> {chainOf(of.chain_id)?.name}</span>}
      </td>
      <td class="number">
        <Amount of={of.quantity_decimal} unit={of.token_symbol} />
      </td>
      <td class="number">
        <Usd of={of.market_value_usd_decimal} />
      </td>
      <td class="number">{share === null ? '' : `${share} %`}</td>
      <td class="number">
        <Price of={of.cost_basis_usd_per_unit_decimal} />
      </td>
      <td class="number">
        <Price of={of.last_price_usd_decimal} />
      </td>
      <td class="number">
        <Profit of={of.unrealized_pnl_usd_decimal} />
      </td>
      <td class="number">
        <Profit of={of.realized_pnl_usd_decimal} />
      </td>
      <td>{of.agent}</td>
    </tr>
  )
}
