import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { Analytics, AnalyticsRun } from '../../domain/ports/providers.ts'
import { neverAborts } from '../../kit/values.ts'
import { cancelled, createCoalesce } from '../async/single-flight.ts'
import type { HttpProvider } from './http.ts'

const text = z.string().max(2_000)
const started = z.object({ execution_id: z.string().regex(/^[A-Za-z0-9_-]{1,100}$/), state: text })
const status = z.object({
  state: text,
  is_execution_finished: z.boolean().optional(),
  error: z.object({ message: text.optional(), type: text.optional() }).nullish(),
})
const results = z.object({
  state: text,
  next_offset: z.int().nullish(),
  result: z.object({ rows: z.array(z.record(z.string(), z.unknown())) }).optional(),
})

/** The states of a run that returned rows, if not all of them, and of one that failed. */
const [completed, failed] = [/_COMPLETED(_PARTIAL)?$/, /_(FAILED|CANCELL?ED|EXPIRED)$/]
/** The most rows of a page, and of a result. */
const [pageRows, mostRows] = [500, 1_000]
/** Milliseconds between two reads of a run's status: the first one is short, for quick queries. */
const pauses = [50, 100, 200, 400, 800]

/** The analytics provider in the format of Dune; `source` names it in results. */
export function createAnalytics(provider: HttpProvider, source: string): Analytics {
  const coalesce = createCoalesce()

  /** The rows up to the most, page by page. */
  async function rowsOf(id: string, signal: AbortSignal): Promise<Pick<AnalyticsRun, 'rows' | 'truncated'>> {
    const rows: Record<string, unknown>[] = []
    for (let offset = 0; ; ) {
      const query = { limit: pageRows, offset }
      const path = `/v1/execution/${id}/results`
      const { value } = await provider.request({ path, query, schema: results, signal })
      rows.push(...(value.result?.rows ?? []))
      const next = value.next_offset ?? null
      if (next === null || next <= offset) return { rows: rows.slice(0, mostRows), truncated: rows.length > mostRows }
      if (rows.length >= mostRows) return { rows: rows.slice(0, mostRows), truncated: true }
      offset = next
    }
  }

  /** Reads the status of a run until it ends or `waitMs` is over. */
  async function followed(id: string, waitMs: number, signal: AbortSignal): Promise<AnalyticsRun> {
    const begun = performance.now()
    for (let reads = 0; ; reads += 1) {
      const { value } = await provider.request({ path: `/v1/execution/${id}/status`, schema: status, signal })
      const { state, error } = value
      const stage = stageOf(state, value.is_execution_finished === true)
      if (stage === 'completed') return { state, stage, failure: null, ...(await rowsOf(id, signal)) }
      const pause = pauses[reads] ?? 1_000
      const late = performance.now() - begun + pause > waitMs
      if (stage === 'failed' || late)
        return { state, stage, rows: [], truncated: false, failure: error?.message ?? null }
      await sleep(pause, undefined, { signal }).catch(() => {
        throw cancelled()
      })
    }
  }

  /** Cancels a run that nobody waits for, as it costs while it runs. A failure to cancel changes nothing. */
  function cancel(id: string): void {
    const request = { path: `/v1/execution/${id}/cancel`, body: {}, schema: z.unknown() }
    provider.request({ ...request, signal: neverAborts }).catch(() => undefined)
  }

  return {
    async run(number, parameters, { waitMs, signal }) {
      const begun = performance.now()
      const path = `/v1/query/${number}/execute`
      const body = { query_parameters: parameters, performance: 'medium' }
      const work = async (abandoned: AbortSignal) => {
        const { value } = await provider.request({ path, body, schema: started, signal: abandoned })
        const { execution_id: id } = value
        const abandon = () => cancel(id)
        abandoned.addEventListener('abort', abandon, { once: true })
        return await followed(id, waitMs, abandoned).finally(() => abandoned.removeEventListener('abort', abandon))
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
