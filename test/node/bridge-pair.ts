import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openChainNode } from '../../src/adapters/node/chain-node.ts'
import { embeddedUpstream } from '../../src/adapters/node/embedded/embedded-upstream.ts'
import type { Bridge } from '../../src/domain/ports/bridge.ts'
import { chainId } from '../../src/sandbox/fixtures/testing.ts'
import type { Sandbox } from '../../src/sandbox/world.ts'
import { readConfig } from '../../src/settings/config.ts'
import { openNode } from '../../src/wiring/open-node.ts'
import { openObserver } from '../../src/wiring/open-observer.ts'
import { type Door, openDoor } from './anvil.ts'

export type Pair = AsyncDisposable & {
  /** Proxies of the rollup, its rollup node and its parent, which count calls and can be closed. */
  doors: Record<'chain' | 'rollup' | 'parent', Door>
  /** The bridge of a gateway with these settings, behind the three proxies. */
  bridge(settings?: Record<string, string>): Promise<Bridge>
}

const never = new AbortController().signal

type Answer = (method: string, params: unknown[]) => Promise<unknown>

/** Serves both chains of a sandbox over TCP, as a node of each and a rollup node would. */
export async function openPair(world: Sandbox): Promise<Pair> {
  await using opened = new AsyncDisposableStack()
  const { parent, rollup } = world
  const own = { pollMs: 5_000 }
  const chain = opened.use(await openChainNode({ ...own, upstream: embeddedUpstream(world), chainId }))
  const ofParent = embeddedUpstream({ ...parent, onPending: () => () => undefined, heads: null })
  const above = opened.use(await openChainNode({ ...own, upstream: ofParent, chainId: parent.chainId }))
  const methods: Record<string, (params: unknown[]) => Promise<unknown>> = {
    optimism_syncStatus: () => rollup.syncStatus(),
    optimism_rollupConfig: () => rollup.config(),
    optimism_outputAtBlock: ([number]) => rollup.outputAt(BigInt(String(number))),
  }
  const doorTo = async (answer: Answer) => opened.use(await openDoor(opened.use(await serve(answer)).url))
  const doors = {
    chain: await doorTo((method, params) => chain.request(method, params, never)),
    rollup: await doorTo(async (method, params) => await methods[method]?.(params)),
    parent: await doorTo((method, params) => above.request(method, params, never)),
  }
  const urls = { CHAIN_RPC_URL: doors.chain.url, ROLLUP_RPC_URL: doors.rollup.url, L1_RPC_URL: doors.parent.url }
  const resources = opened.move()
  return {
    doors,
    async bridge(settings = {}) {
      const config = readConfig({ ...urls, CHAIN_ID: String(chainId), LOG_LEVEL: 'silent', ...settings })
      return (await openNode(config, null, resources, await openObserver(config))).bridge
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

async function serve(answer: Answer): Promise<AsyncDisposable & { url: string }> {
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString())
    const said = await answer(method, params).then(
      (result) => ({ result }),
      ({ code, message }) => ({ error: { code: code === 'EXECUTION_REVERTED' ? 3 : -32000, message } }),
    )
    outgoing.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, ...said }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}
