import { expect } from 'vitest'
import { restClient } from '../clients/rest.ts'
import { type Gateway, startGateway } from '../gateway-process.ts'
import { inspected, openInspector, wordsOfInspection } from '../inspector.ts'

export const operatorToken = 'operator-of-the-fuzzing'

/** What came of the messages of an attack. */
export type Tally = {
  sent: number
  /** Took effect, or was read as what it is. */
  answered: number
  /** Was told a reason, or was hung up on. */
  refused: number
  /** Was left before its end was known. */
  left: number
  /** What nothing of the contract allows: each is a failure. */
  undeclared: string[]
}

export type Target = AsyncDisposable & {
  gateway: Gateway
  /**
   * Runs an attack twice, then holds that the gateway is the process it was, with nothing to complain of, and has kept
   * nothing of the second: the first has had its code compiled and its caches filled.
   */
  attack(name: string, run: (tally: Tally) => Promise<void>): Promise<void>
}

/**
 * A second run is seen to add up to 1 MB, whatever it sends. 4 MB are 4 KB for each of 1,000 sockets, or 400 bytes for
 * each of 10,000 messages, so that a leak of either is seen where all are sent.
 */
const growthKb = 4_096
/** Connections that this process itself keeps for its next question. */
const spareFiles = 8

/** A gateway as a process of its own whose heap can be looked into, in a folder that is gone afterwards. */
export async function openTarget(settings: Record<string, string> = {}): Promise<Target> {
  await using stack = new AsyncDisposableStack()
  const gateway = stack.use(
    await startGateway(null, {
      ...inspected,
      OPERATOR_TOKEN: operatorToken,
      ...settings,
    }),
  )
  const inspector = stack.use(await openInspector(gateway))
  const resources = stack.move()
  return {
    gateway,
    async attack(name, run) {
      const tally: Tally = { sent: 0, answered: 0, refused: 0, left: 0, undeclared: [] }
      await run(tally)
      await answers(gateway)
      const before = { heap: await inspector.collect(), files: await openFiles(gateway) }
      await run(tally)
      expect(failuresOf(gateway)).toEqual([])
      expect(gateway.running()).toBe(true)
      await answers(gateway)
      await expect
        .poll(() => openFiles(gateway), { timeout: 60_000, interval: 500 })
        .toBeLessThan(before.files + spareFiles)
      const grown = (await inspector.collect()) - before.heap
      const counts = `${tally.sent} sent, ${tally.answered} answered, ${tally.refused} refused, ${tally.left} left, ${tally.undeclared.length} undeclared`
      console.log(`FUZZ ${name}: ${counts}; heap ${before.heap} + ${grown} KB, ${gateway.memoryMb()} MB resident`)
      expect(tally.undeclared.slice(0, 5)).toEqual([])
      expect(grown).toBeLessThan(growthKb)
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** A normal question on two of its ports. */
export async function answers({ urls }: Gateway): Promise<void> {
  const asked = { method: 'POST', headers: { 'content-type': 'application/json', connection: 'close' } }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'eth_chainId', params: [] })
  const signal = AbortSignal.timeout(10_000)
  expect(await (await fetch(urls.rpc, { ...asked, body, signal })).json()).toMatchObject({ id: 7, result: '0x14a34' })
  const wrong = { username: 'nobody@example.com', password: 'wrong' }
  expect(await restClient(urls.http).call('auth.login', wrong)).toMatchObject({ code: 'UNAUTHENTICATED' })
}

/** What it wrote to its error log, but for what the inspector says of itself. */
function failuresOf(gateway: Gateway): string[] {
  return gateway
    .complaints()
    .split('\n')
    .filter((line) => line !== '' && !wordsOfInspection.test(line))
}

async function openFiles({ urls }: Gateway): Promise<number> {
  const text = await (
    await fetch(`${urls.http}/metrics`, { headers: { authorization: `Bearer ${operatorToken}` } })
  ).text()
  return Number(/^process_open_fds (\d+)/m.exec(text)?.[1])
}
