import { openChainNode } from '../../src/adapters/node/chain-node.ts'
import { embeddedUpstream } from '../../src/adapters/node/embedded/embedded-upstream.ts'
import { chainId, temporaryDir, testSandbox } from '../../src/sandbox/fixtures/testing.ts'

export type EmbeddedNode = Awaited<ReturnType<typeof openEmbeddedNode>>

const never = new AbortController().signal

/** The client of an embedded chain in a new folder; `heard` receives the calls that reach the engine. */
export async function openEmbeddedNode(
  settings: Parameters<typeof testSandbox>[1] = {},
  heard: (method: string) => void = () => undefined,
) {
  await using opening = new AsyncDisposableStack()
  const dir = opening.use(await temporaryDir())
  const world = opening.use(await testSandbox(dir.path, settings))
  const request: typeof world.request = (call) => {
    heard(call.method)
    return world.request(call)
  }
  const upstream = embeddedUpstream({ ...world, request })
  const node = opening.use(await openChainNode({ upstream, chainId, pollMs: 5_000 }))
  const ask = (method: string, ...params: unknown[]) => node.request(method, params, never)
  const opened = opening.move()
  return {
    world,
    node,
    dataDir: dir.path,
    ask,
    /** The error of a method, or the result that it should not have returned. */
    failure: (method: string, ...params: unknown[]) =>
      ask(method, ...params).then(
        (answer) => ({ answer }),
        (error) => ({ code: error.code, message: error.message, metadata: error.details.metadata }),
      ),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}
