import { html, page } from '../page.ts'
import type { ExplorerLog, ExplorerTransaction } from './source.ts'

export function transactionPage(transaction: ExplorerTransaction, head: bigint): string {
  const depth = transaction.blockNumber === null ? null : head - transaction.blockNumber + 1n
  const rows: [string, string][] = [
    ['Hash', transaction.hash],
    ['Status', transaction.status],
    ['Block', transaction.blockNumber === null ? 'not in a block yet' : `${transaction.blockNumber} (${depth} deep)`],
    ['Time', transaction.timestamp?.toISOString() ?? 'unknown'],
    ['From', transaction.from],
    ['To', transaction.to ?? `new contract ${transaction.contractAddress ?? ''}`],
    ['Value', units(transaction.valueWei)],
    ['Nonce', String(transaction.nonce)],
    ['Gas used', transaction.gasUsed?.toString() ?? 'unknown'],
    ['Fee', transaction.feeWei === null ? 'unknown' : units(transaction.feeWei)],
    ['Input', clip(transaction.input)],
  ]
  return page(
    'Transaction',
    `${table(rows)}<h2>Events (${transaction.logs.length})</h2>${transaction.logs.map(logSection).join('')}`,
  )
}

export function headPage(head: { number: bigint; hash: string; timestamp: Date }): string {
  const rows: [string, string][] = [
    ['Latest block', String(head.number)],
    ['Hash', head.hash],
    ['Time', head.timestamp.toISOString()],
  ]
  return page('Explorer', `${table(rows)}<p>A transaction is shown at <code>/explorer/tx/&lt;hash&gt;</code>.</p>`)
}

/** A page that says one thing, such as why there is nothing to see. */
export function messagePage(title: string, sentence: string): string {
  return page(title, `<p>${html(sentence)}</p>`)
}

function table(rows: readonly (readonly [string, string])[]): string {
  return `<table>${rows.map(([name, value]) => `<tr><th>${html(name)}</th><td>${html(value)}</td></tr>`).join('')}</table>`
}

function logSection(log: ExplorerLog): string {
  const title = `<h3>${log.index}. ${html(log.event?.name ?? 'Unknown event')} <code>${html(log.address)}</code></h3>`
  if (log.event !== null) return title + table(log.event.args.map(({ name, value }) => [name, value]))
  return (
    title +
    table([...log.topics.map((topic, index): [string, string] => [`Topic ${index}`, topic]), ['Data', clip(log.data)]])
  )
}

function clip(text: string): string {
  return text.length <= 2_000 ? text : `${text.slice(0, 2_000)}… (${(text.length - 2) / 2} bytes)`
}

/** Wei as native units, exact. */
function units(wei: bigint): string {
  const digits = wei.toString().padStart(19, '0')
  const fraction = digits.slice(-18).replace(/0+$/, '')
  return fraction === '' ? digits.slice(0, -18) : `${digits.slice(0, -18)}.${fraction}`
}
