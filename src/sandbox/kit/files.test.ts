import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDir } from '../fixtures/testing.ts'
import { removeHalfWritten, writeWhole } from './files.ts'

test('a failed write leaves no temporary file', async () => {
  await using dir = await temporaryDir()
  await mkdir(join(dir.path, 'state-7.bin'))
  expect(() => writeWhole(join(dir.path, 'state-7.bin'), 'state')).toThrow('state-7.bin')
  expect(await readdir(dir.path)).toEqual(['state-7.bin'])
})

test('only interrupted segments and snapshots are removed', async () => {
  await using dir = await temporaryDir()
  const kept = ['blocks-7.jsonl', 'genesis.json.tmp', 'state-7.bin']
  for (const name of [...kept, 'blocks-9.jsonl.tmp', 'state-9.bin.tmp']) await writeFile(join(dir.path, name), '')
  removeHalfWritten(dir.path)
  expect((await readdir(dir.path)).sort()).toEqual(kept)
})
