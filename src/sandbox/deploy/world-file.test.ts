import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDir, treasury } from '../fixtures/testing.ts'
import { describeDeployment } from './describe-deployment.ts'
import { readWorld, removeUnfinished, writeWorld } from './world-file.ts'

const content = {
  deployment: describeDeployment(1, 2, 7),
  rollup: { l1: { number: 0, hash: '0x01' }, l2: { number: 4, hash: '0x02' }, l2_time: 100 },
} as const
const world = { chainId: 1, treasury: treasury.address, ...content }

test('a finished folder is read back, and only with its own settings', async () => {
  await using dir = await temporaryDir()
  expect(readWorld(dir.path, world)).toBeNull()
  writeWorld(dir.path, world)
  expect(readWorld(dir.path, world)).toEqual(content)
  const tokens = content.deployment.tokens.map(({ pegged: _, ...token }) => token)
  writeWorld(dir.path, { ...world, deployment: { ...content.deployment, tokens } })
  expect(readWorld(dir.path, world), 'a version before wrote less').toEqual(content)
  expect(() => readWorld(dir.path, { ...world, chainId: 2 })).toThrow('holds chain 1, not 2')
  expect(() => readWorld(dir.path, { ...world, treasury: '0x00' })).toThrow('another treasury key')
  writeFileSync(join(dir.path, 'world.json'), JSON.stringify({ layout: 0, ...world }))
  expect(() => readWorld(dir.path, world)).toThrow('delete it to start again')
})

test('a chain whose description is missing is not deleted', async () => {
  await using dir = await temporaryDir()
  writeFileSync(join(dir.path, 'state-7.bin'), '')
  expect(() => removeUnfinished(dir.path)).toThrow('restore that file')
})
