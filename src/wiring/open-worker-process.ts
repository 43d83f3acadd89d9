import type { Observer } from '../observe/observer.ts'
import { hostCheck } from '../protocols/address.ts'
import { openDoor } from '../protocols/door.ts'
import { serveHttp } from '../protocols/http.ts'
import { sendNotFound } from '../protocols/pages/page.ts'
import type { Config } from '../settings/config.ts'
import { graceMs, healthOf, sharedParts, tlsOf } from './application.ts'
import { openPorts, ordinaryTimes } from './open-ports.ts'
import { notListening } from './sandbox/not-listening.ts'

/** A process that sends transactions and follows the chains for gateways. It serves its health and metrics alone. */
export type WorkerProcess = AsyncDisposable & { url: string; runsOn: string[]; drain(): void }

export async function openWorkerProcess(
  config: Config,
  observer: Observer,
  times = ordinaryTimes,
): Promise<WorkerProcess> {
  await using opened = new AsyncDisposableStack()
  let url = config.PUBLIC_URL ?? ''
  const world = opened.use(await openPorts(config, observer, () => url, times))
  const shared = sharedParts(config, world, observer)
  const { closing, connections, draining, refused, streams } = shared
  const servesHost = hostCheck(config.ALLOWED_HOSTS ?? [], refused.host)
  const http = await serveHttp({
    ...streams,
    ...tlsOf(config),
    host: config.HOST,
    port: config.HTTP_PORT,
    graceMs,
    connections,
    hsts: false,
    cors: { origins: [] },
    door: openDoor(streams, { servesHost, origins: [], publicUrl: () => url, refused: refused.origin }),
    closing,
    notFoundPage: sendNotFound,
    routes: [healthOf(config, world, observer, shared)],
  }).catch(notListening('HTTP_PORT', config))
  opened.defer(async () => {
    closing.abort()
    await http.close()
  })
  url ||= http.url
  const resources = opened.move()
  return {
    url: http.url,
    runsOn: world.runsOn,
    drain: () => draining.abort(),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
