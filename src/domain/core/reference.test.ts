import { expect, test } from 'vitest'
import type { Reference } from '../ports/outbox.ts'
import { parseReference, parseStoredReference, referenceText } from './reference.ts'

const uuid = '3f2a7c1e-9b4d-4e58-8a10-7c5b3d2e1f0a'

test.each<[string, Reference]>([
  [uuid, { kind: 'trade', id: uuid }],
  [`revoke:${uuid}`, { kind: 'revoke', id: uuid }],
  ['wallet:7', { kind: 'wallet', id: 7, failed: 0 }],
  ['wallet:7:2', { kind: 'wallet', id: 7, failed: 2 }],
  [`faucet:${uuid}`, { kind: 'faucet', id: uuid }],
  ['gap:0xabc:12:29000000', { kind: 'gap', id: '0xabc:12:29000000' }],
])('%s is stored and read back', (text, reference) => {
  expect(parseReference(text)).toEqual(reference)
  expect(referenceText(reference)).toBe(text)
})

test.each(['refund:1', 'refund-x:1', 'wallet:x', 'wallet:1:2:3', 'gap:', ':x', ''])(
  '%s is of an unknown kind, and not read as a trade',
  (text) => {
    expect(() => parseReference(text)).toThrow('of an unknown kind')
    expect(parseStoredReference(text)).toEqual({ kind: 'unknown', id: text })
    expect(referenceText(parseStoredReference(text))).toBe(text)
  },
)
