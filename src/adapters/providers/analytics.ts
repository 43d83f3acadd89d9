import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { Analytics, AnalyticsRun } from '../../domain/ports/providers.ts'
import { cancelled } from '../node/coalesce.ts'
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

const ended = /_(COMPLETED|FAILED|CANCELL?ED|EXPIRED|COMPLETED_PARTIAL)$/
/** Rows of a page, and of an answer. */
const [pageRows, mostRows] = [500, 1_000]
/** Milliseconds between two looks at a run: the first is soon, for short queries. */
const pauses = [50, 100, 200, 400, 800]

/** The analytics provider in the format of Dune; `source` names it in answers. */
export function createAnalytics(provider: HttpProvider, source: string): Analytics {
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

  return {
    async run(number, parameters, { waitMs, signal }) {
      const begun = performance.now()
      const path = `/v1/query/${number}/execute`
      const body = { query_parameters: parameters, performance: 'medium' }
      const { value: execution } = await provider.ask({ path, body, schema: started, signal })
      const sourced = (value: AnalyticsRun) => ({
        ...{ value, source, ageMs: 0, latencyMs: Math.round(performance.now() - begun) },
      })
      for (let looks = 0; ; looks += 1) {
        const statusPath = `/v1/execution/${execution.execution_id}/status`
        const { value } = await provider.ask({ path: statusPath, schema: status, signal })
        const { state, error } = value
        if (/_COMPLETED/.test(state))
          return sourced({ state, failure: null, ...(await rowsOf(execution.execution_id, signal)) })
        const pause = pauses[looks] ?? 1_000
        const isOver = ended.test(state) || value.is_execution_finished === true
        const late = performance.now() - begun + pause > waitMs
        if (isOver || late) return sourced({ state, rows: [], truncated: false, failure: error?.message ?? null })
        await sleep(pause, undefined, { signal }).catch(() => {
          throw cancelled()
        })
      }
    },
  }
}
