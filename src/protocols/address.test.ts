import fc from 'fast-check'
import { expect, test } from 'vitest'
import { authority, hostCheck, isHttpsName, isLoopback, networkOf, plainAddress, reachable } from './address.ts'

test.each([
  ['203.0.113.9', '203.0.113.9'],
  [' 203.0.113.9:51234 ', '203.0.113.9'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['0:0:0:0:0:FFFF:cb00:7109', '203.0.113.9'],
  ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
  ['[2001:db8::0001]:443', '2001:db8::1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['203.0.113.09', null],
  ['203.0.113', null],
  ['localhost', null],
  ['unknown', null],
  ['', null],
])('%j is the address %j', (text, address) => {
  expect(plainAddress(text)).toBe(address)
})

test('all spellings of an IPv6 address are equal, and its /64 is its first four groups', () => {
  const groups = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 8, maxLength: 8 })
  fc.assert(
    fc.property(groups, fc.integer({ min: 1, max: 0xffff }), (head, last) => {
      const full = [...head.slice(0, 7), last].map((group) => group.toString(16).padStart(4, '0')).join(':')
      fc.pre(plainAddress(full)?.includes('.') === false)
      const address = plainAddress(full.toUpperCase()) ?? ''
      expect(plainAddress(address)).toBe(address)
      const first = head.slice(0, 4).map((group) => group.toString(16))
      expect(networkOf(address)).toBe(`${first.join(':')}::/64`)
    }),
  )
  expect(networkOf('2001:db8::1')).toBe('2001:db8:0:0::/64')
  expect(networkOf('::1')).toBe('0:0:0:0::/64')
  expect(networkOf('203.0.113.9')).toBe('203.0.113.9')
})

test('only addresses of this machine and localhost are loopback', () => {
  for (const host of [
    '127.0.0.1',
    '127.8.8.8:80',
    '::1',
    '[::1]:8000',
    '::ffff:127.0.0.1',
    'localhost:8000',
    'LocalHost',
  ])
    expect(isLoopback(host)).toBe(true)
  for (const host of ['', '10.0.0.7', '127.evil.example', 'localhost.evil.example', '::1:8000', '0.0.0.0'])
    expect(isLoopback(host)).toBe(false)
})

test('a host and port are written so that they can be called', () => {
  expect(authority('::1', 80)).toBe('[::1]:80')
  expect(authority('gateway.example', 80)).toBe('gateway.example:80')
  expect(['0.0.0.0', '::', '0:0:0:0:0:0:0:0', '::1'].map(reachable)).toEqual([...Array(3).fill('127.0.0.1'), '::1'])
})

test.each([
  ['https://gateway.example', true],
  ['https://gateway.example/base', true],
  ['http://gateway.example', false],
  ['https://localhost:8443', false],
  ['https://127.0.0.1', false],
  ['https://203.0.113.9', false],
  ['https://[2001:db8::1]', false],
  [undefined, false],
])('browsers should use https alone at %s: %s', (url, should) => {
  expect(isHttpsName(url)).toBe(should)
})

test.each([
  [undefined, true],
  ['127.0.0.1:8545', true],
  ['203.0.113.9', true],
  ['[::1]:8545', true],
  ['localhost:8545', true],
  ['node.localhost', true],
  ['Node.Example:8545', true],
  ['evil.example', false],
  ['127.0.0.1.evil.example:8545', false],
  ['node.example.evil.example', false],
  ['evil.example:x', false],
])('the host %s is served: %s', (host, served) => {
  expect(hostCheck(['node.example'])(host)).toBe(served)
  expect(hostCheck(['*'])(host)).toBe(true)
})
