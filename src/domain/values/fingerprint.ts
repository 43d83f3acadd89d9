import type { Hashing } from '../ports/system.ts'
import { plainDecimal } from './swap.ts'
import { plainToken } from './tokens.ts'

/** A digest of a request. The order of fields does not matter, and an undefined field equals an absent one. */
export function fingerprintOf(hashing: Hashing, request: unknown): string {
  return hashing.sha256(canonical(request))
}

/**
 * A trade request in canonical form, so that equal trades have equal fingerprints: addresses in lower case, amounts
 * without redundant zeros, and no empty thresholds.
 */
export function tradeFacts<R extends { input: SwapText; thresholds?: object | undefined }>(request: R): R {
  const { thresholds = {} } = request
  const { token_in_address, token_out_address, amount_in } = request.input
  const input = {
    ...request.input,
    token_in_address: plainToken(token_in_address),
    token_out_address: plainToken(token_out_address),
    amount_in: plainDecimal(amount_in),
  }
  return { ...request, input, ...(Object.values(thresholds).every(isAbsent) ? { thresholds: undefined } : {}) }
}

type SwapText = { token_in_address: string; token_out_address: string; amount_in: string }

function isAbsent(value: unknown): boolean {
  return value === undefined
}

/** JSON with the fields of every object sorted by name. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`).join(',')}}`
}
