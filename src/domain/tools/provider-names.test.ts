import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DomainError, type Fail } from '../core/errors.ts'
import type { Chains } from '../ports/chains.ts'
import { decimalText, tvlChain } from './provider-names.ts'

test.each([
  [0, '0'],
  [1e21, '1000000000000000000000'],
  [1.5e-7, '0.00000015'],
  [-2.5e-9, '-0.0000000025'],
  [123_456.78, '123456.78'],
])('%s is written as %s', (value, text) => expect(decimalText(value)).toBe(text))

test('a number is written without an exponent and reads back unchanged', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      const text = decimalText(value)
      expect(text).toMatch(/^-?\d+(\.\d+)?$/)
      expect(Number(text)).toBe(value === 0 ? 0 : value)
    }),
  )
})

const fail: Fail<'NOT_FOUND'> = (code, message) => new DomainError(code, message)
const info = { id: 84_532, name: 'sandbox' }
const chains = { all: [{ info }], default: { info } } as unknown as Chains
const row = (name: string, chainId: number | null) => ({ name, chainId, tvlUsd: 1, synthetic: false })
const known = [row('Sandbox', 84_532), row('OP Mainnet', 10), row('BSC', 56), row('Solana', null)]

test.each([
  ['sandbox', 'Sandbox'],
  ['84532', 'Sandbox'],
  ['Optimism', 'OP Mainnet'],
  ['op mainnet', 'OP Mainnet'],
  ['10', 'OP Mainnet'],
  ['bnb', 'BSC'],
  ['SOLANA', 'Solana'],
])('the chain %s is %s', (name, found) => expect(tvlChain(known, chains, name, fail).name).toBe(found))

test('the error of an unknown chain lists the known ones', () => {
  expect(() => tvlChain(known, chains, 'atlantis', fail)).toThrow('it knows Sandbox, OP Mainnet, BSC, Solana')
})
