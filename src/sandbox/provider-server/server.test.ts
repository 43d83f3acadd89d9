import { expect, test } from 'vitest'
import { engineUnavailable } from '../kit/rpc-error.ts'
import { type Service, serveProviders } from './server.ts'

function failing(prefix: Service['prefix'], thrown: unknown): Service {
  return { prefix, respond: () => Promise.reject(thrown) }
}

test('a provider is unavailable while its chain is, and reports other failures only', async () => {
  const broken = new TypeError('x is not a function')
  const reported: unknown[] = []
  const services = [failing('/unavailable', engineUnavailable()), failing('/broken', broken)]
  const failed = (thrown: unknown) => void reported.push(thrown)
  await using server = await serveProviders(services, { controlPath: null, failed })
  const statuses = await Promise.all(
    ['unavailable', 'broken'].map(async (name) => (await fetch(`${server.url}/${name}/x`)).status),
  )
  expect(statuses).toEqual([503, 500])
  expect(reported).toEqual([broken])
})
