import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startGateway, type Urls } from '../test/gateway-process.ts'
import { runCommand } from '../test/run-command.ts'
import { whenGone } from '../test/when-gone.ts'

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
/** Five times what the longest walk takes. */
const limitSeconds = 300
let failed = 0
{
  await using gateway = await startGateway(null, { RATE_LIMITS: 'on' })
  console.log(`The gateway was ready after ${gateway.readyMs} ms.`)
  for (const [walk, shown] of Object.entries(walks)) if (!(await passes(walk, shown, gateway.urls))) failed += 1
  if (failed > 0) console.log(gateway.complaints())
}
console.log(`${Object.keys(walks).length - failed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1

/** Runs a walk; it passes where it ends well and its output shows what it should. */
async function passes(walk: string, shown: readonly RegExp[], urls: Urls): Promise<boolean> {
  const { language, code: own } = walkOf(walk)
  const code = before[walk] === undefined ? own : `${walkOf(before[walk]).code}${own}`
  const script = join(root, `.smoke-${process.pid}.${language}`) // in this folder, as the README says
  using _ = whenGone('rm -f "$0"', script)
  writeFileSync(script, withPorts(code, urls))
  const [command, ...words] = language === 'sh' ? ['bash', '-e'] : [process.execPath]
  const ran = await runCommand(command, [...words, script], { limitSeconds })
  rmSync(script)
  const passed = ran.code === 0 && shown.every((part) => part.test(ran.output))
  console.log(`${walk}: ${passed ? 'passed' : `failed with exit ${ran.code}\n${ran.output}`} (${ran.milliseconds} ms)`)
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
