import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { dataFolder } from '../../test/data-folder.ts'
import { alignedTable } from '../markdown-table.ts'
import type { Ports } from './balancer.ts'
import { openReplicas, type Replicas, urlsOf } from './open-replicas.ts'

const usage = 'npm run replicas -- [how many gateways, 1 to 8] [--free-ports]'
const entry: Ports = { http: 8_000, grpc: 50_051, rpc: 8_545 }

/**
 * Several gateways on one PostgreSQL and one sandbox, behind a balancer on the ports of a single gateway, until Ctrl-C.
 * Everything is in a temporary folder, which goes with it.
 */
async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { 'free-ports': { type: 'boolean' } } })
  const count = Number(positionals[0] ?? 3)
  if (!Number.isInteger(count) || count < 1 || count > 8 || positionals.length > 1) throw new Error(usage)
  const stopped = new Promise<string>((resolve) => {
    // The package of PostgreSQL would end this process before the gateways have ended.
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.removeAllListeners(signal).on(signal, () => resolve(signal))
  })
  using folder = dataFolder()
  const operatorToken = randomBytes(24).toString('hex')
  const tokenFile = join(folder.path, 'operator.token')
  writeFileSync(tokenFile, operatorToken, { mode: 0o600 })
  const address = values['free-ports'] ? {} : { PUBLIC_URL: urlsOf(entry).http }
  const begun = performance.now()
  const opening = openReplicas({
    dir: folder.path,
    gateways: count,
    workers: 0,
    ports: values['free-ports'] ? { http: 0, grpc: 0, rpc: 0 } : entry,
    settings: { OPERATOR_TOKEN: operatorToken, RATE_LIMITS: 'on', RPC_API_KEYS: '', DRAIN_SECONDS: '', ...address },
    say: (name) => console.log(`starting ${name}`),
  })
  const replicas = await Promise.race([opening, stopped.then(() => null)])
  // What was started ends with this process.
  if (replicas === null) return console.log(`Stopping on ${await stopped}, before all was started.`)
  await using _ = replicas
  console.log(described(replicas, tokenFile, Math.round((performance.now() - begun) / 100) / 10))
  console.log(`Stopping on ${await stopped}.`)
}

function described(replicas: Replicas, tokenFile: string, seconds: number): string {
  const { balancer, gateways, sandbox, redis } = replicas
  const lines = [{ name: 'balancer', ports: balancer.ports, pid: process.pid }].concat(
    gateways.map(({ name, ports, process: running }) => ({ name, ports, pid: running().pid })),
  )
  const rows = lines.map(({ name, ports, pid }) => {
    const { http, grpc, rpc } = urlsOf(ports)
    return [name, http, grpc, rpc, `${pid}`]
  })
  const first = gateways[0]?.process().pid
  return [
    `${gateways.length} gateways are ready after ${seconds} s.`,
    '',
    alignedTable([['process', 'HTTP', 'gRPC', 'JSON-RPC', 'pid'], ...rows]),
    '',
    `Sandbox: ${sandbox.url}`,
    `Redis: ${redis === null ? 'none on this machine' : redis.url}`,
    `Operator token: ${tokenFile}`,
    '',
    `Next: kill -9 ${first}, and ask again at ${urlsOf(balancer.ports).http}/health/ready. Ctrl-C ends everything.`,
  ].join('\n')
}

await main().then(
  () => process.exit(),
  (failure: unknown) => {
    console.error(failure instanceof Error ? failure.message : failure)
    process.exit(1)
  },
)
