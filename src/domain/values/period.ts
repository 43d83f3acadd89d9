import { invalid } from '../core/errors.ts'

/** A half-open range of time; open where an end is absent. */
export type Period = { start?: Date; end?: Date }

/** The period that a request names by times in ISO 8601. INVALID_ARGUMENT where it ends before its start. */
export function periodOf(input: { start?: string | undefined; end?: string | undefined }): Period {
  const start = input.start === undefined ? undefined : new Date(input.start)
  const end = input.end === undefined ? undefined : new Date(input.end)
  if (start !== undefined && end !== undefined && start > end) throw invalid('end', 'must not be before start')
  return { ...(start === undefined ? {} : { start }), ...(end === undefined ? {} : { end }) }
}
