import { expect, test } from 'vitest'
import { rateRules } from '../../contract/shared/limits.ts'
import type { PasswordLine } from '../../domain/ports/accounts.ts'
import { createGuesses } from '../limits/guesses.ts'
import { createMemoryLimiter } from '../limits/memory.ts'
import { systemClock } from '../system/system.ts'
import { createPasswords } from './passwords.ts'

const free = createGuesses('off', createMemoryLimiter(), systemClock)
const guess = (line: PasswordLine, password: string, hash: string | null) => ({
  ...{ line, password, hash, whose: 'account 7', address: null, advice: 'Or else.' },
})

test('a password matches its own hash and no other, exactly as sent', async () => {
  const passwords = createPasswords(free)
  const sent = '  pässwörd\u0000\u{1F600} '
  const hash = await passwords.hash('login', sent)
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
  expect(await passwords.hash('login', sent)).not.toBe(hash)
  expect(await passwords.verify(guess('login', sent, hash))).toBe(true)
  for (const other of [sent.trim(), sent.normalize('NFD'), sent.toUpperCase(), '', sent.replace('\u0000', '')]) {
    expect(await passwords.verify(guess('login', other, hash))).toBe(false)
  }
})

test('without a hash no password matches', async () => {
  expect(await createPasswords(free).verify(guess('login', 'correct horse', null))).toBe(false)
})

test('a hash of another cost is still read', async () => {
  const passwords = createPasswords(free)
  const cheap = '$argon2id$v=19$m=64,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'
  expect(await passwords.verify(guess('login', 'x', cheap))).toBe(false)
  await expect(passwords.verify(guess('login', 'x', 'plain text'))).rejects.toThrow('cannot be read')
})

test('more than may wait are refused with a hint, and the rest are served', async () => {
  const passwords = createPasswords(free, 2)
  const results = await Promise.allSettled([1, 2, 3, 4, 5].map(() => passwords.verify(guess('login', 'x', null))))
  expect(results.map((result) => result.status)).toEqual([
    'fulfilled',
    'fulfilled',
    'fulfilled',
    'rejected',
    'rejected',
  ])
  expect(results[4]).toMatchObject({ reason: { code: 'RATE_LIMITED', details: { retryAfterSeconds: 2 } } })
  expect(await passwords.verify(guess('login', 'x', null))).toBe(false)
})

test('a full line delays no other line', async () => {
  const passwords = createPasswords(free)
  const order: string[] = []
  const registrations = Array.from({ length: 40 }, async () => {
    await passwords.hash('registration', 'x')
    order.push('registration')
  })
  const others = (['login', 'account'] as const).map(async (line) => {
    await passwords.verify(guess(line, 'x', null))
    order.push(line)
  })
  await Promise.all([...others, ...registrations])
  expect(order.slice(0, 10)).toEqual(expect.arrayContaining(['login', 'account']))
})

test('only wrong passwords count, however many are checked at once, and whether or not the line is full', async () => {
  const passwords = createPasswords(createGuesses(rateRules, createMemoryLimiter(), systemClock), 20)
  const hash = await passwords.hash('login', 'right')
  const right = Array.from({ length: 40 }, () => passwords.verify(guess('login', 'right', hash)))
  const ends = await Promise.allSettled(right)
  expect(ends.filter((end) => end.status === 'fulfilled' && end.value)).toHaveLength(21)
  for (const end of ends)
    if (end.status === 'rejected') expect(end.reason).toMatchObject({ message: expect.stringContaining('at once') })
  const wrong = Array.from({ length: 15 }, () => passwords.verify(guess('login', 'wrong', hash)))
  expect((await Promise.allSettled(wrong)).filter(({ status }) => status === 'fulfilled')).toHaveLength(10)
  const refused = passwords.verify(guess('login', 'right', hash))
  await expect(refused).rejects.toMatchObject({
    code: 'RATE_LIMITED',
    message: expect.stringMatching(/ s\. Or else\.$/),
  })
})
