import { openChainNode } from '../../src/adapters/node/chain-node.ts'
import { publicUpstream } from '../../src/adapters/node/public/public-upstream.ts'
import type { ChainNode } from '../../src/domain/ports/node.ts'
import { type Anvil, anvilChainId, type Door, openDoor } from './anvil.ts'

const never = new AbortController().signal

export type World = AsyncDisposable & {
  node: ChainNode
  doors: Door[]
  // biome-ignore lint/suspicious/noExplicitAny: answers of every method pass through here
  ask(method: string, ...params: unknown[]): Promise<any>
}

/** The chain's methods over so many proxies of the one node. */
export async function openWorld(
  anvil: Anvil,
  doorCount = 1,
  { ws = false, pollMs = 100, timeoutMs = 10_000 } = {},
): Promise<World> {
  await using opened = new AsyncDisposableStack()
  const doors: Door[] = []
  for (let count = 0; count < doorCount; count += 1) doors.push(opened.use(await openDoor(anvil.url)))
  const upstream = opened.use(
    await publicUpstream({ rpcUrls: doors.map(({ url }) => url), wsUrl: ws ? anvil.wsUrl : null, timeoutMs }),
  )
  const node = opened.use(await openChainNode({ upstream, chainId: anvilChainId, pollMs }))
  const resources = opened.move()
  return {
    node,
    doors,
    ask: (method, ...params) => node.request(method, params, never),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
