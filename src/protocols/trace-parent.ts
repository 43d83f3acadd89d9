import type { Caller } from '../gateway/request.ts'

const nothing = { traceId: '0'.repeat(32), spanId: '0'.repeat(16) }

/** Reads a traceparent header (W3C Trace Context, any version); null where it is absent or invalid. */
export function traceParentOf(header: string | undefined): Caller['traceParent'] {
  const [, version, traceId, spanId, flags, more] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/.exec(header ?? '') ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return null
  if (version === 'ff' || (version === '00' && more !== undefined)) return null
  if (traceId === nothing.traceId || spanId === nothing.spanId) return null
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}
