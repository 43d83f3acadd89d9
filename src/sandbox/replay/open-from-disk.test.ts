import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { openChain } from '../chain/chain.ts'
import { openFolder, type StartEngine } from '../engine/chain-folder.ts'
import type { Engine } from '../engine/engine.ts'
import { buildFolder, openBare } from '../fixtures/bare-chain.ts'
import { chainId, reads, temporaryDir } from '../fixtures/testing.ts'
import type { ChainEvent } from '../kit/events.ts'
import { listLogs, logFile } from '../kit/files.ts'
import type { Recorder } from './replay.ts'

/** Opens a chain whose folder is removed meanwhile: at its first block, or at a replayed one. */
async function openUntil(
  dataDir: string,
  moment: 'started' | 'replayed',
): Promise<{ engines: Engine[]; failure: unknown }> {
  const dir = join(dataDir, 'chain')
  const folder = openFolder({ dir, chainId, kind: ['--network', 'optimism'], reads, emit: () => {} })
  const engines: Engine[] = []
  const remove = async (at: typeof moment) => {
    if (at === moment) await rm(dir, { recursive: true, force: true })
  }
  const start: StartEngine = async (states) => {
    const engine = await folder.start(states)
    engines.push(engine)
    await remove('started')
    return engine
  }
  const opening = openChain({
    dir,
    start,
    readSeconds: reads.seconds,
    record: () => remove('replayed'),
    emit: () => {},
  })
  const failure = await opening.then(
    () => undefined,
    (error: unknown) => error,
  )
  return { engines, failure }
}

test.each(['started', 'replayed'] as const)(
  'a chain whose folder is removed when it is %s leaves no engine running',
  async (moment) => {
    await using dir = await temporaryDir()
    await buildFolder(dir.path)
    if (moment === 'replayed') {
      await using bare = await openBare(dir.path)
      await bare.produceBlock()
    } else {
      await clear(join(dir.path, 'chain'))
    }
    const { engines, failure } = await openUntil(dir.path, moment)
    expect(failure).toBeInstanceOf(Error)
    expect(engines.length).toBeGreaterThan(0)
    expect(engines.filter((engine) => engine.alive())).toEqual([])
  },
)

test('the first segment of a log is complete or missing', async () => {
  await using dir = await temporaryDir()
  await buildFolder(dir.path)
  const folder = join(dir.path, 'chain')
  await clear(folder)
  const inTheWay = (start: StartEngine): StartEngine => {
    return async (states) => {
      // It is written to a temporary file first.
      await mkdir(`${logFile(folder, 0)}.tmp`)
      return await start(states)
    }
  }
  const { failure } = await failureOf(dir.path, inTheWay)
  expect(failure).toMatchObject({ code: 'EISDIR' })
  expect(listLogs(folder)).toEqual([])
})

/** Removes everything of a chain except its genesis. */
async function clear(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    if (name !== 'genesis.json') await rm(join(folder, name), { recursive: true })
}

/** Opens the chain of a folder with engines from `start`. Returns the error and the events. */
async function failureOf(
  dataDir: string,
  wrap: (start: StartEngine) => StartEngine,
  record: Recorder = async () => {},
) {
  const dir = join(dataDir, 'chain')
  const folder = openFolder({ dir, chainId, kind: ['--network', 'optimism'], reads, emit: () => {} })
  const events: ChainEvent['type'][] = []
  const emit = ({ type }: ChainEvent) => void events.push(type)
  const failure = await openChain({ dir, start: wrap(folder.start), readSeconds: reads.seconds, record, emit }).catch(
    (error: unknown) => error,
  )
  return { failure, events }
}

test('a snapshot is not reported as unusable where no engine starts or the disk is full', async () => {
  await using dir = await temporaryDir()
  await buildFolder(dir.path)
  {
    await using bare = await openBare(dir.path)
    await bare.produceBlock()
  }
  const noEngine = new Error('the chain engine did not start in time')
  const without = await failureOf(dir.path, () => async () => {
    throw noEngine
  })
  expect(without).toEqual({ failure: noEngine, events: [] })
  using full = new DatabaseSync(':memory:')
  full.exec('PRAGMA max_page_count = 2; CREATE TABLE kept (bytes BLOB)')
  const crowded = await failureOf(
    dir.path,
    (start) => start,
    async () => full.exec('INSERT INTO kept VALUES (zeroblob(100000))'),
  )
  expect(crowded).toMatchObject({ failure: { message: 'database or disk is full' }, events: [] })
})
