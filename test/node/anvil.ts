import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { anvilBinary } from '../../src/sandbox/engine/engine.ts'
import { whenGone } from '../when-gone.ts'

export const anvilChainId = 4_242

/** A node in a separate process that mines on request, and can be killed and restarted. */
export type Anvil = AsyncDisposable & {
  url: string
  wsUrl: string
  // biome-ignore lint/suspicious/noExplicitAny: answers of every method pass through here
  call(method: string, ...params: unknown[]): Promise<any>
  mine(count?: number): Promise<void>
  /** Kills it by SIGKILL. */
  kill(): Promise<void>
  /** Starts it again at the same address, with the chain that was saved or that its flags define. */
  restart(saved?: string): Promise<void>
}

/**
 * Starts it; `more` are additional flags. Its accounts are anvil's well-known ones, whose keys it has. Its chain begins
 * in the past unless the flags say otherwise.
 */
export async function startAnvil(
  more: readonly string[] = [],
  { accounts = 1, chainId = anvilChainId, timestamp = '1700000000' } = {},
): Promise<Anvil> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  let child = await start()

  async function start(): Promise<ChildProcess> {
    const numbers = { port, 'chain-id': chainId, accounts }
    const flags = ['--no-mining', ...Object.entries(numbers).flatMap(([name, value]) => [`--${name}`, String(value)])]
    if (timestamp !== '') flags.push('--timestamp', timestamp)
    const started = spawn(anvilBinary(), [...flags, '--quiet', '--no-request-size-limit', ...more], {
      stdio: 'ignore',
    })
    const guard = whenGone('kill -9 "$0"', String(started.pid))
    started.once('exit', () => guard[Symbol.dispose]())
    for (let tries = 0; ; tries += 1) {
      try {
        await call('eth_chainId')
        return started
      } catch (failure) {
        if (tries > 300 || started.exitCode !== null) throw failure
        await sleep(20)
      }
    }
  }

  async function call(method: string, ...params: unknown[]) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } }
    if (error !== undefined) throw new Error(error.message)
    return result
  }

  async function kill(): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }

  return {
    url,
    wsUrl: url.replace('http', 'ws'),
    call,
    async mine(count = 1) {
      for (let block = 0; block < count; block += 1) await call('evm_mine')
    },
    kill,
    async restart(saved) {
      child = await start()
      if (saved !== undefined) await call('anvil_loadState', saved)
    },
    [Symbol.asyncDispose]: kill,
  }
}

/** A proxy in front of a node that counts its calls, and that the test can close. */
export type Door = AsyncDisposable & {
  url: string
  methods: string[]
  /** The parameters of each call. */
  params: unknown[]
  /** Responds in place of the node while it is set; false forwards the call. */
  instead: ((method: string, response: ServerResponse) => unknown) | null
  /** The methods whose response is lost after the node has executed the call. */
  loses: ((method: string) => boolean) | null
}

export async function openDoor(target: string): Promise<Door> {
  const door: Pick<Door, 'methods' | 'params' | 'instead' | 'loses'> = {
    methods: [],
    params: [],
    instead: null,
    loses: null,
  }
  const server = createServer(async (incoming: IncomingMessage, outgoing) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    const { method, params } = JSON.parse(body.toString()) as { method: string; params: unknown }
    door.methods.push(method)
    door.params.push(params)
    if (door.instead !== null && door.instead(method, outgoing) !== false) return
    const onward = httpRequest(
      target,
      { method: 'POST', headers: { 'content-type': 'application/json' } },
      (answer) => {
        if (door.loses?.(method)) {
          answer.resume().on('end', () => outgoing.destroy())
          return
        }
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(outgoing)
      },
    )
    onward.on('error', () => outgoing.destroy())
    onward.end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return Object.assign(door, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/secret-key`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  })
}

/** A port of loopback that nothing listens on, for a process that cannot choose one itself. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
