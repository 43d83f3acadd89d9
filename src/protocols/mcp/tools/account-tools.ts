import { nativeAddress } from '../../../contract/shared/swap-values.ts'
import { cursorOf, fitting, placeOf } from './answer.ts'
import type { Tool } from './run.ts'

/** The tools that read accounts, tokens and transfers. */

export const positions: Tool<'positions'> = async ({ cursor, ...filter }, { call }) => {
  const { shown, next } = pageOf(await call('metrics.positions', () => filter), cursor)
  return { positions: shown, ...next }
}

export const profit: Tool<'profit'> = async (_fields, { call }) => ({
  ...(await call('metrics.realizedPnl', () => ({}))),
  ...(await call('metrics.unrealizedPnl', () => ({}))),
})

/** Executions of one page: as many as an answer holds, whatever their texts. */
const executionsOfPage = 8

export const executions: Tool<'executions'> = async ({ execution_id: id, ...filter }, { call }) => {
  if (id !== undefined)
    return { executions: [executionAnswer(await call('trading.getExecution', () => ({ execution_id: id })))] }
  const { items, next_cursor: next } = await call('trading.listExecutions', () => ({
    ...filter,
    limit: executionsOfPage,
  }))
  return { executions: items.map(executionAnswer), ...(next === null ? {} : { next_cursor: next }) }
}

/** An execution with its yield and its link in flat fields. */
export function executionAnswer<
  E extends { fill?: { amount_out: string } | undefined; awaits?: { url: string } | undefined },
>(execution: E) {
  const { fill, awaits } = execution
  return {
    ...execution,
    ...(fill === undefined ? {} : { amount_out: fill.amount_out }),
    ...(awaits === undefined ? {} : { confirm_url: awaits.url }),
  }
}

export const findToken: Tool<'find_token'> = async ({ query = '', chain_id: only, cursor }, { call, words }) => {
  if (only !== undefined) words.chainName(only) // refuses a chain that is not connected
  const chains = await call('trading.listChains', () => ({}))
  const wanted = query.toLowerCase()
  const tokens = chains
    .filter(({ chain_id }) => only === undefined || chain_id === only)
    .flatMap(({ chain_id, name, native_symbol: symbol, tokens: listed }) =>
      [{ symbol, address: nativeAddress, decimals: 18 }, ...listed].map((token) => ({
        chain_id,
        chain: name,
        ...token,
      })),
    )
    .filter(({ symbol, address }) => `${symbol} ${address}`.toLowerCase().includes(wanted))
  const { shown, next } = pageOf(tokens, cursor)
  return { tokens: shown, ...next }
}

export const bridgeStatus: Tool<'bridge_status'> = async (fields, { call }) =>
  await call('chain.bridgeStatus', () => fields)

/** The items of a list that one answer holds, and the cursor of the others. */
function pageOf<T>(items: readonly T[], cursor: string | undefined) {
  const { shown, until } = fitting(items, placeOf(cursor).shown)
  return { shown, next: until < items.length ? { next_cursor: cursorOf({ shown: until, of: '' }) } : {} }
}
