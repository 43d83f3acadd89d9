import type { z } from 'zod'
import type { chainServices } from '../../../contract/chain/services.ts'
import { html, page } from '../page.ts'
import { type Cell, facts, hashCell, list, timeCell, units } from '../parts.ts'

export type BridgeStatus = z.output<typeof chainServices.bridgeStatus.output>

/** The form that asks for a transfer, below why the last one asked for cannot be shown. */
export function bridgePage(refused?: { transfer: string; reason: string }): string {
  const reason = refused === undefined ? '' : `<p role="alert"><b>${html(refused.reason)}</b></p>`
  return page('Bridge', reason + form(refused?.transfer ?? '') + guide)
}

type Transfer = BridgeStatus['transfers'][number]

/** The state of the transfers of a transaction, and what their sender can do next. */
export function transferPage(status: BridgeStatus, asked: string, nativeSymbol: string): string {
  const { transfers, transfers_total: total } = status
  if (total === 1) return page('Bridge transfer', form(asked) + facts(rowsOf(status, nativeSymbol)))
  // What is true of only some of them is in the list.
  const isMixed = transfers.some(({ direction }) => direction !== status.direction)
  const together = rowsOf({ ...status, below_minimum: false }, nativeSymbol)
  const shown = together.filter(([name]) => name !== 'Direction' || !isMixed)
  return page(`${total} bridge transfers`, form(asked) + facts(shown) + transferList(transfers, total, nativeSymbol))
}

function rowsOf(status: Transfer, nativeSymbol: string): [string, Cell][] {
  const { direction, state, next_step, confirmations, estimated_seconds, amount, below_minimum, error } = status
  const { from_address, to_address, l1_tx_hash, l2_tx_hash, updated_at } = status
  const rows: ([string, Cell] | undefined)[] = [
    ['State', state],
    ['Next', steps[next_step]],
    ['Direction', directions[direction]],
    amount === undefined ? undefined : ['Amount', amountOf(amount, nativeSymbol, below_minimum)],
    estimated_seconds === undefined ? undefined : ['Time left', `about ${estimated_seconds} s`],
    ['Confirmations', String(confirmations)],
    l1_tx_hash === undefined ? undefined : ['On the parent chain', hashCell(l1_tx_hash)],
    l2_tx_hash === undefined ? undefined : ['On this chain', transactionCell(l2_tx_hash)],
    from_address === undefined ? undefined : ['From', partyOf(from_address, direction === 'withdrawal')],
    to_address === undefined ? undefined : ['To', partyOf(to_address, direction === 'deposit')],
    updated_at === undefined ? undefined : ['As of', timeCell(new Date(updated_at))],
    error === undefined ? undefined : ['Error', error],
  ]
  return rows.filter((row) => row !== undefined)
}

function transferList(transfers: readonly Transfer[], total: number, nativeSymbol: string): string {
  const columns = ['Direction', 'Amount', 'State', 'Next', 'To', 'On the parent chain', 'On this chain', 'Error']
  const rows = transfers.map((one): Cell[] => [
    directions[one.direction],
    one.amount === undefined ? 'unknown' : amountOf(one.amount, nativeSymbol, one.below_minimum),
    one.state,
    steps[one.next_step],
    one.to_address === undefined ? '' : partyOf(one.to_address, one.direction === 'deposit'),
    one.l1_tx_hash === undefined ? '' : hashCell(one.l1_tx_hash),
    one.l2_tx_hash === undefined ? '' : transactionCell(one.l2_tx_hash),
    one.error ?? '',
  ])
  const hidden = total - transfers.length
  return list('Each transfer', columns, rows) + (hidden === 0 ? '' : `<p>… and ${hidden} more</p>`)
}

function transactionCell(hash: string): Cell {
  return hashCell(hash, `/explorer/tx/${hash}`)
}

function amountOf(wei: string, nativeSymbol: string, belowMinimum: boolean): string {
  return units(BigInt(wei), nativeSymbol) + (belowMinimum ? ' (below the minimum; it is carried)' : '')
}

/** An address, with a link where it is one of this chain. */
function partyOf(address: string, isHere: boolean): Cell {
  return hashCell(address, isHere ? `/explorer/address/${address}` : undefined)
}

function form(transfer: string): string {
  const label = 'Hash of the transfer, on either chain'
  const input = `<input type="search" name="transfer" maxlength="200" required value="${html(transfer)}" placeholder="${label}" aria-label="${label}">`
  return `<form action="/bridge">${input} <button>Show</button></form>`
}

const guide =
  '<p>The <a href="/docs/guides/bridge">guide</a> shows how to deposit and withdraw. Programs read <code>GET /bridge/api/status/{hash}</code>.</p>'

const directions = {
  deposit: 'from the parent chain to this chain',
  withdrawal: 'from this chain to the parent chain',
} as const

const steps = {
  wait_for_inclusion: 'wait until the first chain has it in a block',
  wait_for_rollup: 'wait until this chain has processed it',
  wait_for_output: 'wait until the parent chain knows a state of this chain that contains it',
  prove: 'prove it on the parent chain',
  wait_for_maturity: 'wait until it may be finalized',
  finalize: 'finalize it on the parent chain',
  none: 'nothing is left to do',
} as const
