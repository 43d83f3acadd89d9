import type { ExplorerSource } from './source.ts'

/** A block id: a number in decimal digits or hex, a hash, or a tag. */
export const blockId = /^(\d{1,15}|0x[0-9a-fA-F]{1,12}|0x[0-9a-fA-F]{64}|latest|safe|finalized|earliest)$/

/** The path of the page that a search text means; hex may lack its 0x. Null where the chain has no such thing. */
export async function searchResultPath(source: ExplorerSource, query: string): Promise<string | null> {
  const hex = /^(?:0x)?([0-9a-f]{40}|[0-9a-f]{64})$/i.exec(query)?.[1]?.toLowerCase()
  if (hex?.length === 40) return `/explorer/address/0x${hex}`
  if (hex === undefined) return blockId.test(query) ? `/explorer/block/${query}` : tokenPath(source, query)
  const kind = await source.kindOf(`0x${hex}`)
  return kind === null ? null : `/explorer/${kind === 'block' ? 'block' : 'tx'}/0x${hex}`
}

function tokenPath(source: ExplorerSource, symbol: string): string | null {
  const address = source.tokenOf(symbol)
  return address === null ? null : `/explorer/address/${address}`
}
