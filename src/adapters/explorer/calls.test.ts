import { encodeFunctionData, type Hex, numberToHex, parseAbi, parseEther } from 'viem'
import { expect, test } from 'vitest'
import { readCall, writeCall } from './calls.ts'
import { deedOf } from './deeds.ts'
import type { TokenParty } from './parties.ts'

const abi = parseAbi([
  'function multicall(bytes[] data)',
  'function withdraw(uint256 value)',
  'function approve(address spender, uint256 value)',
  'function transfer(address to, uint256 value)',
])
const address = (digit: string): Hex => `0x${digit.repeat(40)}`
const [weth, vault, nft, ada, bob] = [address('a'), address('b'), address('c'), address('d'), address('e')]
const units: Record<string, TokenParty> = {
  [weth]: { address: weth, name: 'WETH', listed: true, decimals: 18 },
  [nft]: { address: nft, name: 'APE', listed: false, decimals: null },
}
const writing = {
  party: (one: string) => ({ address: one, name: null, listed: false }),
  token: (one: string) => units[one] ?? null,
  wrapped: weth,
}

/** A multicall whose parts all point at the same bytes. */
function pointed(parts: number, bytes: string): Hex {
  const word = (value: number) => numberToHex(value, { size: 32 }).slice(2)
  const pointers = word(parts * 32).repeat(parts)
  return `0xac9650d8${word(32)}${word(parts)}${pointers}${word(bytes.length / 2)}${bytes}`
}

test('parts that point at the same bytes are not decoded over and over', () => {
  const leaf = pointed(180, 'ab'.repeat(6_016)).slice(2)
  for (const data of [pointed(770, 'ab'.repeat(24_992)), pointed(400, pointed(380, leaf).slice(2))])
    expect(readCall(data)).toBeNull()
  const inside = (call: ReturnType<typeof readCall>): number =>
    (call?.inner ?? []).reduce((count, one) => count + 1 + inside(one), 0)
  expect(inside(readCall(pointed(20, pointed(20, pointed(20, '00'.repeat(32)).slice(2)).slice(2))))).toBeLessThan(200)
})

test('the parts of a multicall are read, and those of a deeper one', () => {
  const withdraw = encodeFunctionData({ abi, functionName: 'withdraw', args: [parseEther('5')] })
  const inner = encodeFunctionData({ abi, functionName: 'multicall', args: [[withdraw]] })
  const call = readCall(encodeFunctionData({ abi, functionName: 'multicall', args: [[inner, withdraw]] }))
  expect(call?.inner.map(({ name }) => name)).toEqual(['multicall', 'withdraw'])
  expect(call?.inner[0]?.inner[0]?.name).toBe('withdraw')
})

test('what is withdrawn counts in the wrapped token only where that is asked', () => {
  const call = readCall(encodeFunctionData({ abi, functionName: 'withdraw', args: [parseEther('5')] }))!
  expect(writeCall(call, weth, writing).args[0]?.value).toBe('5 WETH')
  expect(writeCall(call, vault, writing).args[0]?.value).toBe('5000000000000000000')
})

/** The deed of a call that succeeded and moved what is given. */
function deed(to: Hex, input: Hex, more: object = {}) {
  const call = readCall(input)
  const plain = { from: ada, to, input, value: 0n, succeeded: true, minted: null, withdrawn: [], received: 0n }
  return deedOf({ ...plain, call, contract: null, moved: [], ...writing, ...more })
}

test('an approval of an NFT is no amount, and a transfer is told only as the token says that it happened', () => {
  const approve = encodeFunctionData({ abi, functionName: 'approve', args: [bob, 42n] })
  expect(deed(nft, approve)).toMatchObject({ kind: 'call', name: 'approve' })
  expect(deed(weth, approve)).toMatchObject({ kind: 'allow' })
  const transfer = encodeFunctionData({ abi, functionName: 'transfer', args: [bob, 42n] })
  const moved = (to: Hex, value: bigint) => ({ moved: [{ token: weth, from: ada, to, value }] })
  expect(deed(weth, transfer, moved(bob, 42n))).toMatchObject({ kind: 'send' })
  expect(deed(weth, transfer, moved(vault, 42n)).kind).toBe('call')
  expect(deed(weth, transfer, moved(bob, 41n)).kind).toBe('call')
})

test('a deposit is told where all that was minted was sent on, and a withdrawal where it moved something', () => {
  const bare = (more: object) => deed(bob, '0x', more)
  expect(bare({ minted: 5n, value: 5n })).toMatchObject({ kind: 'deposit', to: { address: bob } })
  expect(bare({ minted: 5n, value: 2n })).toMatchObject({ kind: 'send', sent: { amount: '0.000000000000000002' } })
  expect(bare({ minted: 0n })).toMatchObject({ kind: 'send' })
  expect(bare({ minted: 5n, value: 5n, succeeded: false })).toMatchObject({ kind: 'send' })
  expect(bare({ withdrawn: [0n] }).kind).toBe('send')
  expect(bare({ withdrawn: [3n, 4n] })).toMatchObject({ kind: 'withdraw', sent: { amount: '0.000000000000000007' } })
})
