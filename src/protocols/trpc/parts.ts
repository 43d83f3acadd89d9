import type { AnyRouter } from '@trpc/server'
import type { Gateway } from '../../gateway/gateway.ts'
import type { Callers } from '../caller.ts'

/** What serves the router. */
export type TrpcParts = {
  router: AnyRouter
  gateway: Gateway
  callers: Callers
  /** Aborts when the server begins to close. */
  closing: AbortSignal
  slowReaderMs?: number
  unexpected(event: { operation: string; requestId: string; error: unknown }): void
}

/** Milliseconds that a reader may take nothing before its stream is ended. */
export function patienceMs({ slowReaderMs = 30_000 }: TrpcParts): number {
  return slowReaderMs
}
