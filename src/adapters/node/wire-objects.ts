import type { NodeObject } from '../../domain/ports/node.ts'
import { quantityOf } from '../../kit/hex.ts'

/** Simulated blocks with a size, which some nodes leave out. */
export function withSizes(blocks: NodeObject[]): NodeObject[] {
  return blocks.map((block) => ({ size: '0x0', ...block }))
}

/** A number as a chain quantity (0x-hex); a quantity stays as it is. */
export function wireQuantity(value: unknown): string {
  return typeof value === 'number' || typeof value === 'bigint' ? quantityOf(value) : String(value)
}
