import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Starts the gateway in a fresh folder and runs the walks of README.md as a reader would paste them. */
const root = join(import.meta.dirname, '..')
const readme = readFileSync(join(root, 'README.md'), 'utf8')
const dataDir = mkdtempSync(join(tmpdir(), 'trident-smoke-'))
const ports = await freePorts(4)
const [http = 0, grpc = 0, rpc = 0, l1 = 0] = ports

const gateway = spawn(process.execPath, ['src/main.ts'], {
  cwd: root,
  // Nothing else of the environment: a developer's own settings may name a real chain and a real database.
  env: {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    DATA_DIR: dataDir,
    HTTP_PORT: `${http}`,
    GRPC_PORT: `${grpc}`,
    RPC_PORT: `${rpc}`,
    L1_RPC_PORT: `${l1}`,
  },
  stdio: ['ignore', 'pipe', 'inherit'],
})
let failed = 0
try {
  console.log(await readyLine(gateway))
  for (const walk of ['rest', 'trpc', 'grpc']) if (!(await passes(walk))) failed += 1
} finally {
  gateway.kill('SIGTERM')
  await exitOf(gateway)
  rmSync(dataDir, { recursive: true, force: true })
}
console.log(`${3 - failed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1

/** Runs a walk; it passes where it trades with success and the position holds the token bought. */
async function passes(walk: string): Promise<boolean> {
  const { language, code } = walkOf(walk)
  const script = join(root, `.smoke-${process.pid}.${language}`) // in this folder, as the README says
  writeFileSync(
    script,
    code.replaceAll('127.0.0.1:8000', `127.0.0.1:${http}`).replaceAll('127.0.0.1:50051', `127.0.0.1:${grpc}`),
  )
  const started = performance.now()
  const child =
    language === 'sh' ? spawn('bash', ['-e', script], { cwd: root }) : spawn(process.execPath, [script], { cwd: root })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk))
  const code_ = await exitOf(child)
  rmSync(script)
  const traded = /status"?: ?['"]success/.test(output) && /USDC/.test(output) && /quantity/.test(output)
  const passed = code_ === 0 && traded
  console.log(
    `${walk}: ${passed ? 'traded' : `failed with exit ${code_}\n${output}`} (${Math.round(performance.now() - started)} ms)`,
  )
  return passed
}

function walkOf(name: string): { language: string; code: string } {
  const match = new RegExp(`<!-- walk: ${name} -->\\n\`\`\`(\\w+)\\n([\\s\\S]*?)\`\`\``).exec(readme)
  if (match === null) throw new Error(`README.md has no walk for ${name}`)
  return { language: match[1] ?? '', code: match[2] ?? '' }
}

/** Waits for the line that says how long the start took. */
function readyLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    child.stdout?.on('data', (chunk) => {
      text += chunk
      const line = /Trident is ready after .*/.exec(text)
      if (line !== null) resolve(line[0])
    })
    child.once('exit', (code) => reject(new Error(`The gateway ended with ${code} before it was ready.`)))
    setTimeout(() => reject(new Error(`The gateway was not ready within 60 s:\n${text}`)), 60_000).unref()
  })
}

function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve(child.exitCode)
    else child.once('exit', resolve)
  })
}

async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise<ReturnType<typeof createServer>>((resolve) => {
          const server = createServer().listen(0, '127.0.0.1', () => resolve(server))
        }),
    ),
  )
  const found = servers.map((server) => Number((server.address() as { port: number }).port))
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return found
}
