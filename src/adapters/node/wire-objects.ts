import type { Hex } from '../../domain/ports/chains.ts'
import type { NodeObject } from '../../domain/ports/node.ts'

/** Simulated blocks with a size, which some nodes leave out. */
export function withSizes(blocks: NodeObject[]): NodeObject[] {
  return blocks.map((block) => ({ size: '0x0', ...block }))
}

/** A number as a chain quantity (0x-hex); a quantity stays as it is. */
export function quantityOf(value: unknown): string {
  return typeof value === 'number' || typeof value === 'bigint' ? `0x${value.toString(16)}` : String(value)
}

export function isHash(value: unknown): value is Hex {
  return typeof value === 'string' && /^0x[0-9a-f]{64}$/i.test(value)
}
