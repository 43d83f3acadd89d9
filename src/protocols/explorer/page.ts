import type { ExplorerLog, ExplorerTransaction } from './source.ts'

/** A page without scripts or outside parts; every text that is not ours goes through `html`. */
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

export function messagePage(title: string, sentence: string): string {
  return page(title, `<p>${html(sentence)}</p>`)
}

/** The pages' whole policy: styles inline, nothing else, from nowhere. */
export const pagePolicy =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

export function page(title: string, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${html(title)} - Trident</title><style>${style}</style></head><body><h1>${html(title)}</h1>${body}</body></html>`
}

export function html(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

function table(rows: readonly (readonly [string, string])[]): string {
  return `<table>${rows.map(([name, value]) => `<tr><th>${html(name)}</th><td>${html(value)}</td></tr>`).join('')}</table>`
}

const style = `body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1b1f24}
table{border-collapse:collapse;width:100%;margin-bottom:1.5rem}th{text-align:left;width:9rem;vertical-align:top;color:#57606a;font-weight:500}
td,th{padding:.3rem .5rem;border-bottom:1px solid #d8dee4}td,code{font-family:ui-monospace,monospace;overflow-wrap:anywhere}`

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
