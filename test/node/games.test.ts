import { numberToHex, zeroAddress, zeroHash } from 'viem'
import { expect, test } from 'vitest'
import { gameOutputs } from '../../src/opstack/games.ts'
import { answering } from './answering.ts'
import { startAnvil } from './anvil.ts'

const portal = `0x${'a1'.repeat(20)}` as const
const factory = `0x${'fa'.repeat(20)}` as const
const gamesOf =
  'function findLatestGames(uint32, uint256, uint256) view returns ((uint256 index, bytes32 metadata, uint64 timestamp, bytes32 rootClaim, bytes extraData)[])'
const game = (block: number) => ({
  index: 1n,
  metadata: zeroHash,
  timestamp: 5n,
  rootClaim: zeroHash,
  extraData: numberToHex(block, { size: 32 }),
})

test('outputs are the games that the factory knows, and a proof ripens until the portal has nothing against it', async () => {
  await using anvil = await startAnvil()
  const parent = { read: async (method: string, params: readonly unknown[]) => anvil.call(method, ...params) }
  const { timestamp } = await anvil.call('eth_getBlockByNumber', 'latest', false)
  const settings = {
    'function proofMaturityDelaySeconds() view returns (uint256)': 100n,
    'function disputeGameFinalityDelaySeconds() view returns (uint256)': 900n,
    'function respectedGameType() view returns (uint32)': 0,
  }
  const proof = (age: number) => ({
    'function numProofSubmitters(bytes32) view returns (uint256)': 1n,
    'function proofSubmitters(bytes32, uint256) view returns (address)': factory,
    'function provenWithdrawals(bytes32, address) view returns (address, uint64)': [
      zeroAddress,
      BigInt(timestamp) - BigInt(age),
    ],
  })
  const checked = { 'function checkWithdrawal(bytes32, address) view': undefined }
  const place = (answers: Record<string, unknown>) =>
    anvil.call('anvil_setCode', portal, answering({ ...settings, ...answers }))
  const games = { 'function gameCount() view returns (uint256)': 7n, [gamesOf]: [game(400), game(500), game(300)] }
  await anvil.call('anvil_setCode', factory, answering(games))
  await place({ 'function numProofSubmitters(bytes32) view returns (uint256)': 0n })

  const outputs = await gameOutputs(parent, portal, factory)
  expect(outputs.finalizationSeconds).toBe(100)
  expect(await outputs.covered()).toEqual({ newest: 500, next: 600, interval: 100 })
  expect(await outputs.secondsToFinalize(zeroHash)).toBeNull()
  await place(proof(30))
  expect(await outputs.secondsToFinalize(zeroHash)).toBe(70)
  // Old enough, but its game is not resolved.
  await place(proof(130))
  expect(await outputs.secondsToFinalize(zeroHash)).toBe(900)
  await place({ ...proof(130), ...checked })
  expect(await outputs.secondsToFinalize(zeroHash)).toBe(0)
  await anvil.call('anvil_setCode', factory, answering({ 'function gameCount() view returns (uint256)': 0n }))
  expect((await outputs.covered()).newest).toBe(0)
})
