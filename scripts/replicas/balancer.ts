import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** The ports of a gateway, or of what stands before several. */
export type Ports = { http: number; grpc: number; rpc: number }

/** What the balancer knows of a gateway: it takes requests, it answers that it does not, or it does not answer. */
export type Standing = 'ready' | 'unready' | 'silent'

/** A running balancer. Disposing closes its ports and all connections. */
export type Balancer = AsyncDisposable & {
  ports: Ports
  /** Of each gateway, in their order. */
  standings(): Standing[]
}

const protocols = ['http', 'grpc', 'rpc'] as const
const pollMs = 150
/** Longest that a gateway may take to say how it is; one that is stopped in place does not close its connections. */
const answerMs = 500
/** How often in a row it may be late before its connections are cut; one that is only busy has them still. */
const mostLate = 4
const connectMs = 500
const mostConnections = 10_000

type Backend = { ports: Ports; standing: Standing; late: number; open: Set<Socket> }

/**
 * Passes connections on to gateways on loopback that are ready, one after the other. Where none is, one that answers takes
 * them, so that callers get the reason. A connection that a gateway refuses goes to the next one. Connections to a gateway
 * that does not answer any more are cut, so that callers come again; one that drains keeps its own. Port 0 takes a free one.
 */
export async function startBalancer(gateways: readonly Ports[], ports: Ports): Promise<Balancer> {
  const backends: Backend[] = gateways.map((own) => ({
    ports: own,
    standing: 'silent',
    late: mostLate,
    open: new Set(),
  }))
  const polls = new AbortController()
  await Promise.all(backends.map(poll))
  const polling = backends.map((backend) => keepPolling(backend, polls.signal))
  const callers = new Set<Socket>()
  let turn = 0
  /** The gateways in the order in which a connection tries them. */
  const inTurn = (): Backend[] => {
    turn += 1
    const turned = backends.map((_, index) => backends[(turn + index) % backends.length] as Backend)
    return (['ready', 'unready', 'silent'] as const).flatMap((want) =>
      turned.filter(({ standing }) => standing === want),
    )
  }
  const servers = protocols.map((protocol) =>
    createServer({ pauseOnConnect: true, noDelay: true }, (caller) => {
      caller.on('error', () => caller.destroy()).once('close', () => callers.delete(caller))
      if (callers.size >= mostConnections) return void caller.destroy()
      callers.add(caller)
      void join(caller, inTurn(), protocol)
    }),
  )
  for (const [index, protocol] of protocols.entries()) await listen(servers[index] as Server, ports[protocol])
  const portOf = (index: number) => ((servers[index] as Server).address() as AddressInfo).port
  return {
    ports: { http: portOf(0), grpc: portOf(1), rpc: portOf(2) },
    standings: () => backends.map(({ standing }) => standing),
    async [Symbol.asyncDispose]() {
      polls.abort()
      for (const server of servers) server.close()
      for (const caller of callers) caller.destroy()
      await Promise.all(polling)
    },
  }
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
}

/** Joins a caller with the first gateway that takes the connection; the caller is cut where none does. */
async function join(caller: Socket, order: readonly Backend[], protocol: keyof Ports): Promise<void> {
  for (const backend of order) {
    const onward = await connected(backend.ports[protocol])
    if (onward === null) continue
    if (caller.destroyed) return void onward.destroy()
    backend.open.add(onward)
    onward.once('close', () => {
      backend.open.delete(onward)
      caller.destroy()
    })
    onward.on('error', () => caller.destroy())
    caller.once('close', () => onward.destroy())
    caller.pipe(onward).pipe(caller)
    return
  }
  caller.destroy()
}

async function connected(port: number): Promise<Socket | null> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(connectMs) })
    return socket
  } catch {
    socket.on('error', () => undefined).destroy()
    return null
  }
}

async function keepPolling(backend: Backend, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    await poll(backend)
    if (backend.standing === 'silent') for (const socket of backend.open) socket.destroy()
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
}

async function poll(backend: Backend): Promise<void> {
  try {
    const url = `http://127.0.0.1:${backend.ports.http}/health/ready`
    const response = await fetch(url, { signal: AbortSignal.timeout(answerMs) })
    await response.arrayBuffer()
    backend.standing = response.ok ? 'ready' : 'unready'
    backend.late = 0
  } catch (failure) {
    const isLate = failure instanceof Error && failure.name === 'TimeoutError'
    backend.late = isLate ? backend.late + 1 : mostLate
    backend.standing = backend.late >= mostLate ? 'silent' : 'unready'
  }
}
