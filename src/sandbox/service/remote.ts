import { deserialize } from 'node:v8'
import {
  createTRPCClient,
  createWSClient,
  httpLink,
  splitLink,
  type TRPCClient,
  TRPCClientError,
  wsLink,
} from '@trpc/client'
import type { Hex } from 'viem'
import { WebSocket } from 'ws'
import type { Deployment } from '../../adapters/chain/reads/deployment.ts'
import type { BridgeFacts } from '../../domain/ports/bridge.ts'
import { ticks } from '../../opstack/ticks.ts'
import { funder } from '../deploy/funder.ts'
import type { Emit } from '../kit/events.ts'
import { createListeners } from '../kit/listeners.ts'
import { engineUnavailable, RpcError } from '../kit/rpc-error.ts'
import type { Market, MarketState } from '../market/open-market.ts'
import type { Request } from '../requests/public-requests.ts'
import type { Sandbox } from '../world.ts'
import type { Answer, SandboxEventSent, SandboxRouter } from './router.ts'
import { callsPath } from './serve.ts'
import type { Treasury } from './treasury.ts'

/** What a gateway uses of a sandbox, in its own process or in another one. */
export type SandboxWorld = Pick<
  Sandbox,
  'request' | 'deployment' | 'funder' | 'onBlock' | 'onPending' | 'parent' | 'rollup' | 'heads' | 'bridge'
> & {
  /** Starts or stops block production; returns whether it runs then. */
  sequencing: { start: () => Promise<boolean>; stop: () => Promise<boolean> }
  hands: MarketHands
}

/** The hands on the market of a sandbox, in its own process or in another one. */
export type MarketHands = {
  setPrice: (...change: Parameters<Market['setPrice']>) => Promise<MarketState>
  setRunning: (...change: Parameters<Market['setRunning']>) => Promise<MarketState>
}

type RemoteOptions = {
  url: string
  token: string | null
  emit: Emit
}

type Client = TRPCClient<SandboxRouter>
type Heads = ReturnType<Sandbox['heads']>
type Block = Heads['latest']

const resubscribeMs = 250

/** A sandbox that hangs is taken for away after so long without a sign of life. */
const keepAlive = { enabled: true, intervalMs: 3_000, pongTimeoutMs: 5_000 }

/**
 * Connects to the sandbox at a URL. Throws where it does not respond. Later every call fails with the error of a restarting
 * engine while the sandbox is away, and events go on when it is back.
 */
export async function openRemoteSandbox(
  options: RemoteOptions,
): Promise<SandboxWorld & { treasury: Treasury } & AsyncDisposable> {
  await using opened = new AsyncDisposableStack()
  const { client, whileConnected, check } = connect(options, opened)
  const { deployment, treasury: address, parent } = await check()
  const events = await follow(client, options.emit, opened)

  const ask = async <T>(send: (signal: AbortSignal) => Promise<Answer>, signal?: AbortSignal): Promise<T> =>
    resultOf(await whileConnected(send, signal)) as T
  const requestTo =
    (chain: 'rollup' | 'parent'): Request =>
    async ({ method, params, lane, caller, signal }) => {
      const answer = await whileConnected(
        (ended) => client.request.mutate({ chain, method, params, lane, caller: caller?.name }, { signal: ended }),
        signal,
      )
      if (answer.spent > 0) caller?.spent(answer.spent)
      return resultOf(answer)
    }
  const sequence = async (what: 'start' | 'stop') =>
    await whileConnected((signal) => client.sequence.mutate(what, { signal }))
  const resources = opened.move()
  return {
    request: requestTo('rollup'),
    deployment: deployment as Deployment,
    funder,
    onBlock: events.onBlock,
    onPending: events.onPending,
    parent: { request: requestTo('parent'), onBlock: events.onParentBlock, ...parent },
    rollup: {
      syncStatus: () => ask((signal) => client.syncStatus.query(undefined, { signal })),
      config: () => ask((signal) => client.rollupConfig.query(undefined, { signal })),
      outputAt: (number) => ask((signal) => client.outputAt.query(String(number), { signal })),
    },
    heads: events.heads,
    bridge: {
      async facts(hash) {
        const text = await ask<string>((signal) => client.bridgeFacts.query(hash, { signal }))
        return deserialize(Buffer.from(text, 'base64')) as BridgeFacts[]
      },
      ticks: (signal) => ticks([events.onBlock, events.onParentBlock], signal),
    },
    sequencing: { start: () => sequence('start'), stop: () => sequence('stop') },
    hands: {
      setPrice: (asset, usd) => whileConnected((signal) => client.setPrice.mutate({ asset, usd }, { signal })),
      setRunning: (change) => whileConnected((signal) => client.setRunning.mutate(change, { signal })),
    },
    treasury: {
      address,
      sign: (transaction) => ask((signal) => client.sign.mutate(transaction, { signal })),
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

const otherWorld =
  'The sandbox serves another world than before. Start it with the DATA_DIR that it had, or begin anew with an empty database.'

/** The client, and a wrapper of calls that fail at once where the connection is lost. */
function connect({ url, token, emit }: RemoteOptions, opened: AsyncDisposableStack) {
  const headers = token === null ? {} : { authorization: `Bearer ${token}` }
  const calls = `${url}${callsPath}`
  let lost = new AbortController()
  let [isLost, isOver] = [false, false]
  let world: string | null = null
  let replaced: Error | null = null
  class Socket extends WebSocket {
    constructor(address: string) {
      super(address, { headers })
    }
  }
  const socket = createWSClient({
    url: calls.replace(/^http/, 'ws'),
    WebSocket: Socket as unknown as typeof globalThis.WebSocket,
    keepAlive,
    retryDelayMs: (attempt) => Math.min(100 * 2 ** attempt, 1_000),
    onOpen: () => {
      if (isLost) {
        emit({ type: 'sandbox-back' })
        void check().catch(() => undefined)
      }
      isLost = false
    },
    onClose: () => {
      lost.abort()
      lost = new AbortController()
      if (!isLost && !isOver) emit({ type: 'sandbox-lost' })
      isLost = true
    },
  })
  opened.defer(() => {
    isOver = true
    void socket.close()
  })
  const client = createTRPCClient<SandboxRouter>({
    links: [
      splitLink({
        condition: ({ type }) => type === 'subscription',
        true: wsLink({ client: socket }),
        false: httpLink({ url: calls, headers }),
      }),
    ],
  })
  /** Reads what never changes, and looks whether it is the world from before. */
  async function check() {
    const facts = await client.facts.query()
    world ??= facts.genesis
    const isSame = facts.genesis === world
    const before = replaced
    replaced = isSame ? null : new Error(otherWorld)
    if (replaced !== null && before === null) emit({ type: 'sandbox-replaced', error: replaced })
    return facts
  }
  async function whileConnected<T>(send: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (replaced !== null) throw engineUnavailable({ cause: replaced })
    try {
      return await send(signal === undefined ? lost.signal : AbortSignal.any([signal, lost.signal]))
    } catch (cause) {
      throw failureOf(cause)
    }
  }
  return { client, whileConnected, check }
}

/** A refusal stays one, however often the call is repeated; without an answer the sandbox is away. */
function failureOf(cause: unknown): RpcError {
  const { response } = cause instanceof TRPCClientError ? (cause.meta ?? {}) : {}
  if (!(response instanceof Response) || response.status >= 500) return engineUnavailable({ cause })
  const why = response.status === 401 ? 'SANDBOX_TOKEN is not the one of the sandbox' : `status ${response.status}`
  return new RpcError(-32603, `the sandbox refuses the call: ${why}`, undefined, { cause })
}

function resultOf({ result, error }: Answer): unknown {
  if (error !== undefined) throw new RpcError(error.code, error.message, error.data)
  return result
}

/** Follows the events of the sandbox, also after a loss of the connection. Resolves once the heads are known. */
async function follow(client: Client, emit: Emit, opened: AsyncDisposableStack) {
  const [blocks, parentBlocks, pending] = [
    createListeners<Block>(emit),
    createListeners<Block>(emit),
    createListeners<Hex>(emit),
  ]
  const known = Promise.withResolvers<void>()
  let heads: Heads | null = null
  let isOver = false
  let subscription = subscribe()
  opened.defer(() => {
    isOver = true
    subscription.unsubscribe()
  })
  await known.promise
  return {
    onBlock: blocks.add,
    onParentBlock: parentBlocks.add,
    onPending: pending.add,
    heads: () => heads as unknown as Heads, // known since the first event
  }

  function subscribe() {
    return client.events.subscribe(undefined, { onData: take, onComplete: again, onError: again })
  }
  /** The connection is made anew by itself, a stream that has ended is not. */
  function again(): void {
    if (!isOver) setTimeout(() => (subscription = subscribe()), resubscribeMs).unref()
  }
  function take(event: SandboxEventSent): void {
    const { latest, safe, finalized } = event.heads
    heads = { latest: blockOf(latest), safe: blockOf(safe), finalized: blockOf(finalized) }
    known.resolve()
    // After a loss, blocks were missed: the newest one makes their readers look.
    if (event.type === 'heads') blocks.notify(heads.latest)
    else if (event.type === 'pending') pending.notify(event.hash)
    else (event.chain === 'rollup' ? blocks : parentBlocks).notify(blockOf(event.block))
  }
}

function blockOf({ number, hash, timestamp }: { number: string; hash: Hex; timestamp: string }): Block {
  return { number: BigInt(number), hash, timestamp: BigInt(timestamp) }
}
