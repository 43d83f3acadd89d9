import { html, page } from '../page.ts'
import { hashCell, list, type Markup, units } from '../parts.ts'
import type { Mark, Party, Placed, Sent, Transfer } from './source.ts'

/** A page with one message, such as why nothing is shown. */
export function messagePage(title: string, sentence: string): string {
  return page(title, `${home}<p>${html(sentence)}</p>`)
}

/** The page of a search without a result; it says what can be found. */
export function notFoundPage(query: string): string {
  const hint =
    'Search for a block by its number or hash, a transaction by its hash, an address, or a listed token by its symbol.'
  return page('Not found', `${homeLink}${searchBox(query)}<p>This chain has nothing under this name. ${hint}</p>`)
}

/** The search form, with the text of the last search in it. */
export function searchBox(query = ''): string {
  const label = 'Block, transaction, address or token'
  const input = `<input type="search" name="q" maxlength="200" value="${html(query)}" placeholder="${label}" aria-label="${label}">`
  return `<form action="/explorer/search" role="search">${input} <button>Search</button></form>`
}

const homeLink = '<p><a href="/explorer">Explorer</a></p>'

/** The link to the explorer and the search, at the top of every page except the first. */
export const home = homeLink + searchBox()

/** An address with its name: a badge marks names that the gateway lists, quotes those that a contract gives itself. */
export function partyLink({ address, name, listed }: Party): Markup {
  const label = name === null ? '' : listed ? ` <b title="listed">✓ ${html(name)}</b>` : ` “<bdi>${html(name)}</bdi>”`
  return { markup: hashCell(address, `/explorer/address/${address}`).markup + label }
}

export function blockLink(number: bigint): Markup {
  return { markup: `<a href="/explorer/block/${number}">${number}</a>` }
}

/** The mark of a block, which says what the chain promises of it. */
export function markOf(mark: Mark | undefined): string {
  if (mark == null) return ''
  const meaning = mark === 'safe' ? 'unlikely to leave the chain' : 'never leaves the chain'
  return ` <span class="mark ${mark}" title="${meaning}">${mark}</span>`
}

function transactionLink(hash: string): Markup {
  return hashCell(hash, `/explorer/tx/${hash}`)
}

/** The transactions of one block. */
export function sentList(transactions: readonly Sent[], symbol: string): string {
  const rows = transactions.map((one) => sentCells(one, symbol))
  return list('Transactions', sentColumns, rows)
}

/** Transactions of several blocks, with the block of each. */
export function placedList(title: string, transactions: readonly Placed[], symbol: string): string {
  const rows = transactions.map((one) => [blockLink(one.blockNumber), ...sentCells(one, symbol)])
  return list(title, ['Block', ...sentColumns], rows)
}

const sentColumns = ['Hash', 'From', 'To', 'Value']

function sentCells({ hash, from, to, valueWei }: Sent, symbol: string) {
  return [transactionLink(hash), partyLink(from), to === null ? 'new contract' : partyLink(to), units(valueWei, symbol)]
}

export function transferList(transfers: readonly Transfer[]): string {
  const rows = transfers.map(({ token, from, to, amount }) => [
    partyLink(from),
    partyLink(to),
    amount,
    partyLink(token),
  ])
  return list('Token transfers', ['From', 'To', 'Amount', 'Token'], rows)
}

/** A token by its name, with a link to its page; by its address where it has none. */
export function tokenLink(token: Party): Markup {
  const { address, name, listed } = token
  if (name === null) return partyLink(token)
  const label = listed ? `<b title="listed">✓ ${html(name)}</b>` : `“<bdi>${html(name)}</bdi>”`
  return { markup: `<a href="/explorer/address/${html(address)}" title="${html(address)}">${label}</a>` }
}

/** An amount of USD to the cent; `unknown` where there is no price. */
export function dollars(usd: string | null | undefined): string {
  if (usd == null) return 'unknown'
  const [whole = '0', fraction = ''] = usd.split('.')
  const cents = `${fraction}00`.slice(0, 2)
  if (whole === '0' && cents === '00' && /[1-9]/.test(fraction)) return 'less than $0.01'
  return `$${grouped(whole)}.${cents}`
}

/** Digits in groups of thousands. */
export function grouped(digits: string): string {
  return digits.replace(/\B(?=(\d{3})+$)/g, ',')
}

export function clip(text: string): string {
  return text.length <= 2_000 ? text : `${text.slice(0, 2_000)}… (${(text.length - 2) / 2} bytes)`
}
