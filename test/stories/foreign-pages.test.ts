import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../src/settings/config.ts'
import { rpc } from '../clients/rpc-call.ts'
import { operatorToken } from '../operator-token.ts'
import { newAccount, openWorld, password, type World } from '../world.ts'

const allowed = 'https://app.example'
const lines: string[] = []
let world: World
beforeAll(async () => {
  const settings = { CORS_ORIGINS: allowed, ALLOWED_HOSTS: 'trident.internal', RATE_LIMITS: 'on', LOG_LEVEL: 'warn' }
  world = await openWorld(settings, { write: (line) => void lines.push(line) })
})
afterAll(async () => await world[Symbol.asyncDispose]())

type Headers = Record<string, string>
type Answer = { status: number; text: string; headers: Headers }

/** Sends a request with any headers, also those that fetch sets by itself. */
function send(url: string, path: string, method: string, headers: Headers, body = ''): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, url), { method, headers, agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (piece) => (text += piece))
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text, headers: response.headers as Headers }),
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
const http = (path: string, method: string, headers: Headers, body?: string) =>
  send(world.urls.http, path, method, headers, body)

const form = { 'content-type': 'application/x-www-form-urlencoded' }
const json = { 'content-type': 'application/json' }
const crossSite = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }
/** What browsers say of a request that a page of another origin sends. */
const foreign: Headers[] = [
  crossSite,
  { ...crossSite, origin: 'https://evil.example' },
  { 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:9999' },
  { origin: 'https://evil.example' },
  { origin: 'null' },
]

describe('a page of another site', () => {
  test('locks nobody out by wrong passwords: its forms are refused before they count', async () => {
    const ada = await newAccount(world.clients.rest)
    for (let guess = 0; guess < 15; guess += 1) {
      const headers = { ...form, ...foreign[guess % foreign.length] }
      const answer = await http('/api/v1/auth/login', 'POST', headers, `username=${ada.email}&password=wrong`)
      expect([headers, answer.status]).toEqual([headers, 403])
      expect(JSON.parse(answer.text)).toMatchObject({ code: 'PERMISSION_DENIED' })
    }
    expect(await world.clients.rest.call('auth.login', { username: ada.email, password })).toMatchObject({ ok: true })
  })

  test.each([
    ['REST', 'POST', '/api/v1/auth/register'],
    ['REST by a read', 'GET', '/api/v1/chains'],
    ['tRPC', 'POST', '/trpc/auth.register'],
    ['tRPC by a read', 'GET', '/trpc/chain.chainId?input=%7B%7D'],
    ['MCP', 'POST', '/mcp'],
    ['the form of the faucet', 'POST', '/faucet'],
    ['a path that is not there', 'POST', '/nowhere'],
  ])('may not call %s', async (_name, method, path) => {
    for (const headers of foreign)
      expect((await http(path, method, { ...json, ...headers }, method === 'POST' ? '{}' : undefined)).status).toBe(403)
  })

  test('may link to pages', async () => {
    for (const method of ['GET', 'HEAD'])
      for (const path of ['/', '/docs/guides', '/explorer', '/faucet']) {
        const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', accept: 'text/html' }
        expect([path, (await http(path, method, headers)).status]).toEqual([path, 200])
      }
    const form = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }
    expect((await http('/faucet', 'POST', form)).status).toBe(403)
  })

  test('may call where its origin is allowed, and this server may call itself', async () => {
    const { host } = new URL(world.urls.http)
    for (const headers of [
      { origin: allowed, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' },
      { origin: `http://${host}`, 'sec-fetch-site': 'same-origin' },
      {},
    ])
      expect((await http('/trpc/chain.chainId?input=%7B%7D', 'GET', headers)).status).toBe(200)
    const preflight = { origin: 'https://evil.example', 'access-control-request-method': 'POST' }
    const { status, headers } = await http('/api/v1/auth/login', 'OPTIONS', preflight)
    expect([status, headers['access-control-allow-origin']]).toEqual([204, undefined])
  })

  test('has its requests counted against the rate of its address alone', async () => {
    const { headers } = await http('/api/v1/auth/login', 'POST', { ...form, ...crossSite }, 'username=a&password=b')
    expect(Number(headers['x-ratelimit-limit'])).toBe(100)
  })
})

test('the node serves HTTP callers of any origin, such as wallets of browser extensions, without letting a page read', async () => {
  const headers = {
    ...json,
    origin: 'chrome-extension://nkbihfbeogaeaoehlefnkodbefgpgknn',
    'sec-fetch-site': 'cross-site',
  }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })
  for (const url of [world.urls.rpc, world.urls.l1 ?? '']) {
    const answer = await send(url, '/', 'POST', headers, body)
    expect(JSON.parse(answer.text)).toMatchObject({ result: expect.stringMatching(/^0x/) })
    expect(answer.headers['access-control-allow-origin']).toBeUndefined()
  }
})

test('a page of the gateway itself may send, behind a proxy that changes the Host too', async () => {
  const body = 'username=nobody@example.com&password=wrong'
  const login = async (headers: Headers) =>
    (await http('/api/v1/auth/login', 'POST', { ...form, ...headers }, body)).status
  const own = new URL(world.urls.http)
  expect(await login({ origin: own.origin, 'sec-fetch-site': 'same-origin' })).toBe(401)
  expect(await login({ origin: own.origin })).toBe(401)
  expect(await login({ host: 'localhost:1', origin: 'http://localhost:1' })).toBe(401)
  expect(await login({ origin: 'https://trident.example', 'sec-fetch-site': 'same-origin' })).toBe(401)
  expect(await login({ host: 'localhost:1', origin: 'https://localhost:1', 'sec-fetch-site': 'cross-site' })).toBe(403)
  expect(await login({ origin: 'https://trident.example', 'sec-fetch-site': 'none' })).toBe(403)
})

describe('a host name', () => {
  const body = JSON.stringify({ email: 'no address', password: 'x' })

  test('that is not served is refused on every port, with the name and the setting', async () => {
    const host = 'rebound.example:8000'
    for (const [path, method] of [
      ['/api/v1/auth/register', 'POST'],
      ['/trpc/chain.chainId?input=%7B%7D', 'GET'],
      ['/mcp', 'POST'],
      ['/', 'GET'],
    ] as const) {
      const answer = await http(path, method, { ...json, host }, method === 'POST' ? body : undefined)
      expect([path, answer.status]).toEqual([path, 403])
      expect(answer.text).toMatch(/rebound\.example is not served.*ALLOWED_HOSTS/)
    }
    for (const url of [world.urls.rpc, world.urls.l1 ?? '']) {
      const answer = await send(url, '/', 'POST', { ...json, host }, '{}')
      expect([answer.status, answer.text]).toEqual([403, expect.stringMatching(/rebound\.example is not served/)])
    }
  })

  test('is reported once, with the setting that serves it', async () => {
    for (const host of ['twice.example', 'twice.example:81', 'other_one', 'TWICE.example.', 'a b', 'x"y'])
      await http('/', 'GET', { host })
    const warned = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg.includes('host name that is not'))
    const found = ['rebound.example', 'twice.example', 'other_one']
    expect(warned.map(({ setting }) => setting)).toEqual(found.map((name) => `ALLOWED_HOSTS=trident.internal,${name}`))
    // What it says to write is a setting that starts.
    for (const { setting } of warned)
      expect(readConfig({ ALLOWED_HOSTS: setting.split('=')[1] }).ALLOWED_HOSTS).toHaveLength(2)
  })

  test('of an origin that is refused is reported once too', async () => {
    const body = `username=a@example.com&password=wrong`
    for (const port of [1, 1, 2]) {
      const answer = await http('/api/v1/auth/login', 'POST', { ...form, origin: `https://once.example:${port}` }, body)
      expect(answer.text).toMatch(/CORS_ORIGINS.*PUBLIC_URL/)
    }
    const warned = lines.map((line) => JSON.parse(line)).filter(({ found }) => found.includes('once.example'))
    expect(warned.map(({ setting, found }) => [setting, found])).toEqual([
      ['CORS_ORIGINS', 'https://once.example:1'],
      ['CORS_ORIGINS', 'https://once.example:2'],
    ])
  })

  test('of a proxy is served where ALLOWED_HOSTS has it, and each address and name of this machine is', async () => {
    for (const host of [
      'trident.internal',
      'trident.internal:8080',
      'trident.internal.',
      '10.1.2.3',
      '[::1]:8000',
      'localhost',
      'app.localhost',
    ])
      expect([host, (await http('/api/v1/auth/register', 'POST', { ...json, host }, body)).status]).toEqual([host, 422])
  })

  test('of a probe may be any, and so may that of who reads metrics with a token', async () => {
    const host = 'pod-7.cluster.example'
    expect((await http('/health/live', 'GET', { host })).status).toBe(200)
    expect((await http('/metrics', 'GET', { host, authorization: `Bearer ${operatorToken}` })).status).toBe(200)
    expect((await http('/metrics', 'GET', { host })).status).toBe(401)
  })
})

test('a forged name breaks no line of the refusal or the log', async () => {
  const answer = await http('/', 'GET', { host: 'a"<b>\\c' })
  expect([403, 400]).toContain(answer.status)
  expect(answer.text).not.toMatch(/<b>/)
  expect((await rpc(world.urls.rpc, 'eth_chainId')).result).toBeDefined()
})
