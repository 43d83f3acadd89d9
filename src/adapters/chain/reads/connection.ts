import {
  type Address,
  createPublicClient,
  custom,
  type EIP1193RequestFn,
  fallback,
  http,
  type PublicClient,
  type Transport,
} from 'viem'
import type { Head } from '../../../domain/ports/chains.ts'
import type { Deployment } from './deployment.ts'

/** An EIP-1193 request function, as the embedded chain answers it. */
export type NodeRequest = (call: { method: string; params?: unknown }) => Promise<unknown>

/** Makes the same request function, of which somebody hears. */
export type WatchRequest = (request: NodeRequest) => NodeRequest

/** A chain to read from, with what is known of it. */
export type Connection = { client: PublicClient; deployment: Deployment; sandbox: boolean }

/** Where a chain answers: a request function in this process, or JSON-RPC addresses of which later ones stand in. */
type Endpoint = { request: NodeRequest } | { rpcUrls: readonly string[]; watch?: WatchRequest | undefined }

const timeoutMs = 10_000

/** Opens a client. Nothing is sent yet; nothing it reads is cached, because prices must be of this block. */
export function connect(deployment: Deployment, endpoint: Endpoint, sandbox: boolean): Connection {
  const embedded = 'request' in endpoint
  const transport = embedded
    ? // Repeating a request to the embedded chain only hides its faults: the supervisor restarts it.
      custom({ request: endpoint.request as EIP1193RequestFn }, { retryCount: 0 })
    : publicTransport(endpoint.rpcUrls, endpoint.watch)
  const pollingInterval = embedded ? 200 : Math.max(500, (deployment.block_time_seconds * 1_000) / 2)
  return { client: createPublicClient({ transport, pollingInterval, cacheTime: 0 }), deployment, sandbox }
}

function publicTransport(rpcUrls: readonly string[], watch: WatchRequest = (request) => request): Transport {
  const nodes = fallback(rpcUrls.map((url) => http(url, { timeout: timeoutMs, retryCount: 1 })))
  return (options) => {
    const made = nodes(options)
    return { ...made, request: watch(made.request) as EIP1193RequestFn }
  }
}

/** The newest block. */
export async function readHead({ client }: Connection): Promise<Head> {
  const { number, hash, timestamp } = await client.getBlock({ blockTag: 'latest', includeTransactions: false })
  return { number, hash, timestamp }
}

/** Are two addresses the same, however they are written. */
export function same(left: Address, right: Address): boolean {
  return left.toLowerCase() === right.toLowerCase()
}
