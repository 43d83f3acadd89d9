import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { drawn } from '../../scripts/draw-faults.ts'
import { dataFolder } from '../data-folder.ts'
import { startGateway, type Urls } from '../gateway-process.ts'
import { runCommand } from '../run-command.ts'

/**
 * Starts the gateway and lets the client of each folder do the main job against it, as a process that knows only what
 * is published. A client is a `run.sh`: it ends with 0 where all went well, and with 77 where the machine lacks
 * something, which its last line names. Of each of `groups`, those that `--seed` draws run; `all` runs every client.
 */
const root = join(import.meta.dirname, '../..')
const generators = 'generators'
const written = clientsIn('.')
written.delete(generators)
const generated = clientsIn(generators)
const folders = new Map([...written, ...generated])
const groups = [
  { of: 'with stubs from proto/', clients: ['go', 'java', 'python', 'rust'], take: 1 },
  { of: 'of generators', clients: [...generated.keys()], take: 2 },
]
const { values, positionals } = parseArgs({ options: { seed: { type: 'string' } }, allowPositionals: true })
const unknown = positionals.filter((name) => name !== 'all' && !folders.has(name))
if (unknown.length > 0) {
  console.error(`No client ${unknown.join(', ')}; there are ${[...folders.keys()].join(', ')}, and all.`)
  process.exit(2)
}

const codes = { 0: 'passed', 77: 'SKIPPED' } as const
const counts = { passed: 0, SKIPPED: 0, FAILED: 0 }
{
  // All clients register from one address, more often than its rate allows.
  await using gateway = await startGateway()
  console.log(`The gateway was ready after ${gateway.readyMs} ms.`)
  const run = async (client: string) => {
    counts[await outcomeOf(client, gateway.urls)] += 1
  }
  const asked = chosen()
  // It mostly waits, and so runs beside the others.
  const beside = asked.filter((client) => client === 'streams').map(run)
  for (const client of asked) if (client !== 'streams') await run(client)
  await Promise.all(beside)
  if (counts.FAILED > 0) console.log(gateway.complaints())
}
console.log(`${counts.passed} passed, ${counts.SKIPPED} skipped, ${counts.FAILED} failed`)
process.exitCode = counts.FAILED === 0 ? 0 : 1

/** The clients that have a folder of their own in `folder`, by name. */
function clientsIn(folder: string): Map<string, string> {
  const entries = readdirSync(join(import.meta.dirname, folder), { withFileTypes: true })
  return new Map(entries.filter((entry) => entry.isDirectory()).map(({ name }) => [name, join(folder, name)]))
}

/** The clients to run: those named, or all, or those of no group and of each group those that the seed draws. */
function chosen(): string[] {
  if (positionals.includes('all')) return [...folders.keys()]
  if (positionals.length > 0) return positionals
  const seed = values.seed ?? execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim()
  const left = new Set<string>()
  for (const { of, clients, take } of groups) {
    const taken = drawn(clients, seed, take)
    console.log(`Of the clients ${of}, the seed ${seed} drew ${taken.join(' and ')}.`)
    for (const client of clients) if (!taken.includes(client)) left.add(client)
  }
  return [...folders.keys()].filter((client) => !left.has(client))
}

/** Runs a client in a temporary folder and prints its result, with its output unless it passed. */
async function outcomeOf(client: string, urls: Urls): Promise<keyof typeof counts> {
  using folder = dataFolder()
  const script = join(import.meta.dirname, folders.get(client) ?? '', 'run.sh')
  const { code, output, milliseconds } = await runCommand('bash', [script], {
    limitSeconds: 600,
    env: {
      ...process.env,
      PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}`,
      REST_URL: urls.http,
      RPC_URL: urls.rpc,
      GRPC_ADDRESS: urls.grpc,
      WORK_DIR: folder.path,
    },
  })
  const outcome = code === 0 || code === 77 ? codes[code] : 'FAILED'
  console.log(`${client}: ${outcome} (${milliseconds} ms)`)
  if (outcome !== 'passed') console.log(output.trimEnd().replace(/^/gm, '  '))
  return outcome
}
