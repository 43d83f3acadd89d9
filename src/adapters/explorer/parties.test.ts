import fc from 'fast-check'
import { encodeAbiParameters, type Hex } from 'viem'
import { expect, test } from 'vitest'
import { readDeployment } from '../chain/public-chain.ts'
import { createParties, safeName } from './parties.ts'

test('a name that a contract gives itself is short and holds nothing that changes how text is shown', () => {
  expect(safeName('US\u202eDC\u0000\n')).toBe('USDC')
  expect(safeName('\u200b\u2066 ')).toBeNull()
  expect(safeName('x'.repeat(50))).toBe(`${'x'.repeat(20)}…`)
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      const name = safeName(text)
      if (name === null) return
      expect([...name].length).toBeLessThanOrEqual(21)
      expect(name).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u)
    }),
  )
})

test('only the table gives a listed name; another token is named by its own symbol', async () => {
  const table = readDeployment(1)
  const callNode = async (_method: string, ...params: unknown[]) => {
    const { data } = params[0] as { data: Hex }
    if (data.startsWith('0x313ce567')) throw new Error('reverted')
    return encodeAbiParameters([{ type: 'string' }], ['USDC'])
  }
  const { party, token } = createParties(callNode, table)
  const fake = `0x${'5'.repeat(40)}`
  expect(await token(fake)).toEqual({ address: fake, name: 'USDC', listed: false, decimals: null })
  const real = table.tokens.find(({ symbol }) => symbol === 'USDC')
  expect(await token(String(real?.address).toLowerCase())).toMatchObject({ name: 'USDC', listed: true, decimals: 6 })
  expect(party(fake)).toMatchObject({ name: null, listed: false })
})
