import type { Hashing } from '../ports/system.ts'

/** Digest of a request that does not depend on the order of its fields; absent and undefined fields are the same. */
export function fingerprintOf(hashing: Hashing, request: unknown): string {
  return hashing.sha256(canonical(request))
}

/** JSON with the fields of every object in the order of their names. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`).join(',')}}`
}
