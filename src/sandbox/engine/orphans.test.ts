import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { temporaryDir } from '../fixtures/testing.ts'
import { endOrphans, recordEngine } from './orphans.ts'

test('ends the process that an earlier run recorded, and no other with the same id', async () => {
  await using dir = await temporaryDir()
  const stranger = spawn('sleep', ['20'])
  const engine = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 20_000)', dir.path])
  recordEngine(dir.path, stranger.pid ?? 0)
  expect(endOrphans(dir.path)).toEqual([])
  recordEngine(dir.path, engine.pid ?? 0)
  const ended = once(engine, 'exit')
  expect(endOrphans(dir.path)).toEqual([engine.pid])
  expect((await ended)[1]).toBe('SIGKILL')
  expect(endOrphans(dir.path)).toEqual([])
  expect(stranger.exitCode).toBeNull()
  stranger.kill()
})
