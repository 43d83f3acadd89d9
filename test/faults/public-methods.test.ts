import { Client as Channel, credentials, Metadata, type ServiceError } from '@grpc/grpc-js'
import { expect, test } from 'vitest'
import { grpcMethods } from '../../generated/grpc/services.ts'
import { contract, type OperationId } from '../../src/contract/index.ts'
import { errorTable } from '../../src/contract/shared/errors.ts'
import type { Operation } from '../../src/contract/shared/operation.ts'
import { type Reply, rpc } from '../clients/rpc-call.ts'
import { openRpcSocket } from '../clients/rpc-socket.ts'
import { trpcClient } from '../clients/trpc.ts'
import { type PublicGateway, startPublic } from '../drivers/public-gateway.ts'
import type { Urls } from '../gateway-process.ts'
import { asOperator, operatorToken } from '../operator-token.ts'
import { figures } from './figures.ts'

/** A response in the form that all protocols share. */
type Answer = { output: unknown } | { code: string; says: string }
type Ask = (id: OperationId, operation: Operation, input: object) => Promise<Answer>

test('every method in front of another node means the same over HTTP, WebSocket, gRPC and tRPC', async () => {
  await using world = await startPublic()
  await using asked = await protocolsOf(world.gateway.urls)
  const inputs = await inputsOf(world)
  const lacking: Record<string, string> = {}
  const differing: unknown[] = []
  const refused: unknown[] = []
  let methods = 0
  for (const [key, operation] of Object.entries<Operation>(contract.chain)) {
    if (operation.rpc === undefined || operation.kind === 'stream') continue
    methods += 1
    const answers: [string, Answer][] = []
    for (const [protocol, ask] of Object.entries(asked.by)) {
      const input = inputs[key]?.shift() ?? operation.example.input
      answers.push([protocol, await ask(`chain.${key}` as OperationId, operation, input as object)])
    }
    const [first, ...others] = answers.map(([, answer]) => comparable(answer, perCall.has(key)))
    for (const [index, other] of others.entries())
      if (other !== first) differing.push([operation.rpc.method, answers[0], answers[index + 1]])
    const [, answer] = answers[0]!
    if ('output' in answer) continue
    if (answer.code === 'UNIMPLEMENTED') lacking[operation.rpc.method] = answer.says
    else refused.push([operation.rpc.method, answer])
  }
  figures('every method in front of another node', {
    methods,
    protocols: 4,
    lacking: Object.keys(lacking).length,
    differing: differing.length,
  })
  expect(differing).toEqual([])
  expect(refused).toEqual([])
  expect(Object.keys(lacking)).toEqual([
    'net_peerCount',
    'txpool_contentFrom',
    'rollup_syncStatus',
    'rollup_rollupConfig',
    'rollup_outputAtBlock',
    'admin_startSequencer',
    'admin_stopSequencer',
  ])
  for (const reason of Object.values(lacking)) expect(reason).toMatch(/gateway|node|sequencer/i)
  expect((await rpc(world.gateway.urls.rpc, 'optimism_syncStatus')).error?.code).toBe(-32004)
}, 120_000)

/** Values that differ between calls. */
const perCall: ReadonlySet<string> = new Set(['newFilter', 'newBlockFilter', 'newPendingTransactionFilter'])

function comparable(answer: Answer, alikeIsEnough: boolean): string {
  if ('code' in answer) return answer.code
  if (alikeIsEnough) return typeof answer.output
  // Protobuf cannot tell an empty list from an absent one.
  return JSON.stringify(answer.output, (_key, value) =>
    Array.isArray(value) && value.length === 0 ? undefined : value,
  )
}

/** The inputs of each method: of existing things, one for each protocol. */
async function inputsOf({ anvil, account, logger, log, gateway }: PublicGateway): Promise<Record<string, object[]>> {
  const hash = await log(64)
  await anvil.mine()
  const { blockHash, blockNumber: block } = await anvil.call('eth_getTransactionReceipt', hash)
  const request = {
    from: account,
    to: account,
    value: '0x1',
    gas: '0x5208',
    maxFeePerGas: '0x77359400',
    maxPriorityFeePerGas: '0x1',
  }
  const common = { ...request, chainId: await anvil.call('eth_chainId'), type: '0x2' }
  const signed = async (): Promise<string> => {
    const nonce = await anvil.call('eth_getTransactionCount', account, 'latest')
    return await anvil.call('eth_signTransaction', { ...common, nonce })
  }
  const included = await signed()
  await anvil.call('eth_sendRawTransaction', included)
  await anvil.mine()
  const transaction = await signed()
  const filters = await Promise.all(
    Array.from(
      { length: 6 },
      async () => (await rpc(gateway.urls.rpc, 'eth_newFilter', { address: logger, fromBlock: '0x0' })).result,
    ),
  )
  const call = { transaction: { from: account, to: logger, data: `0x${'20'.padStart(64, '0')}` }, block: 'latest' }
  const same = (input: object) => Array.from({ length: 4 }, () => ({ ...input }))
  const callTracer = { options: { tracer: 'callTracer' } }
  return {
    getBalance: same({ address: account, block }),
    getTransactionCount: same({ address: account, block: 'latest' }),
    getCode: same({ address: logger, block: blockHash }),
    getStorageAt: same({ address: logger, slot: '0x0', block: 'latest' }),
    getProof: same({ address: account, storageKeys: [`0x${'0'.repeat(64)}`], block: 'latest' }),
    call: same(call),
    estimateGas: same({ transaction: call.transaction }),
    createAccessList: same(call),
    simulateV1: same({ simulation: { blockStateCalls: [{ calls: [call.transaction] }] }, block }),
    getBlockByNumber: same({ block, fullTransactions: true }),
    getBlockByHash: same({ hash: blockHash }),
    getHeaderByNumber: same({ block }),
    getHeaderByHash: same({ hash: blockHash }),
    getBlockTransactionCountByNumber: same({ block }),
    getBlockTransactionCountByHash: same({ hash: blockHash }),
    getUncleCountByBlockNumber: same({ block }),
    getUncleCountByBlockHash: same({ hash: blockHash }),
    getBlockReceipts: same({ block }),
    getTransactionByHash: same({ hash }),
    getTransactionByBlockHashAndIndex: same({ hash: blockHash, index: '0x0' }),
    getTransactionByBlockNumberAndIndex: same({ block, index: '0x0' }),
    getTransactionReceipt: same({ hash }),
    sendRawTransaction: same({ transaction }),
    sendRawTransactionSync: same({ transaction: included }),
    getLogs: same({ filter: { fromBlock: '0x0', address: logger } }),
    newFilter: same({ filter: { address: logger } }),
    getFilterChanges: same({ filterId: filters[4] }),
    getFilterLogs: same({ filterId: filters[5] }),
    uninstallFilter: filters.slice(0, 4).map((filterId) => ({ filterId })),
    debugTraceTransaction: same({ hash, ...callTracer }),
    debugTraceBlockByNumber: same({ block, ...callTracer }),
    debugTraceBlockByHash: same({ hash: blockHash, ...callTracer }),
    debugTraceCall: same({ ...call, ...callTracer }),
  }
}

/** Callers that all send the operator's token, so that what an operator may ask is compared too. */
async function protocolsOf(urls: Urls): Promise<{ by: Record<string, Ask> } & AsyncDisposable> {
  const socket = await openRpcSocket(urls.rpc, { headers: asOperator })
  const channel = new Channel(urls.grpc, credentials.createInsecure())
  const trpc = trpcClient(urls.http)
  return {
    by: {
      http: async (_, operation, input) =>
        ofReply(operation, await rpc(urls.rpc, operation.rpc?.method ?? '', ...listed(operation, input))),
      ws: async (_, operation, input) =>
        ofReply(operation, await socket.ask(operation.rpc?.method ?? '', listed(operation, input))),
      grpc: async (id, operation, input) => await overGrpc(channel, id, operation, input),
      trpc: async (id, operation, input) => {
        const outcome = await trpc.call(id, input, operatorToken)
        return outcome.ok
          ? { output: promised(operation, outcome.output) }
          : { code: outcome.code, says: outcome.message }
      },
    },
    async [Symbol.asyncDispose]() {
      socket.socket.terminate()
      channel.close()
    },
  }
}

function listed({ rpc: binding }: Operation, input: object): unknown[] {
  return (binding?.params ?? []).map((name) => (input as Record<string, unknown>)[name] ?? null)
}

function ofReply(operation: Operation, { result, error }: Reply): Answer {
  if (error === undefined) return { output: promised(operation, result) }
  expect(error.code).toBe(errorTable[error.data?.code as keyof typeof errorTable]?.jsonRpc)
  return { code: error.data.code, says: error.message }
}

/** The fields that the contract declares; a node may return more over JSON-RPC. */
function promised(operation: Operation, output: unknown): unknown {
  const checked = operation.output.safeParse(output)
  return checked.success ? checked.data : checked.error.issues
}

async function overGrpc(channel: Channel, id: OperationId, operation: Operation, input: object): Promise<Answer> {
  const { path, encodeRequest, decodeResponse } = grpcMethods[id]
  const same = (bytes: Buffer) => bytes
  const { promise, resolve } = Promise.withResolvers<Answer>()
  const metadata = new Metadata()
  metadata.set('authorization', asOperator.authorization)
  channel.makeUnaryRequest(path, same, same, encodeRequest(input), metadata, (error: ServiceError | null, bytes) => {
    if (error === null) resolve({ output: promised(operation, decodeResponse(bytes ?? Buffer.alloc(0))) })
    else {
      const details = String(error.metadata.get('grpc-status-details-bin')[0])
      const code = Object.keys(errorTable).find((name) => details.includes(name)) ?? `status ${error.code}`
      resolve({ code, says: error.details })
    }
  })
  return await promise
}
