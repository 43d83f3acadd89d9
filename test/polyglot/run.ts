import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { dataFolder } from '../data-folder.ts'
import { startGateway, type Urls } from '../gateway-process.ts'
import { runCommand } from '../run-command.ts'

/**
 * Starts the gateway and lets the client of each folder do the main job against it, as a process that knows only what
 * is published. A client is a `run.sh`: it ends with 0 where all went well, and with 77 where the machine lacks
 * something, which its last line names.
 */
const root = join(import.meta.dirname, '../..')
const clients = readdirSync(import.meta.dirname, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
const named = process.argv.slice(2)
const unknown = named.filter((name) => !clients.includes(name))
if (unknown.length > 0) {
  console.error(`No client ${unknown.join(', ')}; there are ${clients.join(', ')}.`)
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
  const asked = named.length > 0 ? named : clients
  // It mostly waits, and so runs beside the others.
  const beside = asked.filter((client) => client === 'streams').map(run)
  for (const client of asked) if (client !== 'streams') await run(client)
  await Promise.all(beside)
  if (counts.FAILED > 0) console.log(gateway.complaints())
}
console.log(`${counts.passed} passed, ${counts.SKIPPED} skipped, ${counts.FAILED} failed`)
process.exitCode = counts.FAILED === 0 ? 0 : 1

/** Runs a client in a temporary folder and prints its result, with its output unless it passed. */
async function outcomeOf(client: string, urls: Urls): Promise<keyof typeof counts> {
  using folder = dataFolder()
  const { code, output, milliseconds } = await runCommand('bash', [join(import.meta.dirname, client, 'run.sh')], {
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
