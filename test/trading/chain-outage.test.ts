import { afterAll, beforeAll, expect, test } from 'vitest'
import { DomainError } from '../../src/domain/core/errors.ts'
import type { Chain } from '../../src/domain/ports/chains.ts'
import { chainsWith } from './broken.ts'
import { ordersOf, type Person } from './orders.ts'
import { openTradingWorld, type TradingWorld } from './world.ts'

let world: TradingWorld
let ada: Person

beforeAll(async () => {
  world = await openTradingWorld()
  ada = await world.person()
})
afterAll(async () => await world.close())

const { real, execute } = ordersOf(() => ({ world, person: ada }))

test('an outage of the chain in the risk check is the same error to all who joined a key, which is free after', async () => {
  let gone = true
  const failing = (chain: Chain): Partial<Chain> => ({
    readToken: async (...given) => {
      if (!gone) return await chain.readToken(...given)
      await new Promise((resolve) => setTimeout(resolve, 300)) // so that the others join it
      throw new DomainError('UNAVAILABLE', 'The node does not respond.', {}, new Error('ECONNREFUSED'))
    },
  })
  await world.breakAt((ports) => ({ chains: chainsWith(ports, failing) }))
  await world.resume()
  const request = real('0.01')
  const failures = await Promise.all(
    Array.from({ length: 4 }, () =>
      execute(request).then(
        ({ output }) => output,
        ({ code }: DomainError) => code,
      ),
    ),
  )
  expect(failures).toEqual(Array.from({ length: 4 }, () => 'UNAVAILABLE'))
  expect(await world.ports.executions.findByKey(ada.userId, request.idempotency_key)).toBeNull()
  gone = false
  expect((await execute(request)).output).toMatchObject({ status: 'success' })
})
