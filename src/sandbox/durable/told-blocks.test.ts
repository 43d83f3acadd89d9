import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { buildFolder, openBare } from '../fixtures/bare-chain.ts'
import { recordsIn } from '../fixtures/records.ts'
import { temporaryDir } from '../fixtures/testing.ts'
import { listLogs, logFile } from './files.ts'

test('nobody hears of a block that a kill could still change: it is in the log by then', async () => {
  await using dir = await temporaryDir()
  await buildFolder(dir.path)
  const folder = join(dir.path, 'chain')
  const newestLogged = () => {
    const after = listLogs(folder).at(-1) ?? 0
    const { records } = recordsIn(readFileSync(logFile(folder, after), 'latin1'), 'log')
    return records.findLast((record) => record.type === 'block')?.number ?? after
  }
  const unlogged: number[] = []
  await using bare = await openBare(
    dir.path,
    () => {},
    (block) => block > newestLogged() && unlogged.push(block),
  )
  for (let block = 0; block < 20; block += 1) {
    await bare.send(2)
    await bare.seal()
    expect(newestLogged()).toBe(bare.chain.head().number)
  }
  expect(unlogged).toEqual([])
})
