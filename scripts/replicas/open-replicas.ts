import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Gateway, startGateway } from '../../test/gateway-process.ts'
import { freePort } from '../../test/node/anvil.ts'
import { type PostgresServer, startPostgres } from '../../test/ports/postgres.ts'
import { type RedisServer, startRedis, withoutRedis } from '../../test/redis.ts'
import { type Balancer, type Ports, startBalancer } from './balancer.ts'
import { type SandboxProcess, startSandbox } from './start-sandbox.ts'

/** A gateway or a worker, which keeps its name, ports and folder through restarts. */
export type Replica = AsyncDisposable & {
  name: string
  role: 'gateway' | 'worker'
  ports: Ports
  /** The process that runs, or has run last. */
  process(): Gateway
  /** Starts it again after its end; `more` are other settings, `code` the folder of another version. */
  start(more?: Record<string, string>, code?: string): Promise<void>
}

/** All processes of a gateway in replicas. */
export type Replicas = AsyncDisposable & {
  postgres: PostgresServer
  databaseUrl: string
  redis: RedisServer | null
  sandbox: SandboxProcess
  gateways: Replica[]
  /** Empty where the gateways are workers too. */
  workers: Replica[]
  balancer: Balancer
  urls: { http: string; grpc: string; rpc: string }
}

/** What all gateways use. */
export type Part = 'database' | 'redis' | 'sandbox'

export type Wanted = {
  dir: string
  gateways: number
  workers: number
  /** The ports of the balancer; 0 takes a free one. */
  ports: Ports
  /** For every gateway and worker. */
  settings: Record<string, string>
  /** Gives the address that a gateway or worker uses for the database, Redis or the sandbox, such as that of a proxy. */
  through?: (replica: string, part: Part, url: string) => Promise<string>
  say?: (line: string) => void
}

/** Starts everything on loopback, and waits until all is ready. Disposing ends what was started. */
export async function openReplicas(wanted: Wanted): Promise<Replicas> {
  const { dir, settings, through = async (_replica, _part, url) => url, say = () => undefined } = wanted
  await using opened = new AsyncDisposableStack()
  say('PostgreSQL')
  const postgres = await startPostgres()
  opened.defer(() => postgres.stop())
  const databaseUrl = await postgres.create('trident')
  const redis = withoutRedis === null ? await startRedis() : null
  if (redis !== null) opened.use(redis)
  say('sandbox')
  const sandbox = opened.use(await startSandbox(folderOf(dir, 'sandbox'), await freePort(), sandboxSettings(settings)))
  const shared = {
    MASTER_KEY: randomBytes(32).toString('hex'),
    TOKEN_SECRET: randomBytes(32).toString('hex'),
    ...settings,
  }
  const begin = async (role: Replica['role'], place: number): Promise<Replica> => {
    const name = `${role}-${place + 1}`
    const roles = wanted.workers === 0 ? {} : { ROLES: role }
    say(name)
    const parts = {
      DATABASE_URL: await through(name, 'database', databaseUrl),
      SANDBOX_URL: await through(name, 'sandbox', sandbox.url),
      ...(redis !== null ? { REDIS_URL: await through(name, 'redis', redis.url) } : {}),
    }
    return opened.use(await startReplica(name, role, folderOf(dir, name), { ...shared, ...parts, ...roles }))
  }
  // The first one makes the tables.
  const gateways = [await begin('gateway', 0)]
  for (let place = 1; place < wanted.gateways; place += 1) gateways.push(await begin('gateway', place))
  const workers: Replica[] = []
  for (let place = 0; place < wanted.workers; place += 1) workers.push(await begin('worker', place))
  const balancer = opened.use(
    await startBalancer(
      gateways.map(({ ports }) => ports),
      wanted.ports,
    ),
  )
  const resources = opened.move()
  return {
    ...{ postgres, databaseUrl, redis, sandbox, gateways, workers, balancer },
    urls: urlsOf(balancer.ports),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** The addresses of ports on loopback, as clients take them. */
export function urlsOf({ http, grpc, rpc }: Ports): Replicas['urls'] {
  return { http: `http://127.0.0.1:${http}`, grpc: `127.0.0.1:${grpc}`, rpc: `http://127.0.0.1:${rpc}` }
}

function folderOf(dir: string, name: string): string {
  const folder = join(dir, name)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return folder
}

/** What a sandbox reads of the settings of gateways. */
function sandboxSettings({ CHAIN_ID }: Record<string, string>): Record<string, string> {
  return CHAIN_ID === undefined ? {} : { CHAIN_ID }
}

async function startReplica(
  name: string,
  role: Replica['role'],
  dir: string,
  settings: Record<string, string>,
): Promise<Replica> {
  const ports = { http: await freePort(), grpc: await freePort(), rpc: await freePort() }
  const own = {
    ...settings,
    HTTP_PORT: `${ports.http}`,
    GRPC_PORT: `${ports.grpc}`,
    RPC_PORT: `${ports.rpc}`,
  }
  let running = await startGateway(dir, own)
  return {
    ...{ name, role, ports },
    process: () => running,
    async start(more = {}, code) {
      running = await startGateway(dir, { ...own, ...more }, code)
    },
    async [Symbol.asyncDispose]() {
      running.signal('SIGCONT')
      await running.stop()
    },
  }
}
