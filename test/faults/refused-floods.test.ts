import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { rpc } from '../clients/rpc-call.ts'
import { type Gateway, startGateway } from '../gateway-process.ts'
import { figures } from './figures.ts'

const seconds = 30
const aSecond = 20
const blockSeconds = 2

const names = (count: number, nameAt: (index: number) => string, value: unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [nameAt(index), value]))
const account = (index: number) => `0x${index.toString(16).padStart(40, '0')}`

/** Broken inputs that once took the loop that makes blocks. Each is within every limit of bytes and depth. */
const floods: Record<string, unknown> = {
  'names that are no addresses': names(19_000, (index) => `name${index}`, {}),
  'bad slots of a thousand accounts': names(900, account, { stateDiff: names(19, (index) => `slot${index}`, '0x00') }),
  'fields that no account has': names(
    900,
    account,
    names(19, (index) => `field${index}`, 1),
  ),
}

const percentile = (values: number[], part: number) =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * part)] ?? 0

/** Sends a broken call so many times a second, and asks for the health beside it; in milliseconds. */
async function floodOf(gateway: Gateway, overrides: unknown): Promise<number[]> {
  const { rpc: url, http } = gateway.urls
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'eth_call',
    params: [{ to: account(1) }, 'latest', overrides],
  })
  const times: number[] = []
  const sent: Promise<unknown>[] = []
  const end = performance.now() + seconds * 1_000
  for (let tick = 0; performance.now() < end; tick += 1) {
    sent.push(
      fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body }).then((got) => got.text()),
    )
    if (tick % 4 === 0) {
      const begun = performance.now()
      await (await fetch(`${http}/health/live`)).text()
      times.push(performance.now() - begun)
    }
    await sleep(1_000 / aSecond)
  }
  for (const answer of await Promise.all(sent)) expect(JSON.parse(String(answer)).error.code).toBeLessThan(0)
  return times
}

test.each(Object.entries(floods))(
  'a flood of %s delays no block and no health check, and leaves no memory behind',
  async (name, overrides) => {
    await using gateway = await startGateway(null, { RATE_LIMITS: 'on', TRUSTED_PROXIES: '' })
    const { rpc: url } = gateway.urls
    const height = async () => Number((await rpc(url, 'eth_blockNumber')).result)
    await sleep(5_000)
    const [memory, first] = [gateway.memoryMb(), await height()]
    const begun = performance.now()
    const health = await floodOf(gateway, overrides)
    const blocks = (await height()) - first
    const due = (performance.now() - begun) / 1_000 / blockSeconds
    await sleep(20_000)
    const more = gateway.memoryMb() - memory
    const p95 = Math.round(percentile(health, 0.95))
    figures(name, { blocks, due: due.toFixed(1), healthP95Ms: p95, memoryMoreMb: more })
    expect(blocks).toBeGreaterThanOrEqual(0.9 * Math.floor(due))
    expect(p95).toBeLessThan(100)
    expect(more).toBeLessThan(60)
  },
)
