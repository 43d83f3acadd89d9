import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { until } from '../../src/sandbox/fixtures/testing.ts'
import { dataFolder } from '../data-folder.ts'
import { freePort } from '../node/anvil.ts'
import { whenGone } from '../when-gone.ts'

/** The ports of a gateway, or of what stands before several. */
export type Ports = { http: number; grpc: number; rpc: number }

export type BalancerKind = 'haproxy' | 'nginx'

/** The ports that the configuration files name. */
const named = { http: 8_000, grpc: 50_051, rpc: 8_545 } as const

const files = { haproxy: 'haproxy.cfg', nginx: 'nginx.conf' } as const

/** The program of a balancer; null where this machine does not have it. */
export function balancerProgram(kind: BalancerKind): string | null {
  const folders = ['/usr/sbin', ...(process.env.PATH ?? '').split(':')]
  return folders.map((folder) => join(folder, kind)).find((path) => existsSync(path)) ?? null
}

export async function freePortsOf(): Promise<Ports> {
  return { http: await freePort(), grpc: await freePort(), rpc: await freePort() }
}

/** Starts a balancer before two gateways with the published configuration, in which only addresses are others. */
export async function startBalancer(
  kind: BalancerKind,
  gateways: readonly Ports[],
): Promise<AsyncDisposable & { ports: Ports; said(): string }> {
  const ports = await freePortsOf()
  const folder = dataFolder()
  const file = join(folder.path, files[kind])
  writeFileSync(
    file,
    configured(readFileSync(join(import.meta.dirname, '../../scripts/deploy', files[kind]), 'utf8'), ports, gateways),
  )
  const words = kind === 'haproxy' ? ['-db', '-f', file] : ['-p', folder.path, '-c', file, '-g', 'daemon off;']
  const child = spawn(balancerProgram(kind) ?? kind, words, { stdio: ['ignore', 'pipe', 'pipe'] })
  const guard = whenGone('kill "$0"', String(child.pid))
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text))
  const ended = once(child, 'close')
  const listens = async () => {
    if (child.exitCode !== null) throw new Error(`${kind} ended:\n${said}`)
    return (await Promise.all(Object.values(ports).map(accepts))).every(Boolean)
  }
  await until(listens, kind, 20_000)
  return {
    ports,
    said: () => said,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await ended
      guard[Symbol.dispose]()
      folder[Symbol.dispose]()
    },
  }
}

/** The text of a configuration with other addresses. */
function configured(text: string, own: Ports, gateways: readonly Ports[]): string {
  let result = text
  for (const [name, port] of Object.entries(named) as [keyof Ports, number][]) {
    result = result.replaceAll(new RegExp(`(bind \\*:|listen )${port}\\b`, 'g'), (_, before: string) =>
      before === 'listen ' ? `listen 127.0.0.1:${own[name]}` : `bind 127.0.0.1:${own[name]}`,
    )
    for (const [place, ports] of gateways.entries())
      result = result.replaceAll(`gateway-${place + 1}:${port}`, `127.0.0.1:${ports[name]}`)
  }
  return result
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  return await once(socket, 'connect')
    .then(
      () => true,
      () => false,
    )
    .finally(() => socket.destroy())
}
