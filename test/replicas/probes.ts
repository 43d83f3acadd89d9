import { get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

const everyMs = 50
const silentMs = 3_000
/** An answer that takes longer is one that callers wait for. */
const promptMs = 500

type Probe = { startedAt: number; good: boolean }

/** Asks who the caller is on a new connection every 50 ms, until `over` aborts, whatever becomes of the earlier ones. */
export function startProbes(url: string, token: string, over: AbortSignal) {
  const probes: Probe[] = []
  const work = async () => {
    while (!over.aborted) {
      void probe(url, token).then((one) => probes.push(one))
      await sleep(everyMs)
    }
  }
  void work()
  return {
    /** Milliseconds from `since` until every request that was begun before `until` had a prompt answer. */
    backMs(since: number, until: number): number {
      const bad = probes.filter(({ startedAt, good }) => !good && startedAt >= since && startedAt < until)
      return bad.length === 0 ? 0 : Math.max(...bad.map(({ startedAt }) => startedAt)) - since + everyMs
    },
  }
}

async function probe(url: string, token: string): Promise<Probe> {
  const startedAt = performance.now()
  const options = { agent: false, headers: { authorization: `Bearer ${token}` }, timeout: silentMs } as const
  const status = await new Promise<number>((resolve) => {
    const request = get(`${url}/api/v1/auth/whoami`, options, (response) => {
      response
        .resume()
        .on('end', () => resolve(response.statusCode ?? 0))
        .on('error', () => resolve(0))
    })
    request.on('error', () => resolve(0)).on('timeout', () => request.destroy())
  })
  return { startedAt, good: status === 200 && performance.now() - startedAt < promptMs }
}
