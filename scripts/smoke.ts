import { spawn } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { exitOf, startGateway } from './gateway-process.ts'

/** Starts the gateway in a fresh folder and runs the walks of README.md as a reader would paste them. */
const root = join(import.meta.dirname, '..')
const readme = readFileSync(join(root, 'README.md'), 'utf8')
let failed = 0
{
  await using gateway = await startGateway()
  console.log(gateway.ready)
  const [http = '', grpc = ''] = ['REST', 'gRPC'].map((name) => gateway.urls.get(name)?.replace('http://', ''))
  for (const walk of ['rest', 'trpc', 'grpc']) if (!(await passes(walk, { http, grpc }))) failed += 1
}
console.log(`${3 - failed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1

/** Runs a walk; it passes where it trades with success and the position holds the token bought. */
async function passes(walk: string, { http, grpc }: Record<'http' | 'grpc', string>): Promise<boolean> {
  const { language, code } = walkOf(walk)
  const script = join(root, `.smoke-${process.pid}.${language}`) // in this folder, as the README says
  writeFileSync(script, code.replaceAll('127.0.0.1:8000', http).replaceAll('127.0.0.1:50051', grpc))
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
