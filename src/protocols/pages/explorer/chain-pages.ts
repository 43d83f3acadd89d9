import { html, page } from '../page.ts'
import { type Cell, facts, hashCell, list, neighbours, timeCell, units } from '../parts.ts'
import {
  blockLink,
  clip,
  dollars,
  home,
  markOf,
  partyLink,
  placedList,
  searchBox,
  sentList,
  tokenLink,
  transferList,
} from './parts.ts'
import { sentence } from './sentence.ts'
import type {
  DecodedCall,
  ExplorerAddress,
  ExplorerLog,
  ExplorerNews,
  ExplorerTransaction,
  TracedCall,
  WholeBlock,
} from './source.ts'

/** The newest blocks and transactions. */
export function newestPage({ blocks, transactions, nativeSymbol }: ExplorerNews): string {
  const rows = blocks.map((block) => [
    blockLink(block.number),
    timeCell(block.timestamp),
    String(block.count),
    String(block.gasUsed),
    hashCell(block.hash, `/explorer/block/${block.hash}`),
  ])
  return page(
    'Explorer',
    searchBox() +
      list('Newest blocks', ['Block', 'Time', 'Transactions', 'Gas used', 'Hash'], rows) +
      placedList('Newest transactions', transactions, nativeSymbol),
  )
}

/** One block with its transactions. */
export function blockPage(block: WholeBlock): string {
  const { number, hasNext } = block
  const top = facts([
    ['Number', { markup: `${number}${markOf(block.mark)}` }],
    ['Hash', hashCell(block.hash)],
    ['Parent', hashCell(block.parentHash, `/explorer/block/${block.parentHash}`)],
    ['Time', timeCell(block.timestamp)],
    ['Gas', `${block.gasUsed} of ${block.gasLimit}`],
    ['Base fee', block.baseFeePerGas === null ? 'none' : `${block.baseFeePerGas} wei`],
  ])
  const ways = neighbours(
    number === 0n ? null : [`Block ${number - 1n}`, `/explorer/block/${number - 1n}`],
    hasNext === true ? [`Block ${number + 1n}`, `/explorer/block/${number + 1n}`] : null,
  )
  return page(`Block ${number}`, home + ways + top + sentList(block.transactions, block.nativeSymbol))
}

/** One address: its balances, and its newest transactions and transfers. */
export function addressPage(address: ExplorerAddress): string {
  const top = facts([
    ['Address', partyLink(address.party)],
    ['Kind', address.isContract ? 'contract' : 'account'],
    ['Worth', worthOf(address)],
    ['Balance', units(address.balanceWei, address.nativeSymbol)],
    ['Transactions sent', String(address.sent)],
  ])
  const tokens = list(
    'Listed tokens',
    ['Token', 'Amount', 'Worth'],
    address.tokens.map(({ token, amount, usd }) => [tokenLink(token), amount, dollars(usd)]),
  )
  const transactions = placedList('Newest transactions', address.transactions, address.nativeSymbol)
  const range = `<p>Transactions since block ${address.lookedSince}, newest first.</p>`
  const since = `<p>Transfers since block ${address.sinceBlock}, newest first.</p>`
  return page('Address', home + top + tokens + transactions + range + since + transferList(address.transfers))
}

/** The worth of an address in USD, and what that leaves out. */
function worthOf({ worth }: ExplorerAddress): string {
  if (worth == null) return 'unknown'
  const without = worth.unpriced.length === 0 ? '' : `, and ${worth.unpriced.join(', ')} without a price`
  return dollars(worth.usd) + without
}

/** One transaction with its transfers, events and calls. */
export function transactionPage(transaction: ExplorerTransaction): string {
  const { nativeSymbol: symbol, logs, hiddenLogs, transfers, trace } = transaction
  const more = hiddenLogs === 0 ? '' : `<p>… and ${hiddenLogs} more</p>`
  const events = `<h2>Events (${logs.length + hiddenLogs})</h2>${logs.map(logSection).join('')}${more}`
  const calls = trace === null ? '<p>The node has no trace of it.</p>' : `<ul>${callItem(trace, symbol)}</ul>`
  return page(
    'Transaction',
    `${sentence(transaction)}${home}${waysOf(transaction)}${callSection(transaction)}<h2>Details</h2>${facts(rowsOf(transaction))}${transferList(transfers)}${events}<h2>Calls</h2>${calls}`,
  )
}

/** The transactions beside it in its block. */
function waysOf({ previous, next }: ExplorerTransaction): string {
  const to = (name: string, hash: string): [string, string] => [name, `/explorer/tx/${hash}`]
  return neighbours(
    previous == null ? null : to('Previous transaction of the block', previous),
    next == null ? null : to('Next transaction of the block', next),
  )
}

/** The decoded call; the selector and the raw input where the function is not a known one. */
function callSection({ call, to, input }: ExplorerTransaction): string {
  if (to === null || input === '0x') return ''
  if (call == null) return `<h2>Call</h2>${facts([['Selector', input.slice(0, 10)]])}`
  return `<h2>Call</h2>${decodedCall(call)}`
}

/** The raw input, which steps back where the call is decoded. */
function inputCell({ call, input }: ExplorerTransaction): Cell {
  if (call == null) return clip(input)
  return { markup: `<details><summary>${(input.length - 2) / 2} bytes</summary>${html(clip(input))}</details>` }
}

function decodedCall({ name, args, inner }: DecodedCall): string {
  const rows = args.map(({ name, value, party }): [string, Cell] => [
    name,
    party !== null ? partyLink(party) : isHash.test(value) ? hashCell(value) : clip(value),
  ])
  const below = inner.map(decodedCall).join('')
  return `<h3><code>${html(name)}</code></h3>${facts(rows)}${below === '' ? '' : `<div class="inner">${below}</div>`}`
}

function rowsOf(transaction: ExplorerTransaction): [string, Cell][] {
  const { blockNumber, depth, mark, to, contract, nativeSymbol, gasUsed, feeWei } = transaction
  const place = blockNumber === null ? null : `${blockLink(blockNumber).markup} (${depth} deep)${markOf(mark)}`
  return [
    ['Hash', hashCell(transaction.hash)],
    ['Status', transaction.status],
    ...(transaction.reason == null ? [] : [['Reason', transaction.reason] as [string, Cell]]),
    ['Block', place === null ? 'not in a block yet' : { markup: place }],
    ['Time', transaction.timestamp === null ? 'unknown' : timeCell(transaction.timestamp)],
    ['From', partyLink(transaction.from)],
    ['To', to !== null ? partyLink(to) : 'a new contract'],
    ...(contract === null ? [] : [['Contract created', partyLink(contract)] as [string, Cell]]),
    ['Value', units(transaction.valueWei, nativeSymbol)],
    ...bridgeRows(transaction),
    ['Nonce', String(transaction.nonce)],
    ['Gas used', gasUsed?.toString() ?? 'unknown'],
    ['Fee', feeWei === null ? 'unknown' : units(feeWei, nativeSymbol)],
    ['Input', inputCell(transaction)],
  ]
}

/** For a transaction that moves something over the bridge: the amounts, and a link to their status. */
function bridgeRows({ hash, mintedWei, withdrawnWei, nativeSymbol }: ExplorerTransaction): [string, Cell][] {
  const rows: [string, Cell][] = []
  if (mintedWei !== null) rows.push(['Deposited from the parent chain', units(mintedWei, nativeSymbol)])
  if (withdrawnWei.length > 0)
    rows.push(['Withdrawn to the parent chain', withdrawnWei.map((wei) => units(wei, nativeSymbol)).join(', ')])
  if (rows.length === 0) return []
  const status = { markup: `<a href="/bridge?transfer=${html(hash)}">state of the transfer</a>` }
  return [...rows, ['Bridge', status]]
}

/** An address or a word of 32 bytes. */
const isHash = /^0x([0-9a-f]{40}|[0-9a-f]{64})$/i

function logSection({ index, contract, event, topics, data }: ExplorerLog): string {
  const title = `<h3>${index}. ${html(event?.name ?? 'Unknown event')} of ${partyLink(contract).markup}</h3>`
  if (event !== null)
    return title + facts(event.args.map(({ name, value }) => [name, isHash.test(value) ? hashCell(value) : value]))
  const raw = topics.map((topic, place): [string, Cell] => [`Topic ${place}`, hashCell(topic)])
  return title + facts([...raw, ['Data', clip(data)]])
}

function callItem(call: TracedCall, symbol: string): string {
  const target = call.to === null ? 'a new contract' : partyLink(call.to).markup
  const value = call.valueWei === 0n ? '' : `, ${html(units(call.valueWei, symbol))}`
  const failure = call.error === null ? '' : `, <b>${html(call.error)}</b>`
  const line = `${html(call.type)} ${target} <code>${html(call.selector)}</code>, ${call.gasUsed} gas${value}${failure}`
  const hidden = call.hidden === 0 ? '' : `<li>… and ${call.hidden} more</li>`
  const below = call.calls.map((one) => callItem(one, symbol)).join('') + hidden
  return `<li>${line}${below === '' ? '' : `<ul>${below}</ul>`}</li>`
}
