import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../src/adapters/storage/connection/database.ts'
import { openExecutions } from '../../src/adapters/storage/trading/executions.ts'
import { openOutbox } from '../../src/adapters/storage/trading/outgoing.ts'
import { parseReference } from '../../src/domain/core/reference.ts'
import { until } from '../../src/sandbox/fixtures/testing.ts'
import { output } from '../clients/client.ts'
import { restClient } from '../clients/rest.ts'
import { type Gateway, startGateway } from '../gateway-process.ts'
import { shared } from '../shared.ts'
import { richAccount, settingsOf, startPublicChain } from './public-world.ts'

let chain: Awaited<ReturnType<typeof startPublicChain>>
let database: Database
const running: Gateway[] = []

beforeAll(async () => {
  chain = await startPublicChain()
  const url = await shared('database')
  const settings = settingsOf(chain, { DATABASE_URL: url })
  running.push(await startGateway(chain.dir, settings), await startGateway(chain.dir, settings))
  database = await openDatabase({ url, dataDir: chain.dir })
})
afterAll(async () => {
  for (const gateway of running) await gateway.kill()
  await database?.[Symbol.asyncDispose]()
  await chain.close()
})

test('two processes on one PostgreSQL trade from the same wallet, each trade once', async () => {
  const ada = await richAccount(restClient(running.at(-1)!.urls.http), chain)
  const clients = running.map(({ urls }) => restClient(urls.http))
  const keys = Array.from({ length: 8 }, (_, index) => `key-${index}`)
  // Every key is sent to both processes at the same time.
  const answers = await Promise.all(
    keys.flatMap((key, index) =>
      clients.map((client) =>
        output(client.call('trading.execute', ada.trade('WETH', 'USDC', `0.0${index + 1}`, key), ada.token)),
      ),
    ),
  )
  // A response is pending where the process did not wait for the block.
  for (const { status } of answers) expect(['success', 'pending']).toContain(status)
  const made = [...new Set(answers.map(({ execution_id }) => execution_id))]
  expect(made).toHaveLength(8)
  const settled = async () => await Promise.all(made.map((id) => openExecutions(database).load(id)))
  await until(async () => (await settled()).every((execution) => execution?.state === 'included'), 'their blocks')
  expect(Number(await chain.anvil.call('eth_getTransactionCount', ada.wallet, 'latest'))).toBe(16)
  const legs = (await Promise.all(made.map((id) => openOutbox(database).byReference(parseReference(id))))).flat()
  expect(legs.every(({ attempts }) => attempts.length === 1)).toBe(true)
})

test('the trades of a killed process are continued at once by the other process', async () => {
  const bob = await richAccount(restClient(running.at(-1)!.urls.http), chain)
  const [first, second] = running
  await chain.anvil.call('evm_setIntervalMining', 0)
  const doomed = restClient(first!.urls.http)
  const lost = ['a', 'b', 'c'].map((key) =>
    doomed.call('trading.execute', bob.trade('WETH', 'USDC', '0.01', key), bob.token).catch(() => null),
  )
  const mine = async () => {
    const { items } = await output(restClient(second!.urls.http).call('trading.listExecutions', {}, bob.token))
    return items as { execution_id: string; state: string }[]
  }
  await until(async () => (await mine()).filter(({ state }) => state === 'broadcast').length === 3, 'the sends')
  await first!.kill()
  await Promise.all(lost)
  await chain.anvil.call('evm_setIntervalMining', 1)
  await until(async () => (await mine()).every(({ state }) => state === 'included'), 'the other process')
  expect(Number(await chain.anvil.call('eth_getTransactionCount', bob.wallet, 'latest'))).toBe(6)
  for (const { execution_id } of await mine())
    expect(await openExecutions(database).load(execution_id)).toMatchObject({ state: 'included' })
  const again = await output(
    restClient(second!.urls.http).call('trading.execute', bob.trade('WETH', 'USDC', '0.01', 'a'), bob.token),
  )
  expect(again).toMatchObject({ status: 'success', replayed: true })
})
