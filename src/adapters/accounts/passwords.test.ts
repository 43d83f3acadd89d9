import { expect, test } from 'vitest'
import { createPasswords } from './passwords.ts'

test('a password matches its own hash and no other, exactly as sent', async () => {
  const passwords = createPasswords()
  const sent = '  pässwörd\u0000\u{1F600} '
  const hash = await passwords.hash(sent)
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
  expect(await passwords.hash(sent)).not.toBe(hash)
  expect(await passwords.verify(sent, hash)).toBe(true)
  for (const other of [sent.trim(), sent.normalize('NFD'), sent.toUpperCase(), '', sent.replace('\u0000', '')]) {
    expect(await passwords.verify(other, hash)).toBe(false)
  }
})

test('without a hash no password matches', async () => {
  expect(await createPasswords().verify('correct horse', null)).toBe(false)
})

test('a hash of another cost is still read', async () => {
  const passwords = createPasswords()
  const cheap = '$argon2id$v=19$m=64,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'
  expect(await passwords.verify('x', cheap)).toBe(false)
  await expect(passwords.verify('x', 'plain text')).rejects.toThrow('cannot be read')
})

test('more than may wait are refused with a hint, and the rest are served', async () => {
  const passwords = createPasswords({ atOnce: 1, waiting: 2 })
  const results = await Promise.allSettled([1, 2, 3, 4, 5].map(() => passwords.verify('x', null)))
  expect(results.map((result) => result.status)).toEqual([
    'fulfilled',
    'fulfilled',
    'fulfilled',
    'rejected',
    'rejected',
  ])
  expect(results[4]).toMatchObject({ reason: { code: 'RATE_LIMITED', details: { retryAfterSeconds: 2 } } })
  expect(await passwords.verify('x', null)).toBe(false)
})
