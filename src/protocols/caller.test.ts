import { expect, test } from 'vitest'
import { createCallers, type Origin, proxyCheck, requestIdOf } from './caller.ts'
import { restProtocol } from './protocols.ts'

const facts = { protocol: restProtocol, requestId: 'r', signal: new AbortController().signal }
const origin = (headers: Record<string, string>, peer = '127.0.0.1'): Origin => ({
  peer,
  header: (name) => headers[name],
})
const local = createCallers({ isProxy: proxyCheck([]) })

test.each([
  ['Bearer abc.def', 'abc.def'],
  ['bearer abc', 'abc'],
  ['Basic abc', null],
  ['Bearer ', null],
  ['Bearer a b', null],
])('%s holds the token %s', (authorization, token) => {
  expect(local.of(origin({ authorization }), facts).token).toBe(token)
})

test('forwarded addresses are used only as far as proxies are trusted', () => {
  const callers = createCallers({ isProxy: proxyCheck(['10.0.0.0/8', '::1']) })
  const address = (forwarded: string, peer: string) =>
    callers.of(origin({ 'x-forwarded-for': forwarded }, peer), facts).clientAddress
  expect(address('1.1.1.1', '9.9.9.9')).toBe('9.9.9.9')
  expect(address('1.1.1.1, 2.2.2.2', '10.0.0.1')).toBe('2.2.2.2')
  expect(address('1.1.1.1, 2.2.2.2, 10.0.0.2', '::ffff:10.0.0.1')).toBe('2.2.2.2')
  expect(address('1.1.1.1, not an address', '10.0.0.1')).toBe('10.0.0.1')
  expect(address('', '10.0.0.1')).toBe('10.0.0.1')
  expect(address('1.1.1.1, 203.0.113.9:51234', '10.0.0.1')).toBe('203.0.113.9')
  expect(address('203.0.113.9, 10.0.0.2:8080', '::1')).toBe('203.0.113.9')
})

test('behind a proxy that is not trusted, near or far, no address is the own one of a caller', () => {
  const callers = createCallers({ isProxy: proxyCheck(['10.0.0.0/8']) })
  const own = (sent: Record<string, string>, peer: string) => callers.of(origin(sent, peer), facts).ownAddress
  expect(own({ 'x-forwarded-for': '203.0.113.5' }, '10.0.0.1')).toBe('203.0.113.5')
  expect(own({}, '10.0.0.1')).toBe('10.0.0.1')
  expect(own({}, '9.9.9.9')).toBe('9.9.9.9')
  expect(own({ 'x-forwarded-for': '203.0.113.5, 198.51.100.1' }, '10.0.0.1')).toBeNull()
  for (const header of ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'])
    expect(own({ [header]: '203.0.113.5' }, '9.9.9.9')).toBeNull()
})

test('an IPv6 caller is identified by its /64, however its address is spelled', () => {
  const callers = createCallers({ isProxy: proxyCheck(['fd00::/8']) })
  const address = (peer: string, forwarded = '') =>
    callers.of(origin({ 'x-forwarded-for': forwarded }, peer), facts).clientAddress
  expect(address('2001:db8:1:2::1')).toBe('2001:db8:1:2::/64')
  expect(address('2001:0DB8:1:2:FFFF::9')).toBe('2001:db8:1:2::/64')
  expect(address('2001:db8:1:3::1')).toBe('2001:db8:1:3::/64')
  expect(address('fd00::1', '[2001:db8:1:2::7]:443')).toBe('2001:db8:1:2::/64')
  expect(address('fd00::1', '::FFFF:cb00:7109')).toBe('203.0.113.9')
})

test('a known API key has its tier and is not exposed', () => {
  const key = 'key-of-a-customer'
  const callers = createCallers({ isProxy: proxyCheck([]), apiKeys: [{ key, tier: 'pro' }] })
  const apiKey = (sent: Record<string, string>) => callers.of(origin(sent), facts).apiKey
  expect(apiKey({ 'x-api-key': key })).toMatchObject({ tier: 'pro', id: expect.not.stringContaining(key) })
  for (const sent of ['', 'key-of-nobody', `${key}, ${key}`]) expect(apiKey({ 'x-api-key': sent })).toBe('unknown')
  expect(apiKey({})).toBeNull()
})

test('a trusted proxy that is not an address or network is refused', () => {
  for (const entry of ['proxy.example', '10.0.0.0/33', '10.0.0.0/x', '10.0.0.0/', '10.0.0.0/-1']) {
    expect(() => createCallers({ isProxy: proxyCheck([entry]) })).toThrow(entry)
  }
})

test('a request id is accepted only as visible ASCII', () => {
  expect(requestIdOf('mine-1')).toBe('mine-1')
  for (const bad of [undefined, '', 'a b', 'a\n', 'ü', 'x'.repeat(129)])
    expect(requestIdOf(bad)).toMatch(/^[0-9a-f-]{36}$/)
})
