import { html, page } from '../page.ts'
import { blockLink, facts, home, list, partyLink, searchBox, transactionLink, units } from './parts.ts'
import type { ExplorerNews, ExplorerSource, Sent } from './source.ts'

/** The newest blocks and transactions. */
export function newestPage({ blocks, transactions, nativeSymbol }: ExplorerNews): string {
  const rows = blocks.map((block) => [
    blockLink(block.number),
    block.timestamp.toISOString(),
    String(block.count),
    String(block.gasUsed),
    block.hash,
  ])
  const sent = transactions.map((one) => [blockLink(one.blockNumber), ...transactionCells(one, nativeSymbol)])
  return page(
    'Explorer',
    searchBox() +
      list('Newest blocks', ['Block', 'Time', 'Transactions', 'Gas used', 'Hash'], rows) +
      list('Newest transactions', ['Block', ...transactionColumns], sent),
  )
}

/** One block with its transactions. */
export function blockPage(block: NonNullable<Awaited<ReturnType<ExplorerSource['block']>>>): string {
  const top = facts([
    ['Number', String(block.number)],
    ['Hash', block.hash],
    [
      'Parent',
      { markup: `<a href="/explorer/block/${html(block.parentHash)}"><code>${html(block.parentHash)}</code></a>` },
    ],
    ['Time', block.timestamp.toISOString()],
    ['Gas', `${block.gasUsed} of ${block.gasLimit}`],
    ['Base fee', block.baseFeePerGas === null ? 'none' : `${block.baseFeePerGas} wei`],
  ])
  const rows = block.transactions.map((one) => transactionCells(one, block.nativeSymbol))
  return page(`Block ${block.number}`, home + top + list('Transactions', transactionColumns, rows))
}

const transactionColumns = ['Hash', 'From', 'To', 'Value']

function transactionCells({ hash, from, to, valueWei }: Sent, symbol: string) {
  return [transactionLink(hash), partyLink(from), to === null ? 'new contract' : partyLink(to), units(valueWei, symbol)]
}
