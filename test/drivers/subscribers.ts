import { Client as Channel, credentials, Metadata } from '@grpc/grpc-js'
import { grpcMethods } from '../../generated/grpc/services.ts'
import { openRpcSocket, type RpcSocket } from '../clients/rpc-socket.ts'
import { trpcClient } from '../clients/trpc.ts'
import { apiKey, type Urls } from '../gateway-process.ts'

export type SubscriberProtocol = 'ws' | 'grpc' | 'trpc'

export type Head = { number: string; hash: string; parentHash: string }
export type Log = { blockHash: string; blockNumber: string; logIndex: string; removed?: boolean }

/** The heads and logs that one subscriber received, in order. */
export type Subscriber = {
  protocol: SubscriberProtocol
  heads: Head[]
  logs: Log[]
  /** Why it ended, although it should not have. */
  ended: string | null
}

export type Crowd = AsyncDisposable & { all: Subscriber[]; of(protocol: SubscriberProtocol): Subscriber[] }

/** Subscribes so many times on each protocol to all heads and to the logs of a filter. */
export async function subscribeAll(
  urls: Pick<Urls, 'http' | 'grpc' | 'rpc'>,
  count: number,
  protocols: readonly SubscriberProtocol[] = ['ws', 'grpc', 'trpc'],
): Promise<Crowd> {
  const leaving = new AbortController()
  const ends: (() => void)[] = [() => leaving.abort()]
  const numbers = Array.from({ length: count }, (_, index) => index)
  const openers: Record<SubscriberProtocol, () => Promise<Subscriber[]>> = {
    ws: async () => await Promise.all(numbers.map(() => overWebSocket(urls.rpc, ends))),
    grpc: async () => numbers.map((index) => overGrpc(urls.grpc, fromAfar(index), leaving.signal, ends)),
    trpc: async () => numbers.map((index) => overTrpc(urls.http, fromAfar(index), leaving.signal)),
  }
  const all = (await Promise.all(protocols.map((protocol) => openers[protocol]()))).flat()
  return {
    all,
    of: (protocol) => all.filter((one) => one.protocol === protocol),
    async [Symbol.asyncDispose]() {
      for (const end of ends) end()
    },
  }
}

/** Each subscriber has its own address, as behind a proxy: one address may open a bounded number of streams. */
function fromAfar(index: number): Record<string, string> {
  return { 'x-forwarded-for': `203.0.113.${index}` }
}

function newSubscriber(protocol: SubscriberProtocol): Subscriber {
  return { protocol, heads: [], logs: [], ended: null }
}

async function overWebSocket(url: string, ends: (() => void)[]): Promise<Subscriber> {
  const subscriber = newSubscriber('ws')
  const connection: RpcSocket = await openRpcSocket(url, { headers: { 'x-api-key': apiKey } })
  connection.socket.on('message', (data) => take(subscriber, JSON.parse(String(data)).params?.result))
  connection.socket.on('close', (code, reason) => (subscriber.ended ??= `${code} ${reason}`))
  ends.push(() => connection.socket.terminate())
  for (const type of ['newHeads', 'logs']) {
    const { error } = await connection.ask('eth_subscribe', [type])
    if (error !== undefined) throw new Error(`${type}: ${error.message}`)
  }
  return subscriber
}

function overGrpc(
  address: string,
  headers: Record<string, string>,
  leaving: AbortSignal,
  ends: (() => void)[],
): Subscriber {
  const subscriber = newSubscriber('grpc')
  const { path, encodeRequest, decodeResponse } = grpcMethods['chain.subscribe']
  const same = (bytes: Buffer) => bytes
  const channel = new Channel(address, credentials.createInsecure(), { 'grpc.use_local_subchannel_pool': 1 })
  const metadata = Metadata.fromHttp2Headers(headers)
  const end = (why: string) => {
    if (!leaving.aborted) subscriber.ended ??= why
  }
  for (const type of ['newHeads', 'logs']) {
    const call = channel.makeServerStreamRequest(path, same, same, encodeRequest({ type }), metadata)
    call.on('data', (bytes: Buffer) => take(subscriber, decodeResponse(bytes)))
    call.on('error', (error) => end(error.message)).on('end', () => end('end'))
    ends.push(() => call.cancel())
  }
  ends.push(() => channel.close())
  return subscriber
}

function overTrpc(url: string, headers: Record<string, string>, leaving: AbortSignal): Subscriber {
  const subscriber = newSubscriber('trpc')
  const client = trpcClient(url, headers)
  const follow = async (type: string) => {
    for await (const event of client.stream('chain.subscribe', { type }, undefined, leaving)) take(subscriber, event)
    throw new Error('end')
  }
  for (const type of ['newHeads', 'logs'])
    follow(type).catch((error: Error) => {
      if (!leaving.aborted) subscriber.ended ??= error.message
    })
  return subscriber
}

/** An event of any protocol: a head or a log as it is, or in the field of its type. */
function take(subscriber: Subscriber, event: unknown): void {
  const seen = event as { head?: Head; log?: Log; parentHash?: string; logIndex?: string } | undefined
  const head = seen?.head ?? (seen?.parentHash === undefined ? undefined : (seen as Head))
  const log = seen?.log ?? (seen?.logIndex === undefined ? undefined : (seen as Log))
  if (head !== undefined) {
    const { number, hash, parentHash } = head
    subscriber.heads.push({ number, hash, parentHash })
  }
  if (log !== undefined) {
    const { blockHash, blockNumber, logIndex, removed = false } = log
    subscriber.logs.push({ blockHash, blockNumber, logIndex, removed })
  }
}
