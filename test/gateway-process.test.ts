import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { until } from '../src/sandbox/fixtures/testing.ts'

test.each(['SIGINT', 'SIGKILL'] as const)(
  'a gateway and its folder are gone once %s has ended the process that started it',
  async (signal) => {
    const script = `
      import { startGateway } from ${JSON.stringify(new URL('gateway-process.ts', import.meta.url).href)}
      await using gateway = await startGateway()
      console.log(JSON.stringify(gateway))
      await new Promise(() => setTimeout(() => {}, 60_000))
    `
    const starter = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = await once(starter.stdout.setEncoding('utf8'), 'data')
    const { pid, dataDir } = JSON.parse(line)
    expect([isRunning(pid), existsSync(dataDir)]).toEqual([true, true])
    starter.kill(signal)
    await until(() => !isRunning(pid) && !existsSync(dataDir), 'the end of both')
  },
)

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
