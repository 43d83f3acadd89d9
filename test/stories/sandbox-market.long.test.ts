import { expect, test } from 'vitest'
import { output } from '../clients/client.ts'
import { restClient } from '../clients/rest.ts'
import { dataFolder } from '../data-folder.ts'
import { type Gateway, startGateway } from '../gateway-process.ts'
import { operatorToken } from '../operator-token.ts'

const settings = { SANDBOX_MARKET: 'moving', SANDBOX_SPEED: '2', SANDBOX_SEED: 'kept' }

async function operator({ urls }: Gateway, call: 'setSandboxMarket' | 'setSandboxPrice', input: object) {
  const { mode, speed, prices } = await output(restClient(urls.http).call(`operator.${call}`, input, operatorToken))
  return { mode, speed, eth: prices[0].price_usd as number }
}

test('what an operator did outlasts a kill, until the setting itself is changed', async () => {
  using folder = dataFolder()
  const begin = async (more: object = {}) => await startGateway(folder.path, { ...settings, ...more })
  const first = await begin()
  expect(first.said()).toContain('prices move 2 times as fast')
  await operator(first, 'setSandboxMarket', { mode: 'still' })
  const set = await operator(first, 'setSandboxPrice', { symbol: 'ETH', price_usd: 2_500 })
  expect(set).toEqual({ mode: 'still', speed: 2, eth: 2_500 })
  await first.kill()

  const second = await begin()
  expect(second.said()).toContain('prices stand still')
  expect(await operator(second, 'setSandboxMarket', { mode: 'still' })).toEqual(set)
  await second.kill()

  await using third = await begin({ SANDBOX_SPEED: '3' })
  expect(third.said()).toContain('prices move 3 times as fast as real ones; SANDBOX_SEED=kept')
  const now = await operator(third, 'setSandboxMarket', { speed: 3 })
  expect(now).toMatchObject({ mode: 'moving', speed: 3 })
  expect(Math.abs(now.eth / 2_500 - 1)).toBeLessThan(0.02)
})
