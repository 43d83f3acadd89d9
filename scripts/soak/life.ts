import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici'
import { openClients } from '../../test/clients/clients.ts'
import { startGateway } from '../../test/gateway-process.ts'
import { inspected, openInspector } from '../../test/inspector.ts'
import { asOperator } from '../../test/operator-token.ts'
import { pause, type SoakWorld } from './world.ts'

/** A gateway from its start to its end, and its callers. */
type Life = AsyncDisposable & {
  world: SoakWorld
  /** Measures it by its own metrics, after a garbage collection. */
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
  const begun = performance.now()
  const clients = openClients(gateway.urls)
  return {
    world: { ...rest, gateway, dataDir, clients },
    async look() {
      await inspector.collect()
      const response = await fetch(`${gateway.urls.http}/metrics`, { headers: asOperator })
      const text = await response.text()
      const figure = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
      return {
        at: (performance.now() - begun) / 1_000,
        heapMb: (figure('nodejs_heap_size_used_bytes') + figure('nodejs_external_memory_bytes')) / 1e6,
        residentMb: figure('process_resident_memory_bytes') / 1e6,
        descriptors: figure('process_open_fds'),
        lagMs: figure('nodejs_eventloop_lag_max_seconds') * 1_000,
      }
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

export type Vitals = {
  /** Seconds since the first measurement. */
  at: number
  /** The JavaScript heap with its external buffers. */
  heapMb: number
  residentMb: number
  descriptors: number
  /** The longest delay of the event loop since the last measurement. */
  lagMs: number
}

/**
 * When everything is brought to rest, as shares of the time; before the first, code is compiled and connections are
 * open.
 */
const rests = [0.25, 0.5, 0.75]
/** A shorter run does not bring the gateway to rest, so it shows nothing about growth. */
const leastSeconds = 300
/** Seconds after which abandoned connections are closed, and the last requests have their responses. */
const calmMs = 2_000
/** Seconds after which unused connections of the gateway, such as those to providers, are closed. */
const settleMs = 10_000

/** Measures at intervals until the traffic ends. */
export async function lookOn({ look, world }: Life, during: Vitals[], pauseMs: number): Promise<void> {
  for (; !world.over.aborted; await pause(world, pauseMs)) during.push(await look())
}

/** Measures a few times at rest: what is held then stays. */
export async function lookAtRest({ look, world }: Life, atRest: Vitals[], seconds: number): Promise<void> {
  const begun = performance.now()
  for (const share of seconds < leastSeconds ? [] : rests) {
    await pause(world, begun + share * seconds * 1_000 - performance.now())
    if (world.over.aborted) return
    await world.turnstile.atRest(async () => {
      await sleep(calmMs)
      atRest.push(await look())
    })
  }
}

/** Waits until as few connections are open as at the beginning, or until the timeout, and measures. */
export async function lookWhenSettled({ look }: Life, idle: Vitals): Promise<Vitals> {
  let settled = await look()
  for (const until = Date.now() + settleMs; settled.descriptors > idle.descriptors && Date.now() < until; ) {
    await sleep(500)
    settled = await look()
  }
  return settled
}
