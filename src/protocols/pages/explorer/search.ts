import type { ExplorerSource } from './source.ts'

/** How a block is named: by number, in decimal digits or hex, by hash or by tag. */
export const blockId = /^(\d{1,15}|0x[0-9a-fA-F]{1,12}|0x[0-9a-fA-F]{64}|latest|safe|finalized|earliest)$/

/** The page of what was looked for, with or without its 0x; null where the chain has nothing of the kind. */
export async function placeOf(source: ExplorerSource, sought: string): Promise<string | null> {
  const hex = /^(?:0x)?([0-9a-f]{40}|[0-9a-f]{64})$/i.exec(sought)?.[1]?.toLowerCase()
  if (hex?.length === 40) return `/explorer/address/0x${hex}`
  if (hex === undefined) return blockId.test(sought) ? `/explorer/block/${sought}` : tokenPlace(source, sought)
  const kind = await source.kindOf(`0x${hex}`)
  return kind === null ? null : `/explorer/${kind === 'block' ? 'block' : 'tx'}/0x${hex}`
}

function tokenPlace(source: ExplorerSource, symbol: string): string | null {
  const address = source.tokenOf(symbol)
  return address === null ? null : `/explorer/address/${address}`
}
