import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDir } from '../fixtures/testing.ts'
import { openLauncher } from './launcher.ts'

const isRunning = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('a program gets its arguments as they are, its priority and no environment, and its end is noticed', async () => {
  await using dir = await temporaryDir()
  const folder = join(dir.path, `it's "odd" $HOME`)
  mkdirSync(folder)
  const launcher = openLauncher()
  const file = join(folder, 'out')
  const writes = ['/bin/sh', '-c', 'echo "$1 $(nice) $MASTER_KEY" > "$0"; exit 3', file, '* `id`']
  process.env.MASTER_KEY = 'secret'
  const { exited } = await launcher.launch(writes, 19)
  expect(await exited).toBe(3)
  expect(readFileSync(file, 'utf8')).toBe('* `id` 19 \n')
  const killed = await launcher.launch(['sleep', '60'], 0)
  process.kill(killed.pid, 'SIGKILL')
  expect(await killed.exited).toBe(128 + 9)
  await launcher.close()
})

test('all programs end with the launcher, which then starts no other', async () => {
  const launcher = openLauncher()
  const programs = await Promise.all([1, 2].map(() => launcher.launch(['sleep', '60'], 0)))
  expect(programs.map(({ pid }) => isRunning(pid))).toEqual([true, true])
  await launcher.close()
  expect(await Promise.all(programs.map(({ exited }) => exited))).toEqual([null, null])
  await expect.poll(() => programs.map(({ pid }) => isRunning(pid))).toEqual([false, false])
  expect(existsSync(launcher.folder)).toBe(false)
  await expect(launcher.launch(['sleep', '60'], 0)).rejects.toThrow('could not be started')
  await launcher.close()
})

test('programs do not outlive a shell that is killed', async () => {
  const launcher = openLauncher()
  const { pid, exited } = await launcher.launch(['sleep', '60'], 0)
  process.kill(Number(execFileSync('ps', ['-o', 'pgid=', '-p', String(pid)], { encoding: 'utf8' })), 'SIGKILL')
  expect(await exited).toBeNull()
  await expect.poll(() => isRunning(pid)).toBe(false)
})

test('all programs end with the process that opened the launcher, even where it is killed', async () => {
  const source = `import { openLauncher } from ${JSON.stringify(new URL('./launcher.ts', import.meta.url).href)}
    const launcher = openLauncher()
    const { pid } = await launcher.launch(['sleep', '60'], 0)
    console.log(JSON.stringify({ pid, folder: launcher.folder }))
    setInterval(() => {}, 1_000)`
  const host = spawn(process.execPath, ['--input-type=module', '-e', source], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(host.stdout, 'data')) as [Buffer]
  const { pid, folder } = JSON.parse(line.toString()) as { pid: number; folder: string }
  expect([isRunning(pid), existsSync(folder)]).toEqual([true, true])
  host.kill('SIGKILL')
  await expect.poll(() => [isRunning(pid), existsSync(folder)]).toEqual([false, false])
})
