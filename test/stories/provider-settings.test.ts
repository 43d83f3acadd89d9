import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { output } from '../clients/client.ts'
import { newAccount, openWorld } from '../world.ts'

const folder = () => {
  const path = mkdtempSync(join(tmpdir(), 'trident-providers-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

test('provider faults are set on a separate socket, and do not affect the other sources', async () => {
  using dir = folder()
  await using world = await openWorld({ DATA_DIR: dir.path })
  const control = (method: string, rule?: object) =>
    new Promise<number>((resolve, reject) => {
      const asked = request({ socketPath: join(dir.path, 'chain', 'providers.sock'), method }, (response) => {
        response.resume()
        resolve(response.statusCode ?? 0)
      })
      asked.on('error', reject).end(rule === undefined ? undefined : JSON.stringify(rule))
    })
  const { rest } = world.clients
  const { token } = await newAccount(rest)
  const research = () =>
    output(rest.call('research.preview', { analytics_query_id: 2, tvl_chain: 'sandbox', price_symbol: 'WETH' }, token))
  const states = async () => (await research()).parts.map(({ state }: { state: string }) => state)
  expect(await states()).toEqual(['ok', 'ok', 'ok'])
  expect(await control('POST', { path: '/analytics', fault: { type: 'reset' } })).toBe(200)
  const { parts, summary } = await research()
  expect(parts).toMatchObject([
    { state: 'failed', code: 'UNAVAILABLE' },
    { state: 'ok' },
    { state: 'ok', source: 'tvlfeed (sandbox)' },
  ])
  expect(summary).toContain('analytics_rows is missing: The analytics provider cannot be reached')
  await control('DELETE')
  await control('POST', { path: '/analytics', fault: { type: 'stall' } })
  expect(await states()).toEqual(['timed_out', 'ok', 'ok'])
  await control('DELETE')
  const asked = { symbol: 'ETHUSDC', streams: ['trade'] }
  const { subscription_id } = await output(rest.call('tools.subscribeExchange', asked, token))
  const heard: string[] = []
  const leaving = new AbortController()
  const events = rest.stream('tools.streamExchange', { subscription_id }, token, leaving.signal)
  for await (const { sequence, status } of events) {
    // The open connection is cut, and the next one is refused.
    if (sequence === 1) await control('POST', { path: '/exchange/stream', times: 1, fault: { type: 'reset' } })
    if (status !== undefined) heard.push(status.state)
    if (status?.state === 'resumed') break
  }
  leaving.abort()
  expect(heard).toEqual(['interrupted', 'resumed'])
  expect(await control('POST', { fault: { type: 'nonsense' } })).toBe(422)
  expect(await control('DELETE')).toBe(200)
  expect(await states()).toEqual(['ok', 'ok', 'ok'])
})

test('providers are where the settings say, their keys go to them and into no answer', async () => {
  const [password, key] = ['pass-of-the-address', 'key-of-the-analytics']
  const headers: Record<string, unknown>[] = []
  const provider = createServer((asked, response) => {
    headers.push(asked.headers)
    response.writeHead(400).end(JSON.stringify({ error: `${asked.headers['x-dune-api-key'] ?? password} is wrong` }))
  })
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve))
  const { port } = provider.address() as AddressInfo
  await using world = await openWorld({
    TVL_URL: `http://ada:${password}@127.0.0.1:${port}`,
    ANALYTICS_URL: `http://127.0.0.1:${port}/${key}`,
    ANALYTICS_API_KEY: key,
  })
  const { rest } = world.clients
  const { token } = await newAccount(rest)
  const answers = [
    await rest.call('metrics.tvl', { mode: 'tvlfeed' }, token),
    await rest.call('research.preview', { analytics_query_id: 1 }, token),
    await rest.call('research.preview', { analytics_query_id: 1, tvl_chain: 'base' }, token),
  ]
  expect(answers).toMatchObject([
    { code: 'INVALID_ARGUMENT', message: expect.stringContaining('The TVL provider refuses the request: ***') },
    { code: 'INVALID_ARGUMENT', message: expect.stringContaining('*** is wrong') },
    { ok: false, message: expect.stringContaining('***') },
  ])
  for (const secret of [key, password]) expect(JSON.stringify(answers)).not.toContain(secret)
  expect(headers[0]).toMatchObject({ authorization: `Basic ${Buffer.from(`ada:${password}`).toString('base64')}` })
  expect(headers[1]).toMatchObject({ 'x-dune-api-key': key })
  provider.closeAllConnections()
  await new Promise((resolve) => provider.close(resolve))
})

test('a response names the provider of its address, where each address has a different provider', async () => {
  const prices = createServer((_asked, response) =>
    response.end('{"coins":{"a:0x1":{"price":2,"timestamp":1790000000}}}'),
  )
  await new Promise<void>((resolve) => prices.listen(0, '127.0.0.1', resolve))
  await using world = await openWorld({ TVL_PRICES_URL: `http://localhost:${(prices.address() as AddressInfo).port}` })
  const { rest } = world.clients
  const { token } = await newAccount(rest)
  const { parts } = await output(rest.call('research.preview', { tvl_chain: 'sandbox', price_symbol: 'a:0x1' }, token))
  expect(parts).toMatchObject([{ source: 'tvlfeed (sandbox)' }, { source: 'tvlfeed (localhost)' }])
  prices.closeAllConnections()
  await new Promise((resolve) => prices.close(resolve))
})

test('a missing key names its setting', async () => {
  await using world = await openWorld({ ANALYTICS_URL: 'http://127.0.0.1:1' })
  const { rest } = world.clients
  const { token } = await newAccount(rest)
  expect(await rest.call('research.preview', { analytics_query_id: 1 }, token)).toMatchObject({
    code: 'UNAVAILABLE',
    message: expect.stringContaining('ANALYTICS_API_KEY'),
  })
})
