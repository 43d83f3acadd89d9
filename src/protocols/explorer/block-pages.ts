import { html, page } from '../page.ts'
import { blockLink, facts, home, list, partyLink, transactionLink, units } from './parts.ts'
import type { ExplorerBlock, ExplorerSource } from './source.ts'

/** The newest blocks. */
export function blocksPage(blocks: readonly ExplorerBlock[]): string {
  const rows = blocks.map((block) => [
    blockLink(block.number),
    block.timestamp.toISOString(),
    String(block.count),
    String(block.gasUsed),
    block.hash,
  ])
  const hint = 'Transactions, blocks and addresses have pages of their own:'
  const paths = ['/explorer/tx/<hash>', '/explorer/block/<number>', '/explorer/address/<address>']
  const help = `<p>${hint} ${paths.map((path) => `<code>${html(path)}</code>`).join(', ')}.</p>`
  return page('Explorer', help + list('Newest blocks', ['Block', 'Time', 'Transactions', 'Gas used', 'Hash'], rows))
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
  const rows = block.transactions.map(({ hash, from, to, valueWei }) => [
    transactionLink(hash),
    partyLink(from),
    to === null ? 'new contract' : partyLink(to),
    units(valueWei, block.nativeSymbol),
  ])
  return page(`Block ${block.number}`, home + top + list('Transactions', ['Hash', 'From', 'To', 'Value'], rows))
}
