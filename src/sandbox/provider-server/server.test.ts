import { expect, test } from 'vitest'
import { engineUnavailable } from '../kit/rpc-error.ts'
import { type Service, serveProviders } from './server.ts'

function failing(prefix: Service['prefix'], thrown: unknown): Service {
  return { prefix, answer: () => Promise.reject(thrown) }
}

test('a provider is away while the chain that it tells of is, and only what else it fails by is reported', async () => {
  const broken = new TypeError('x is not a function')
  const reported: unknown[] = []
  const services = [failing('/away', engineUnavailable()), failing('/broken', broken)]
  const failed = (thrown: unknown) => void reported.push(thrown)
  await using server = await serveProviders(services, { controlPath: null, failed })
  const statuses = await Promise.all(
    ['away', 'broken'].map(async (name) => (await fetch(`${server.url}/${name}/x`)).status),
  )
  expect(statuses).toEqual([503, 500])
  expect(reported).toEqual([broken])
})
