import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../../src/adapters/storage/connection/database.ts'
import { AuditEntity } from '../../src/adapters/storage/entities/audit.ts'
import { until } from '../../src/sandbox/fixtures/testing.ts'
import { type Client, output } from '../clients/client.ts'
import { restClient } from '../clients/rest.ts'
import { type Gateway, startGateway } from '../gateway-process.ts'
import { type Door, openDoor } from '../node/anvil.ts'
import { operatorToken } from '../operator-token.ts'
import { type PublicChain, richAccount, settingsOf, startPublicChain } from '../trading/public-world.ts'
import type { Account } from '../world.ts'

let chain: PublicChain
let door: Door
let gateway: Gateway
let client: Client
let ada: Account
let bob: Account

/** The node calls no block safe or finalized, so that the depths of the table count. */
beforeAll(async () => {
  chain = await startPublicChain()
  door = await openDoor(chain.anvil.url)
  answerBlocks()
  await start()
  ada = await richAccount(client, chain)
  bob = await richAccount(client, chain)
})
afterAll(async () => {
  await gateway?.kill()
  await door?.[Symbol.asyncDispose]()
  await chain.close()
})

async function start(): Promise<void> {
  const deployment = { ...chain.deployment, safe_depth: 1, finalized_depth: 3 }
  gateway = await startGateway(chain.dir, settingsOf({ ...chain, deployment }, { CHAIN_RPC_URL: door.url }))
  client = restClient(gateway.urls.http)
}

/** Lets the door refuse the tags, and answer as a node that lags where it is called for the block `lacked`. */
function answerBlocks(lacked?: string, asked = () => {}): void {
  door.instead = (method, response) => {
    const [block] = (door.params.at(-1) ?? []) as unknown[]
    if (method !== 'eth_getBlockByNumber') return false
    const error = { code: -32_602, message: 'unknown block tag' }
    if (block === 'safe' || block === 'finalized') return response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, error }))
    if (block !== lacked) return false
    asked()
    return response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: null }))
  }
}

type Halt = { scope: string; id?: string; reason?: string }
const halts = async (): Promise<Halt[]> => (await output(client.call('operator.listHalts', {}, operatorToken))).halts
const trade = (by: Account, key: string) =>
  client.call('trading.execute', by.trade('WETH', 'USDC', '0.01', key), by.token)

test('a final block with trades that leaves the chain halts trading there until the operator resumes it', async () => {
  const { execution_id } = await output(trade(ada, 'final'))
  const read = async () => await output(client.call('trading.getExecution', { execution_id }, ada.token))
  await until(async () => (await read()).state === 'finalized', 'the trade to be final')
  const receipt = await chain.anvil.call('eth_getTransactionReceipt', (await read()).tx_hash)
  const number = Number(receipt.blockNumber)

  // A node that lags proves nothing, also where the gateway asks it at its start.
  let asked = 0
  await gateway.stop()
  answerBlocks(receipt.blockNumber, () => (asked += 1))
  await start()
  await until(async () => asked > 0, 'the check at the start')
  await sleep(2_000)
  expect(await halts()).toEqual([])
  answerBlocks()

  await chain.anvil.call('evm_setIntervalMining', 0)
  const depth = Number(await chain.anvil.call('eth_blockNumber')) - number + 1
  await chain.anvil.call('anvil_reorg', depth, [])
  await chain.anvil.call('evm_setIntervalMining', 1)
  await until(async () => (await halts()).length > 0, 'the halt')
  const words = `Trading on chain 84532 is halted: block ${number} (${receipt.blockHash}), which was final and has trades of this gateway, is no longer on the chain.`
  expect(await halts()).toMatchObject([{ scope: 'chain', id: '84532', reason: words }])
  const refused = {
    code: 'UNAVAILABLE',
    message: `${words} The operator compares the books with the chain, then lifts the halt with POST /api/v1/operator/trading/resume (scope chain, id 84532). Try again once it is resumed.`,
  }
  expect(await trade(bob, 'refused')).toMatchObject(refused)
  expect(gateway.complaints()).toContain(words)

  await gateway.stop()
  await start()
  expect(await trade(bob, 'refused again')).toMatchObject(refused)
  const halt = { scope: 'chain', id: '84532' }
  expect(await output(client.call('operator.resumeTrading', halt, operatorToken))).toEqual({ halts: [] })
  expect(await output(trade(bob, 'resumed'))).toMatchObject({ status: 'success' })
  await gateway.stop()
  await start()
  await sleep(2_000)
  expect(await halts()).toEqual([])
  await gateway.stop()

  await using database = await openDatabase({ url: null, dataDir: chain.dir })
  const audited = await database.tables.find(AuditEntity, { userId: 0, kind: 'halt' }, { orderBy: { seq: 'asc' } })
  expect(audited.map(({ subject, facts }) => [subject, JSON.parse(facts)])).toEqual([
    ['chain:84532', { set: true, reason: words }],
    ['chain:84532', { lifted: true }],
  ])
})
