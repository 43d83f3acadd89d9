import { TRPCClientError } from '@trpc/client'
import type { AppRouter, ErrorFacts } from '../../../generated/client/index.d.ts'

/** A call that did not succeed, in words for the reader. */
export type Failure = {
  /** What happened and what to do next, in sentences. */
  text: string
  /** The gateway's code; UNREACHABLE where no answer came, BROKEN for a fault of the console itself. */
  code: ErrorFacts['code'] | 'UNREACHABLE' | 'BROKEN'
  /** What is wrong with a field, by its path. */
  fields: Record<string, string>
}

/** A refusal of a call outside tRPC, by its sentence. */
export class Refusal extends Error {}

/** The failure of what a call threw. */
export function failureOf(error: unknown): Failure {
  if (error instanceof Refusal) return { text: error.message, code: 'FAILED_PRECONDITION', fields: {} }
  const facts = error instanceof TRPCClientError ? factsOf(error) : undefined
  if (facts === undefined) return isUnreachable(error) ? unreachable : { ...broken, text: `${broken.text} ${error}` }
  const fields = Object.fromEntries((facts.errors ?? []).map(({ path, message }) => [path, message]))
  const wait = facts.retry_after_seconds === undefined ? '' : ` Try again in ${facts.retry_after_seconds} s.`
  return { text: (error as Error).message + wait, code: facts.code, fields }
}

/** True of a failure after which the same stream can be read on. */
export function passes({ code }: Failure): boolean {
  return code === 'UNREACHABLE' || code === 'UNAVAILABLE' || code === 'RATE_LIMITED'
}

const unreachable: Failure = {
  text: 'The gateway does not answer. Look whether it runs, then try again.',
  code: 'UNREACHABLE',
  fields: {},
}

const broken: Failure = { text: 'The console failed. Reload the page.', code: 'BROKEN', fields: {} }

/** Browsers have no code for it: a TypeError in their own words, which a tRPC call wraps. An answer that is no JSON comes from a proxy. */
function isUnreachable(error: unknown): boolean {
  const cause = error instanceof TRPCClientError ? error.cause : error
  if (cause instanceof SyntaxError || cause instanceof DOMException) return true
  return (
    cause === undefined || (cause instanceof TypeError && /fetch|network|load failed|input stream/i.test(cause.message))
  )
}

function factsOf(error: TRPCClientError<AppRouter>): ErrorFacts | undefined {
  return error.data?.trident
}
