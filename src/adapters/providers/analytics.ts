import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { Analytics, AnalyticsRun } from '../../domain/ports/providers.ts'
import { cancelled, createCoalesce } from '../async/single-flight.ts'
import type { HttpProvider } from './http.ts'

const words = z.string().max(2_000)
const started = z.object({ execution_id: z.string().regex(/^[A-Za-z0-9_-]{1,100}$/), state: words })
const status = z.object({
  state: words,
  is_execution_finished: z.boolean().optional(),
  error: z.object({ message: words.optional(), type: words.optional() }).nullish(),
})
const results = z.object({
  state: words,
  next_offset: z.int().nullish(),
  result: z.object({ rows: z.array(z.record(z.string(), z.unknown())) }).optional(),
})

/** A run that brought rows, if not all, and one that brought none. */
const [completed, failed] = [/_COMPLETED(_PARTIAL)?$/, /_(FAILED|CANCELL?ED|EXPIRED)$/]
/** Rows of a page, and of an answer. */
const [pageRows, mostRows] = [500, 1_000]
/** Milliseconds between two looks at a run: the first is soon, for short queries. */
const pauses = [50, 100, 200, 400, 800]

/** The analytics provider in the format of Dune; `source` names it in answers. */
export function createAnalytics(provider: HttpProvider, source: string): Analytics {
  const coalesce = createCoalesce()

  /** Every row up to the most, page by page. */
  async function rowsOf(id: string, signal: AbortSignal): Promise<Pick<AnalyticsRun, 'rows' | 'truncated'>> {
    const rows: Record<string, unknown>[] = []
    for (let offset = 0; ; ) {
      const query = { limit: pageRows, offset }
      const path = `/v1/execution/${id}/results`
      const { value } = await provider.ask({ path, query, schema: results, signal })
      rows.push(...(value.result?.rows ?? []))
      const next = value.next_offset ?? null
      if (next === null || next <= offset) return { rows: rows.slice(0, mostRows), truncated: rows.length > mostRows }
      if (rows.length >= mostRows) return { rows: rows.slice(0, mostRows), truncated: true }
      offset = next
    }
  }

  /** Looks at a run until it has ended or is waited for no longer. */
  async function followed(id: string, waitMs: number, signal: AbortSignal): Promise<AnalyticsRun> {
    const begun = performance.now()
    for (let looks = 0; ; looks += 1) {
      const { value } = await provider.ask({ path: `/v1/execution/${id}/status`, schema: status, signal })
      const { state, error } = value
      const stage = stageOf(state, value.is_execution_finished === true)
      if (stage === 'completed') return { state, stage, failure: null, ...(await rowsOf(id, signal)) }
      const pause = pauses[looks] ?? 1_000
      const late = performance.now() - begun + pause > waitMs
      if (stage === 'failed' || late)
        return { state, stage, rows: [], truncated: false, failure: error?.message ?? null }
      await sleep(pause, undefined, { signal }).catch(() => {
        throw cancelled()
      })
    }
  }

  /** Nobody waits for it any more, and it costs as long as it runs. Whether it could be cancelled changes nothing. */
  function cancel(id: string): void {
    const asked = { path: `/v1/execution/${id}/cancel`, body: {}, schema: z.unknown() }
    provider.ask({ ...asked, signal: new AbortController().signal }).catch(() => undefined)
  }

  return {
    async run(number, parameters, { waitMs, signal }) {
      const begun = performance.now()
      const path = `/v1/query/${number}/execute`
      const body = { query_parameters: parameters, performance: 'medium' }
      const work = async (left: AbortSignal) => {
        const { value } = await provider.ask({ path, body, schema: started, signal: left })
        const { execution_id: id } = value
        const abandon = () => cancel(id)
        left.addEventListener('abort', abandon, { once: true })
        return await followed(id, waitMs, left).finally(() => left.removeEventListener('abort', abandon))
      }
      const value = await coalesce(JSON.stringify([number, waitMs, Object.entries(parameters).sort()]), signal, work)
      const latencyMs = Math.round(performance.now() - begun)
      return { value: value as AnalyticsRun, source, ageMs: 0, latencyMs }
    },
  }
}

function stageOf(state: string, isFinished: boolean): AnalyticsRun['stage'] {
  if (completed.test(state)) return 'completed'
  return isFinished || failed.test(state) ? 'failed' : 'running'
}
