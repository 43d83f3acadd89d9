import { page } from '../page.ts'
import { facts, hashCell, timeCell, units } from '../parts.ts'
import { blockLink, home, list, partyLink, placedList, searchBox, sentList, transferList } from './parts.ts'
import type { ExplorerAddress, ExplorerNews, ExplorerSource } from './source.ts'

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
export function blockPage(block: NonNullable<Awaited<ReturnType<ExplorerSource['block']>>>): string {
  const top = facts([
    ['Number', String(block.number)],
    ['Hash', hashCell(block.hash)],
    ['Parent', hashCell(block.parentHash, `/explorer/block/${block.parentHash}`)],
    ['Time', timeCell(block.timestamp)],
    ['Gas', `${block.gasUsed} of ${block.gasLimit}`],
    ['Base fee', block.baseFeePerGas === null ? 'none' : `${block.baseFeePerGas} wei`],
  ])
  return page(`Block ${block.number}`, home + top + sentList(block.transactions, block.nativeSymbol))
}

/** One address: its balances, and its newest transactions and transfers. */
export function addressPage(address: ExplorerAddress): string {
  const top = facts([
    ['Address', partyLink(address.party)],
    ['Kind', address.isContract ? 'contract' : 'account'],
    ['Balance', units(address.balanceWei, address.nativeSymbol)],
    ['Transactions sent', String(address.sent)],
  ])
  const tokens = list(
    'Listed tokens',
    ['Token', 'Amount'],
    address.tokens.map(({ token, amount }) => [partyLink(token), amount]),
  )
  const transactions = placedList('Newest transactions', address.transactions, address.nativeSymbol)
  const range = `<p>Transactions since block ${address.lookedSince}, newest first.</p>`
  const since = `<p>Transfers since block ${address.sinceBlock}, newest first.</p>`
  return page('Address', home + top + tokens + transactions + range + since + transferList(address.transfers))
}
