import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { output } from '../clients/client.ts'
import { restClient } from '../clients/rest.ts'
import { newAccount } from '../world.ts'
import { openTarget, type Target } from './gateway.ts'
import { openRaw, type RawSocket, statusesIn } from './raw-socket.ts'
import { samplesOf, sharesOf } from './samples.ts'

let target: Target
let head: string
beforeAll(async () => {
  target = await openTarget()
  const client = restClient(target.gateway.urls.http)
  const { token } = await newAccount(client)
  const market = { symbol: 'ETHUSDC', market: 'spot', streams: ['trade', 'depth'] }
  const { subscription_id } = await output(client.call('tools.subscribeExchange', market, token))
  head = `GET /api/v1/multi-agent/exchange/stream/${subscription_id} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}\r\n`
})
afterAll(async () => await target[Symbol.asyncDispose]())

/** A stream of a market, which has an event at least once a second. */
async function openStream(more = ''): Promise<RawSocket> {
  const raw = await openRaw(target.gateway.urls.http)
  raw.socket.write(`${head}${more}\r\n`)
  return raw
}

const begun = async (raw: RawSocket) =>
  await expect.poll(() => String(raw.received()), { interval: 10, timeout: 60_000 }).toMatch(/^HTTP\/1\.1 \d/)

test('thousands of streams are opened and torn away, begun or not', async () => {
  await target.attack('SSE opens and resets', async (tally) => {
    const rounds = Array(sharesOf(1_000)).keys()
    const caller = async () => {
      for (const round of rounds) {
        const raw = await openStream()
        if (round % 3 !== 0) await begun(raw)
        const [status] = statusesIn(raw.received())
        if (status === undefined) tally.left += 1
        else if (status === 200) tally.answered += 1
        else if (status === 429) tally.refused += 1
        else tally.undeclared.push(`${status} to an open stream`)
        if (round % 2 === 0) raw.socket.resetAndDestroy()
        else raw.socket.destroy()
        tally.sent += 1
      }
    }
    await Promise.all(Array.from({ length: 8 }, caller))
    expect(tally.answered).toBeGreaterThan(tally.refused)
  })
})

test('readers that never read, and those that have sent a close frame, do not disturb others and leave nothing behind', async () => {
  await target.attack('SSE readers that do not read', async (tally) => {
    const readers = await Promise.all(Array.from({ length: 60 }, () => openStream()))
    for (const [index, { socket }] of readers.entries())
      if (index % 2 === 0) socket.pause()
      else socket.end() // half open: it may still read
    const other = await openStream()
    await expect.poll(() => String(other.received()), { timeout: 60_000 }).toContain('data: {')
    for (const { socket } of [...readers, other]) socket.resetAndDestroy()
    tally.sent = readers.length + 1
    tally.answered = tally.sent
  })
})

test('a last event id of any kind is answered with a stream or a refusal of what it is', async () => {
  const ids = fc.oneof(
    fc.string({ unit: 'binary-ascii', maxLength: 250 }).map((text) => text.replaceAll(/[\r\n]/g, '')),
    fc.tuple(fc.uuid(), fc.maxSafeInteger()).map(([id, count]) => `${id}:${count}`),
    fc.constantFrom('-1', '1e9', '%00', ':', '::::', `${'9'.repeat(90)}`, '\u00ff'),
  )
  await target.attack('SSE last event ids', async (tally) => {
    for (const id of samplesOf(ids, 500)) {
      const raw = await openStream(`last-event-id: ${id}\r\n`)
      await begun(raw)
      const [status = 0] = statusesIn(raw.received())
      tally.sent += 1
      if (status === 200) tally.answered += 1
      else tally.refused += 1
      if (![200, 400, 404, 412, 422].includes(status)) tally.undeclared.push(`${status} to ${JSON.stringify(id)}`)
      raw.socket.destroy()
    }
  })
})
