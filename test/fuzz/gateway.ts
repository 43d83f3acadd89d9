import { expect } from 'vitest'
import { restClient } from '../clients/rest.ts'
import { type Gateway, startGateway } from '../gateway-process.ts'
import { inspected, openInspector, wordsOfInspection } from '../inspector.ts'

export const operatorToken = 'operator-of-the-fuzzing'

/** The outcomes of an attack's messages. */
export type Tally = {
  sent: number
  /** Accepted. */
  answered: number
  /** Refused with a reason, or disconnected. */
  refused: number
  /** Abandoned before its end was known. */
  left: number
  /** Outcomes that the contract does not allow: each is a failure. */
  undeclared: string[]
}

export type Target = AsyncDisposable & {
  gateway: Gateway
  /**
   * Runs an attack twice, then checks that the gateway is the same process, has logged no errors, and has retained
   * nothing of the second run. The first run has compiled the code and filled the caches.
   */
  attack(name: string, run: (tally: Tally) => Promise<void>): Promise<void>
}

/**
 * A second run adds up to 1 MB in any case. 4 MB are 4 KB for each of 1,000 sockets, or 400 bytes for each of 10,000
 * messages, so a leak of either is detected.
 */
const growthKb = 4_096
/** Connections that this process keeps for its next request. */
const spareFiles = 8

/** A gateway in a separate process whose heap can be inspected, in a folder that is removed afterwards. */
export async function openTarget(settings: Record<string, string> = {}): Promise<Target> {
  await using stack = new AsyncDisposableStack()
  const gateway = stack.use(
    await startGateway(null, {
      RPC_EVM_TIMEOUT_SECONDS: '5',
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

/** A normal request on two of its ports. */
export async function answers({ urls }: Gateway): Promise<void> {
  const asked = { method: 'POST', headers: { 'content-type': 'application/json', connection: 'close' } }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'eth_chainId', params: [] })
  const signal = AbortSignal.timeout(10_000)
  expect(await (await fetch(urls.rpc, { ...asked, body, signal })).json()).toMatchObject({ id: 7, result: '0x14a34' })
  const wrong = { username: 'nobody@example.com', password: 'wrong' }
  expect(await restClient(urls.http).call('auth.login', wrong)).toMatchObject({ code: 'UNAUTHENTICATED' })
}

/** The gateway's error log, without the lines of the inspector. */
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
