import type { ErrorCode } from '../contract/shared/errors.ts'
import type { TraceParent } from '../gateway/request-observer.ts'

/** Facts of a span, by name: closed sets, numbers and ids, never what a caller sent otherwise. */
export type Facts = Record<string, string | number | boolean>

/** Something that a request had done for it, which took so long and has just ended. */
export type Step = { name: string; remote: boolean; seconds: number; ok: boolean; facts: Facts }

/** The span of a request; it may end before the last of its steps. */
export type RequestSpan = {
  step(step: Step): void
  end(code: ErrorCode | 'OK', facts: Facts): void
}

/** Where spans go. */
export type Tracing = {
  begin(name: string, parent: TraceParent | null, facts: Facts): RequestSpan
  /** Sends what waits, for a few seconds at most. */
  close(): Promise<void>
}

const noSpan: RequestSpan = { step: () => undefined, end: () => undefined }

/** Tracing where nobody collects. */
export const noTracing: Tracing = { begin: () => noSpan, close: async () => undefined }
