import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A way to the gateway that can be cut, as a network is. */
export type Cuttable = AsyncDisposable & {
  url: string
  /** Cuts every connection, and refuses new ones until `mend`. */
  cut(): void
  mend(): void
}

/** Opens a way to the server of this URL on a port of its own. */
export async function cuttable(target: string): Promise<Cuttable> {
  const { hostname, port } = new URL(target)
  const pairs = new Set<[Socket, Socket]>()
  let isCut = false
  const server = createServer((socket) => {
    if (isCut) return socket.destroy()
    const onward = connect(Number(port), hostname)
    const pair: [Socket, Socket] = [socket, onward]
    pairs.add(pair)
    const end = () => {
      pairs.delete(pair)
      for (const each of pair) each.destroy()
    }
    for (const each of pair) each.on('error', end).on('close', end)
    socket.pipe(onward).pipe(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cutAll = () => {
    for (const [socket, onward] of pairs) for (const each of [socket, onward]) each.resetAndDestroy()
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut() {
      isCut = true
      cutAll()
    },
    mend() {
      isCut = false
    },
    async [Symbol.asyncDispose]() {
      cutAll()
      server.close()
      await once(server, 'close')
    },
  }
}
