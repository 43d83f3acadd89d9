import { page } from '../page.ts'
import { facts, hashCell, timeCell } from '../parts.ts'
import { blockLink, home, list, placedList, searchBox, sentList } from './parts.ts'
import type { ExplorerNews, ExplorerSource } from './source.ts'

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
