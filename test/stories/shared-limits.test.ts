import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newEmail, password } from '../accounts.ts'
import { type Client, output } from '../clients/client.ts'
import { dataFolder } from '../data-folder.ts'
import { operatorToken } from '../operator-token.ts'
import { startRedis, withoutRedis } from '../redis.ts'
import { shared } from '../shared.ts'
import { type PublicChain, settingsOf, startPublicChain } from '../trading/public-world.ts'
import { openWorld, type World } from '../world.ts'

const secret = () => randomBytes(32).toString('hex')

let chain: PublicChain
beforeAll(async () => {
  chain = await startPublicChain()
})
afterAll(async () => await chain?.close())

/** Three gateways of one database. */
async function openThree(settings: Record<string, string> = {}) {
  await using opened = new AsyncDisposableStack()
  const lines: string[] = []
  const common = { DATABASE_URL: await shared('database'), MASTER_KEY: secret(), TOKEN_SECRET: secret() }
  const worlds: World[] = []
  for (let count = 0; count < 3; count += 1) {
    const given = { ...common, RATE_LIMITS: 'on', RATE_RULES: 'default=30/600,register=20/600', ...settings }
    const DATA_DIR = opened.use(dataFolder()).path
    const log = { write: (line: string) => void lines.push(line) }
    worlds.push(opened.use(await openWorld(settingsOf(chain, { ...given, DATA_DIR, LOG_LEVEL: 'info' }), log)))
  }
  const resources = opened.move()
  const [first, ...others] = worlds as [World, ...World[]]
  const outages = () => lines.filter((line) => line.includes('Redis'))
  return { first, worlds: [first, ...others], outages, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

/** A new account, of which nothing is counted yet. */
async function register(client: Client): Promise<{ email: string; token: string }> {
  const email = newEmail()
  const { token } = await output(client.call('auth.register', { email, password }))
  return { email, token: token.access_token }
}

/** How many of so many calls of each gateway are allowed, all at once. */
async function allowed(worlds: readonly World[], token: string, each: number): Promise<number> {
  const calls = worlds.flatMap(({ clients }) =>
    Array.from({ length: each }, async () => (await clients.rest.call('auth.whoAmI', {}, token)).ok),
  )
  return (await Promise.all(calls)).filter(Boolean).length
}

test('without Redis the rates of three gateways are divided, and wrong passwords are counted exactly', async () => {
  await using three = await openThree()
  const { token, email } = await register(three.first.clients.rest)
  await pause(1_200) // each has read since the last one started
  const count = await allowed(three.worlds, token, 20)
  expect(count).toBeGreaterThanOrEqual(27)
  expect(count).toBeLessThanOrEqual(33)

  const guesses = three.worlds.flatMap(({ clients }) =>
    Array.from({ length: 5 }, async () => await codeOf(clients.rest, email)),
  )
  const codes = await Promise.all(guesses)
  expect(codes.filter((code) => code === 'UNAUTHENTICATED').length).toBe(10)
  expect(codes.filter((code) => code === 'RATE_LIMITED').length).toBe(5)
})

test.skipIf(withoutRedis)(
  'with Redis a rate over three gateways is exact, divided while it is away, and exact again',
  async () => {
    await using redis = await startRedis()
    await using three = await openThree({ REDIS_URL: redis.url })
    const { token } = await register(three.first.clients.rest)
    expect(await allowed(three.worlds, token, 20)).toBe(30)
    const ready = async () => {
      const response = await fetch(`${three.first.urls.http}/health/ready`)
      return { status: response.status, redis: ((await response.json()) as { checks: { redis: string } }).checks.redis }
    }
    expect(await ready()).toEqual({ status: 200, redis: 'ok' })

    const { token: second } = await register(three.first.clients.rest)
    redis.signal('SIGSTOP')
    const count = await allowed(three.worlds, second, 20)
    expect(count).toBeGreaterThanOrEqual(27)
    expect(count).toBeLessThanOrEqual(33)
    await expect.poll(ready).toEqual({ status: 200, redis: 'away: rates are divided' })
    const metrics = async () =>
      await (
        await fetch(`${three.first.urls.http}/metrics`, { headers: { authorization: `Bearer ${operatorToken}` } })
      ).text()
    expect(await metrics()).toContain('trident_redis_away 1')

    redis.signal('SIGCONT')
    await expect.poll(ready).toEqual({ status: 200, redis: 'ok' })
    expect(await metrics()).toContain('trident_redis_away 0')
    await expect.poll(() => three.outages().length).toBe(6)
    const { token: third } = await register(three.first.clients.rest)
    expect(await allowed(three.worlds, third, 20)).toBe(30)
  },
)

async function codeOf(client: Client, username: string): Promise<string | undefined> {
  const result = await client.call('auth.login', { username, password: 'a wrong password' })
  return result.ok ? undefined : result.code
}
