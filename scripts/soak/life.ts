import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici'
import { openClients } from '../../test/clients/clients.ts'
import { startGateway } from '../../test/gateway-process.ts'
import { inspected, openInspector } from '../../test/inspector.ts'
import { openVitals, type Vitals } from './vitals.ts'
import type { SoakWorld } from './world.ts'

/** A gateway from its start to its end, and its callers. */
export type Life = AsyncDisposable & {
  world: SoakWorld
  /** Measures its memory and descriptors after a garbage collection. */
  look(): Promise<Vitals>
  /** Closes every connection of the soak. */
  leave(): Promise<void>
}

/** Starts a gateway over a folder; it ends with this process, however that ends. */
export async function openLife(
  dataDir: string,
  rest: Pick<SoakWorld, 'outcomes' | 'turnstile' | 'seed' | 'over'>,
): Promise<Life> {
  const gateway = await startGateway(dataDir, { LOG_LEVEL: 'warn', ...inspected })
  const inspector = await openInspector(gateway)
  const vitals = openVitals(gateway, dataDir)
  const clients = openClients(gateway.urls)
  return {
    world: { ...rest, gateway, dataDir, clients },
    async look() {
      await inspector.collect()
      return await vitals()
    },
    async leave() {
      clients[Symbol.dispose]()
      const connections = getGlobalDispatcher()
      setGlobalDispatcher(new Agent())
      await connections.destroy()
    },
    async [Symbol.asyncDispose]() {
      inspector[Symbol.dispose]()
      await gateway[Symbol.asyncDispose]()
    },
  }
}
