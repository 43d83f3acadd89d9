import { isDeepStrictEqual } from 'node:util'
import { differences } from '../../src/contract/shared/differences.ts'

/** Values that differ between two responses to the same request: ids, times, amounts, finality. */
const volatile: [RegExp, string][] = [
  [/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, '<token>'],
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uuid>'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '<time>'],
  [/0x[0-9a-fA-F]{40,}|\b[0-9a-f]{32,}\b/g, '<hex>'],
  [/-?\d[\d,]*(\.\d+)?/g, '<number>'],
  // The finality of a trade's block changes with each block.
  [/^(unsafe|included|safe|finalized)$/, '<firmness>'],
]

/** The response with all volatile values masked, and without empty lists, which one protocol cannot represent. */
export function masked(value: unknown): unknown {
  if (typeof value === 'number') return '<number>'
  if (typeof value === 'string') return volatile.reduce((text, [pattern, mask]) => text.replace(pattern, mask), value)
  if (Array.isArray(value)) return value.filter((part) => !isFinality(part)).map(masked)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([, part]) => !isLost(part))
  return Object.fromEntries(kept.map(([key, part]) => [key, masked(part)]))
}

/** A step of a timeline that comes with the blocks after a trade's own. */
function isFinality(part: unknown): boolean {
  if (typeof part !== 'object' || part === null || !('step' in part)) return false
  return part.step === 'safe' || part.step === 'finalized'
}

/** Masks the events of a block stream, which may repeat one event. */
export function maskedParts(parts: readonly unknown[]): unknown[] {
  const all = parts.map(masked)
  return all.filter((part, index) => index === 0 || !isDeepStrictEqual(part, all[index - 1]))
}

const fresh: ReadonlySet<string> = new Set(['token', 'age_ms'])

/** The response without values that differ between any two requests: new tokens and ages. */
export function withoutFresh(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (key, part) => (fresh.has(key) ? `<${key}>` : part))
}

function isLost(part: unknown): boolean {
  return differences.emptyLists.protocols.length > 0 && Array.isArray(part) && part.length === 0
}
