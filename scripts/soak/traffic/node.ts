import { strict as assert } from 'node:assert'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { addresses } from '../../../src/sandbox/deploy/addresses.ts'
import type { Reply } from '../../../test/clients/rpc-call.ts'
import { openRpcSocket } from '../../../test/clients/rpc-socket.ts'
import { newSender } from '../../../test/drivers/load.ts'
import { createSender, steadyRequest } from '../../../test/drivers/sender.ts'
import { apiKey } from '../../../test/gateway-process.ts'
import { ask, askNode, codeOf, noAnswer, type SoakWorld, sentNow, steadily, type Traffic } from '../world.ts'

const depositOfWeth = '0xd0e30db0'

/** A wallet of the chain: it reads, calls in batches and over sockets, keeps filters, and sends transactions. */
export const node: Traffic = {
  name: 'node',
  pauseMs: 100,
  async begin(world, { one, below }) {
    const account = await newSender(world.gateway.urls.http)
    const chainId = Number(await askNode(world, 'eth_chainId'))
    const sender = createSender(steadyRequest(world.gateway.urls.rpc), account, chainId)
    const [trpc, grpc] = [world.clients.trpc, world.clients.grpc]
    const head = async () => Number(await askNode(world, 'eth_blockNumber'))
    const deposit = () => sender.send({ to: addresses.weth, value: 1n, data: depositOfWeth })
    const acts: (() => Promise<unknown>)[] = [
      () => askNode(world, 'eth_getBalance', privateKeyToAddress(generatePrivateKey()), 'latest'),
      () => askNode(world, 'eth_call', { to: addresses.weth, data: '0x18160ddd' }, 'latest'),
      async () => askNode(world, 'eth_getBlockByNumber', hex(1 + below(await head())), true),
      async () => askNode(world, 'eth_getLogs', { fromBlock: hex(Math.max(0, (await head()) - 5)) }),
      () => askNode(world, 'eth_feeHistory', '0x5', 'latest', [50]),
      () => askNode(world, 'rollup_syncStatus'),
      () => ask(world, { client: one([trpc, grpc]), id: 'chain.blockNumber', input: {} }),
      () => ask(world, { client: one([trpc, grpc]), id: 'chain.getBalance', input: { address: account.address } }),
      () => batch(world),
      () => filter(world),
      () => socket(world),
      deposit,
      deposit, // twice as often as the others
    ]
    const allMined = async (by: SoakWorld) => {
      for (const hash of sender.acknowledged)
        await steadily(async () => {
          const receipt = await askNode(by, 'eth_getTransactionReceipt', hash)
          assert.equal(receipt?.status, '0x1', `the transaction ${hash}`)
        })
    }
    return {
      round: async () => void (await one(acts)()),
      async settled() {
        assert.ok(sender.acknowledged.length > 0, 'no transaction was acknowledged')
        await allMined(world)
        console.log(`node: ${sender.acknowledged.length} acknowledged transactions are in blocks`)
      },
      restarted: allMined,
    }
  },
}

function hex(number: number): string {
  return `0x${number.toString(16)}`
}

async function batch({ gateway, outcomes }: SoakWorld): Promise<void> {
  const seen = sentNow('a batch', 'json-rpc')
  const methods = ['eth_chainId', 'eth_blockNumber', 'eth_gasPrice', 'net_version', 'eth_syncing']
  const calls = Array.from({ length: 20 }, (_, id) => ({ jsonrpc: '2.0', id, method: methods[id % 5], params: [] }))
  const headers = { 'content-type': 'application/json' }
  try {
    const response = await fetch(gateway.urls.rpc, { method: 'POST', headers, body: JSON.stringify(calls) })
    const answers = (await response.json()) as Reply[]
    if (answers.length !== calls.length) outcomes.broken(`a batch of ${calls.length} got ${JSON.stringify(answers)}`)
    outcomes.note({ ...seen, ...codeOf(answers.find(({ error }) => error !== undefined)?.error) })
  } catch (thrown) {
    outcomes.note({ ...seen, ...noAnswer(thrown) })
  }
}

async function filter(world: SoakWorld): Promise<void> {
  const id = await askNode(world, 'eth_newBlockFilter')
  await askNode(world, 'eth_getFilterChanges', id)
  await askNode(world, 'eth_uninstallFilter', id)
}

/** Subscribes over a new socket, and disconnects after the first event. */
async function socket({ gateway, outcomes }: SoakWorld): Promise<void> {
  const seen = sentNow('eth_subscribe', 'websocket')
  try {
    const connection = await openRpcSocket(gateway.urls.rpc, { headers: { 'x-api-key': apiKey } })
    const { result, error } = await connection.ask('eth_subscribe', ['newHeads'])
    if (error === undefined) {
      const { params } = await connection.next()
      assert.equal(params.subscription, result)
      await connection.ask('eth_unsubscribe', [result])
    }
    connection.socket.close()
    await connection.closed
    outcomes.note({ ...seen, ...codeOf(error) })
  } catch (thrown) {
    outcomes.note({ ...seen, ...noAnswer(thrown) })
  }
}
