import { readFileSync } from 'node:fs'
import type { Hex } from 'viem'
import { expect, test } from 'vitest'
import { powersIn } from './privileges.ts'

const artifact = (name: string): Hex => {
  const file = new URL(`../../../sandbox/contracts/artifacts/${name}.json`, import.meta.url)
  return (JSON.parse(readFileSync(file, 'utf8')) as { deployedBytecode: Hex }).deployedBytecode
}

test('names what an owner may do', () => {
  expect(powersIn(artifact('RugToken'))).toEqual({
    issuer: ['mint', 'blacklist'],
    traps: ['set_taxes', 'switch_selling'],
  })
  expect(powersIn(artifact('SandboxToken'))).toEqual({ issuer: ['mint'], traps: [] })
})

test('reads whole bytes, and nothing where there is nothing', () => {
  const mint = '6340c10f19' // PUSH4 of mint(address,uint256)
  expect(powersIn(`0x00${mint}14`).issuer).toEqual(['mint'])
  expect(powersIn(`0x0${mint}140`).issuer).toEqual([])
  expect(powersIn('0x')).toEqual({ issuer: [], traps: [] })
})
