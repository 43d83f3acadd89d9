import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { dataFolder } from '../test/data-folder.ts'
import { freePorts } from '../test/free-ports.ts'
import { type Gateway, startGateway, type Urls } from '../test/gateway-process.ts'
import { startPostgres } from '../test/ports/postgres.ts'
import { runCommand } from '../test/run-command.ts'
import { whenGone } from '../test/when-gone.ts'
import { type Example, readExamples } from './guide-examples.ts'
import { runSamples } from './samples/run.ts'

/**
 * Runs the examples of every guide as a reader would paste them, against one gateway in a new folder, and samples of the
 * API reference, called `samples`, against another. Examples that go on in the terminal of another one share its shell. Two
 * terminals run at a time.
 */
const root = join(import.meta.dirname, '..')
/** The database that the guides name. */
const guideDatabase = 'postgres://trident:secret@127.0.0.1:5432/trident'
/** Several times the duration of the slowest terminal. */
const limitSeconds = 300

/** How many operations that change something have their samples run. */
const drawnSamples = 5

type Outcome = { id: string; outcome: 'passed' | 'skipped' | 'FAILED'; detail: string }

const named = process.argv.slice(2)
const examples = readExamples().filter(({ id }) => named.length === 0 || named.some((name) => id.startsWith(name)))
const withSamples = named.length === 0 || named.includes('samples')
if (examples.length === 0 && !withSamples) {
  const guides = [...new Set(readExamples().map(({ id }) => id.split('/')[0]))]
  console.error(
    `No example is called ${named.join(' or ')}. The guides with examples are ${guides.join(', ')}; samples are those of the reference.`,
  )
  process.exit(2)
}
const outcomes: Outcome[] = []
for (const { id, kind, reason } of examples) if (kind === 'skip') report({ id, outcome: 'skipped', detail: reason })
const terminals = terminalsOf(examples)
{
  await using gateway = await startGateway(null, {
    RATE_LIMITS: 'on',
    OPERATOR_TOKEN: '',
    RPC_EVM_TIMEOUT_SECONDS: '5',
  })
  console.log(`The gateway was ready after ${gateway.readyMs} ms.`)
  const waiting = [...terminals]
  const work = async () => {
    for (let terminal = waiting.shift(); terminal !== undefined; terminal = waiting.shift())
      await runTerminal(terminal, gateway)
  }
  const starts = async () => {
    for (const example of examples.filter(({ kind }) => kind === 'start')) await runStart(example)
  }
  await Promise.all([work(), work().then(starts), withSamples ? reportSamples() : null])
  if (outcomes.some(({ outcome }) => outcome === 'FAILED')) console.log(gateway.complaints())
}
const count = (wanted: Outcome['outcome']) => outcomes.filter(({ outcome }) => outcome === wanted).length
console.log(`${count('passed')} passed, ${count('skipped')} skipped, ${count('FAILED')} failed`)
// `process.exit` is called because the exit hook of the embedded PostgreSQL replaces `process.exitCode` with 0.
process.exit(count('FAILED') === 0 && outcomes.length > 0 ? 0 : 1)

function report(outcome: Outcome): void {
  outcomes.push(outcome)
  console.log(`${outcome.id}: ${outcome.outcome}${outcome.detail === '' ? '' : `: ${outcome.detail}`}`)
}

/** Runs samples of the reference; those that change something are drawn by SAMPLES_SEED, which is printed. */
async function reportSamples(): Promise<void> {
  const seed = process.env.SAMPLES_SEED ?? String(Math.floor(Math.random() * 1_000_000))
  console.log(`SAMPLES_SEED=${seed}`)
  const ran = await runSamples(seed, drawnSamples)
  for (const { id, passed, detail } of ran)
    if (passed) outcomes.push({ id, outcome: 'passed', detail: '' })
    else report({ id, outcome: 'FAILED', detail })
  console.log(`  (samples: ${ran.filter(({ passed }) => passed).length} of ${ran.length} passed)`)
}

/** The examples to run, by the terminal that they share; the one that takes longest comes first. */
function terminalsOf(all: readonly Example[]): Example[][] {
  const run = all.filter(({ kind }) => kind === 'run')
  const every = readExamples()
  const opening = (example: Example): Example => {
    if (example.after === null) return example
    const before = every.find(({ id }) => id === example.after)
    if (before === undefined) throw new Error(`${example.id} goes on after ${example.after}, which no guide has.`)
    return opening(before)
  }
  const groups = Map.groupBy(run, (example) => opening(example).id)
  const whole = [...groups].map(([id, members]) =>
    members[0]?.id === id ? members : [opening(members[0] as Example), ...members],
  )
  return whole.toSorted((left, right) => Number(isSlow(right)) - Number(isSlow(left)))
}

/** A withdrawal over the bridge takes a minute of chain time. */
function isSlow(terminal: readonly Example[]): boolean {
  return terminal.some(({ id }) => id.startsWith('bridge/'))
}

/** Runs the examples of a terminal in one shell; each passes where it ends well and its output shows what it should. */
async function runTerminal(terminal: readonly Example[], gateway: Gateway): Promise<void> {
  const able: Example[] = []
  for (const example of terminal)
    if (await hasNeeds(example)) able.push(example)
    else report({ id: example.id, outcome: 'skipped', detail: `needs ${example.needs}` })
  if (able.length === 0) return
  using files = new DisposableStack()
  const lines = able.map((example, index) => {
    const { code } = example
    if (example.language === 'sh') return `${code}\necho\necho '@@ ${index}'`
    // The command runs in this folder, as the guides say, so that packages are found.
    const script = join(root, `.smoke-${process.pid}-${example.id.replace('/', '-')}.${example.language}`)
    files.use(whenGone('rm -f "$0"', script))
    files.defer(() => rmSync(script))
    writeFileSync(script, code)
    return `${example.language === 'py' ? 'python3' : process.execPath} ${script}\necho '@@ ${index}'`
  })
  const shell = join(root, `.smoke-${process.pid}-${able[0]?.id.replace('/', '-')}.sh`)
  files.use(whenGone('rm -f "$0"', shell))
  files.defer(() => rmSync(shell))
  writeFileSync(shell, lines.join('\n'))
  const env = { ...process.env, DATA_DIR: gateway.dataDir, ...portsOf(gateway.urls) }
  const { code, output, milliseconds } = await runCommand('bash', ['-e', '-o', 'pipefail', shell], {
    limitSeconds,
    env,
  })
  const shown = output.split(/^@@ \d+\n/m)
  for (const [index, { id, expect }] of able.entries()) {
    const text = shown[index] ?? ''
    const ended = index < shown.length - 1
    const missing = expect.filter((part) => !text.includes(part))
    const passed = ended && missing.length === 0
    const reason = ended ? `its output has no ${JSON.stringify(missing)}` : `the shell ended with ${code}`
    report({ id, outcome: passed ? 'passed' : 'FAILED', detail: passed ? '' : `${reason}:\n${text}` })
  }
  console.log(`  (terminal ${able[0]?.id}: ${milliseconds} ms)`)
}

async function hasNeeds({ needs }: Example): Promise<boolean> {
  if (needs === null) return true
  return (await runCommand('bash', ['-c', needs], { limitSeconds: 20 })).code === 0
}

/** Starts a gateway by the example's own command in a new folder, waits for the texts that it must print, and stops it. */
async function runStart({ id, code, expect }: Example): Promise<void> {
  await using opened = new AsyncDisposableStack()
  const folder = opened.use(dataFolder())
  let command = code
  if (code.includes(guideDatabase)) {
    const server = await startPostgres()
    opened.defer(() => server.stop())
    command = code.replaceAll(guideDatabase, await server.create('guide'))
  }
  const child = spawn('bash', ['-e', '-c', command], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      ...freePorts,
      SANDBOX_MARKET: 'still',
      DATA_DIR: folder.path,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  using _ = whenGone('kill -9 "-$0"', String(child.pid))
  const closed = once(child, 'close')
  let output = ''
  const ready = new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => {
        output += text
        if (expect.every((part) => output.includes(part))) resolve()
      })
  })
  const seconds = 60
  const passed = await Promise.race([
    ready.then(() => true),
    closed.then(() => false),
    new Promise<boolean>((resolve) => setTimeout(() => resolve(false), seconds * 1_000).unref()),
  ])
  if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid ?? Number.NaN), 'SIGTERM')
  await closed
  report({ id, outcome: passed ? 'passed' : 'FAILED', detail: passed ? '' : `it did not print ${expect}:\n${output}` })
}

/** The ports of a gateway, in the settings by which the examples find them. */
function portsOf({ http, grpc, rpc, l1 }: Urls): Record<string, string> {
  const portOf = (url: string) => new URL(url).port
  return {
    HTTP_PORT: portOf(http),
    GRPC_PORT: portOf(`http://${grpc}`),
    RPC_PORT: portOf(rpc),
    L1_RPC_PORT: portOf(l1),
  }
}
