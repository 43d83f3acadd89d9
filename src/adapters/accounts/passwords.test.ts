import { expect, test } from 'vitest'
import { createPasswords } from './passwords.ts'

test('a password matches its own hash and no other, exactly as sent', async () => {
  const passwords = createPasswords()
  const sent = '  pässwörd\u0000\u{1F600} '
  const hash = await passwords.hash('login', sent)
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
  expect(await passwords.hash('login', sent)).not.toBe(hash)
  expect(await passwords.verify('login', sent, hash)).toBe(true)
  for (const other of [sent.trim(), sent.normalize('NFD'), sent.toUpperCase(), '', sent.replace('\u0000', '')]) {
    expect(await passwords.verify('login', other, hash)).toBe(false)
  }
})

test('without a hash no password matches', async () => {
  expect(await createPasswords().verify('login', 'correct horse', null)).toBe(false)
})

test('a hash of another cost is still read', async () => {
  const passwords = createPasswords()
  const cheap = '$argon2id$v=19$m=64,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'
  expect(await passwords.verify('login', 'x', cheap)).toBe(false)
  await expect(passwords.verify('login', 'x', 'plain text')).rejects.toThrow('cannot be read')
})

test('more than may wait are refused with a hint, and the rest are served', async () => {
  const passwords = createPasswords(2)
  const results = await Promise.allSettled([1, 2, 3, 4, 5].map(() => passwords.verify('login', 'x', null)))
  expect(results.map((result) => result.status)).toEqual([
    'fulfilled',
    'fulfilled',
    'fulfilled',
    'rejected',
    'rejected',
  ])
  expect(results[4]).toMatchObject({ reason: { code: 'RATE_LIMITED', details: { retryAfterSeconds: 2 } } })
  expect(await passwords.verify('login', 'x', null)).toBe(false)
})

test('a full line delays no other line', async () => {
  const passwords = createPasswords()
  const order: string[] = []
  const registrations = Array.from({ length: 40 }, async () => {
    await passwords.hash('registration', 'x')
    order.push('registration')
  })
  const others = (['login', 'account'] as const).map(async (line) => {
    await passwords.verify(line, 'x', null)
    order.push(line)
  })
  await Promise.all([...others, ...registrations])
  expect(order.slice(0, 10)).toEqual(expect.arrayContaining(['login', 'account']))
})
