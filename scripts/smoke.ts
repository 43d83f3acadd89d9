import { spawn } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { exitOf } from '../test/exit-of.ts'
import { startGateway, type Urls } from '../test/gateway-process.ts'

/** Starts the gateway in a fresh folder and runs the walks of README.md as a reader would paste them. */
const root = join(import.meta.dirname, '..')
const readme = readFileSync(join(root, 'README.md'), 'utf8')
/** What the output of each walk shows when it went well. */
const traded = [/status"?: ?['"]success/, /USDC/, /quantity/]
const walks = {
  rest: traded,
  chat: [/Status success\. Swapped/, /Execution [0-9a-f-]{36}/],
  trpc: traded,
  grpc: traded,
  bridge: [/state: 'complete'/, /wei on the rollup: [1-9]/],
  back: [/direction: 'withdrawal'/, /state: 'complete'/],
}
/** The walk in whose terminal another one goes on. */
const before: Readonly<Record<string, string>> = { chat: 'rest' }
/** Where the walks find each server. */
const ports: Record<keyof Urls, number> = { http: 8000, grpc: 50_051, rpc: 8545, l1: 8547 }
let failed = 0
{
  await using gateway = await startGateway(null, { RATE_LIMITS: 'on' })
  console.log(`The gateway was ready after ${gateway.readyMs} ms.`)
  for (const [walk, shown] of Object.entries(walks)) if (!(await passes(walk, shown, gateway.urls))) failed += 1
}
console.log(`${Object.keys(walks).length - failed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1

/** Runs a walk; it passes where it ends well and its output shows what it should. */
async function passes(walk: string, shown: readonly RegExp[], urls: Urls): Promise<boolean> {
  const { language, code: own } = walkOf(walk)
  const code = before[walk] === undefined ? own : `${walkOf(before[walk]).code}${own}`
  const script = join(root, `.smoke-${process.pid}.${language}`) // in this folder, as the README says
  writeFileSync(script, withPorts(code, urls))
  const started = performance.now()
  const child =
    language === 'sh' ? spawn('bash', ['-e', script], { cwd: root }) : spawn(process.execPath, [script], { cwd: root })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk))
  const code_ = await exitOf(child)
  rmSync(script)
  const passed = code_ === 0 && shown.every((part) => part.test(output))
  console.log(
    `${walk}: ${passed ? 'passed' : `failed with exit ${code_}\n${output}`} (${Math.round(performance.now() - started)} ms)`,
  )
  return passed
}

/** The walk at the ports of this run. */
function withPorts(code: string, urls: Urls): string {
  return (Object.keys(ports) as (keyof Urls)[]).reduce(
    (text, name) => text.replaceAll(`127.0.0.1:${ports[name]}`, urls[name].replace('http://', '')),
    code,
  )
}

function walkOf(name: string): { language: string; code: string } {
  const match = new RegExp(`<!-- walk: ${name} -->\\n\`\`\`(\\w+)\\n([\\s\\S]*?)\`\`\``).exec(readme)
  if (match === null) throw new Error(`README.md has no walk for ${name}`)
  return { language: match[1] ?? '', code: match[2] ?? '' }
}
