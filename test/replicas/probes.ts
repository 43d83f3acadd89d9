import { get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

const everyMs = 50
const silentMs = 3_000
/** An answer that takes longer is one that callers wait for. */
const promptMs = 500

/** How a request ended: as it should, late, or not at all. */
type Probe = { startedAt: number; how: 'well' | 'late' | 'failed' }

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
    /**
     * Milliseconds from `since` until no request that was begun before `until` failed any more, and until none was late either.
     */
    backMs(since: number, until: number): { served: number; prompt: number } {
      const after = (bad: readonly Probe['how'][]) => {
        const found = probes.filter(
          ({ startedAt, how }) => bad.includes(how) && startedAt >= since && startedAt < until,
        )
        return found.length === 0 ? 0 : Math.max(...found.map(({ startedAt }) => startedAt)) - since + everyMs
      }
      return { served: after(['failed']), prompt: after(['failed', 'late']) }
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
  if (status !== 200) return { startedAt, how: 'failed' }
  return { startedAt, how: performance.now() - startedAt < promptMs ? 'well' : 'late' }
}
