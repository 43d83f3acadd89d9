import { Client as Channel, credentials, Metadata } from '@grpc/grpc-js'
import { createPublicClient, createWalletClient, http, numberToHex, pad } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { grpcMethods } from '../../generated/grpc/services.ts'
import { output } from '../clients/client.ts'
import { sharedWorld, type World } from '../world.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})
afterAll(async () => await world[Symbol.asyncDispose]())

/** Its creation, and a contract that writes as many logs as its input says, each with 1,100 bytes of data. */
const logger = '0x6016600c60003960166000f35f355b80156014576001900361044c5fa06002565b00'

/** Blocks with so many logs of one contract, of 2,418 bytes as protobuf each. */
async function writeLogs(counts: readonly number[]) {
  const transport = http(world.urls.rpc)
  const account = privateKeyToAccount(generatePrivateKey())
  const chain = createPublicClient({ transport, pollingInterval: 100 })
  const wallet = createWalletClient({ account, transport })
  const mined = async (hash: `0x${string}`) => await chain.waitForTransactionReceipt({ hash, timeout: 60_000 })
  await mined((await output(world.clients.rest.call('chain.claimFaucet', { address: account.address }))).txHash)
  const { contractAddress: to } = await mined(await wallet.sendTransaction({ chain: null, data: logger }))
  const blocks: bigint[] = []
  for (const count of counts) {
    const data = pad(numberToHex(count))
    const hash = await wallet.sendTransaction({ chain: null, to: to!, data, gas: 12_000_000n })
    const { blockNumber, status } = await mined(hash)
    expect(status).toBe('success')
    blocks.push(blockNumber)
  }
  return { address: to!, fromBlock: numberToHex(blocks[0]!), toBlock: numberToHex(blocks.at(-1)!) }
}

test('logs of 4.8 MB are a stream of whole blocks to a usual client, and one answer to one that takes more', async () => {
  const counts = [300, 100, 100, 900, 300, 300]
  const filter = await writeLogs(counts)
  const refused = await world.clients.grpc.call('chain.getLogs', { filter })
  expect(refused).toMatchObject({ status: 8, code: 'PAYLOAD_TOO_LARGE', metadata: { limit_bytes: '4194304' } })
  const needed = Number(refused.ok ? 0 : refused.metadata?.needed_bytes)
  expect(needed).toBeGreaterThan(4_194_304)

  const raw = (bytes: Buffer) => bytes
  const options = { 'grpc.max_receive_message_length': needed }
  const roomy = new Channel(world.urls.grpc, credentials.createInsecure(), options)
  const usual = new Channel(world.urls.grpc, credentials.createInsecure())
  try {
    const whole = grpcMethods['chain.getLogs']
    const said = new Metadata()
    said.set('x-max-message-bytes', `${needed}`)
    const answer = await new Promise<Buffer>((resolve, reject) => {
      roomy.makeUnaryRequest(whole.path, raw, raw, whole.encodeRequest({ filter }), said, (error, bytes) =>
        error === null && bytes !== undefined ? resolve(bytes) : reject(error),
      )
    })
    expect(answer.length).toBe(needed)

    const { path, encodeRequest, decodeResponse } = grpcMethods['chain.streamLogs']
    const stream = usual.makeServerStreamRequest(path, raw, raw, encodeRequest({ filter }))
    const messages: Buffer[] = await Array.fromAsync(stream)
    const logs = messages.map((bytes) => (decodeResponse(bytes) as { logs: { blockNumber: string }[] }).logs)
    const blocks = logs.map((part) => [...Map.groupBy(part, ({ blockNumber }) => blockNumber).values()])
    expect(blocks.flat().map(({ length }) => length)).toEqual(counts)
    // A block of 900 logs alone is longer than a message.
    const long = blocks.filter((_, index) => messages[index]!.length > 1_048_576)
    expect(long.map((parts) => parts.map(({ length }) => length))).toEqual([[900]])
    expect(logs.flat()).toEqual(whole.decodeResponse(answer))
  } finally {
    roomy.close()
    usual.close()
  }
})
