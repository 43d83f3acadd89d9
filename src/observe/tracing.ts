import type { ErrorCode } from '../contract/shared/errors.ts'
import type { TraceParent } from '../gateway/request-observer.ts'

/** Attributes of a span: closed sets, numbers and ids, never other input of callers. */
type Facts = Record<string, string | number | boolean>

/** A part of the work of a request, which has just ended. */
export type Step = { name: string; remote: boolean; seconds: number; ok: boolean; facts: Facts }

/** The span of a request; it may end before the last of its steps. */
export type RequestSpan = {
  step(step: Step): void
  end(code: ErrorCode | 'OK', facts: Facts): void
}

export type Tracing = {
  begin(name: string, parent: TraceParent | null, facts: Facts): RequestSpan
  /** Sends the waiting spans, within a few seconds. */
  close(): Promise<void>
}

const noSpan: RequestSpan = { step: () => undefined, end: () => undefined }

/** Tracing without a collector. */
export const noTracing: Tracing = { begin: () => noSpan, close: async () => undefined }
