import { type Block, concat, type Hex, keccak256, numberToHex, toRlp } from 'viem'
import { getL2TransactionHashes, getSourceHash } from 'viem/op-stack'
import { expect, test } from 'vitest'
import { depositor, originIn } from '../opstack/l1-attributes.ts'
import { l1Block, messagePasser } from '../opstack/predeploys.ts'
import { opStackClients } from './fixtures/op-stack.ts'
import { parentAccount, temporaryDir, testSandbox, until } from './fixtures/testing.ts'

type Header = Block<bigint, false> & Record<'parentBeaconBlockRoot' | 'requestsHash', Hex>

/** The hash of a block, computed from its header. */
function hashOf(block: Header): Hex {
  const integer = (value: bigint | null | undefined) => (value ? numberToHex(value) : '0x')
  const { parentHash, sha3Uncles, miner, stateRoot, transactionsRoot, receiptsRoot, logsBloom } = block
  const { difficulty, number, gasLimit, gasUsed, timestamp, extraData, mixHash, nonce } = block
  return keccak256(
    toRlp([
      ...[parentHash, sha3Uncles, miner, stateRoot, transactionsRoot, receiptsRoot, logsBloom ?? '0x'],
      ...[difficulty, number, gasLimit, gasUsed, timestamp].map(integer),
      ...[extraData, mixHash, nonce ?? '0x', integer(block.baseFeePerGas), block.withdrawalsRoot ?? '0x'],
      ...[integer(block.blobGasUsed), integer(block.excessBlobGas), block.parentBeaconBlockRoot, block.requestsHash],
    ]),
  )
}

test('every output root follows from the block and the message passer, from the first block on', async () => {
  await using dir = await temporaryDir()
  await using sandbox = await testSandbox(dir.path, { parentBlockTimeSeconds: 1 })
  const { rollup, rollupWallet, parentWallet, parent, rollupChain } = opStackClients(sandbox, parentAccount)
  const portal = sandbox.parent.addresses.portal
  const receipt = await parent.waitForTransactionReceipt({
    hash: await parentWallet.sendTransaction({ to: portal, value: 10n ** 18n }),
  })
  const [arrival = '0x'] = getL2TransactionHashes(receipt)
  await rollup.waitForTransactionReceipt({ hash: arrival })
  const withdrawal = await rollupWallet.initiateWithdrawal({
    request: { gas: 100_000n, to: parentAccount.address, value: 5n },
  })
  const { blockNumber: last } = await rollup.waitForTransactionReceipt({ hash: withdrawal })

  let passerRoots = 0
  for (let blockNumber = 0n, before = ''; blockNumber <= last; blockNumber += 1n) {
    const block = (await rollup.getBlock({ blockNumber })) as Header
    const proof = await rollup.getProof({ address: messagePasser, storageKeys: [], blockNumber })
    expect(hashOf(block)).toBe(block.hash)
    // The engine computes the block hash with an empty state root for its genesis.
    if (blockNumber > 0n) expect(keccak256(proof.accountProof[0] ?? '0x')).toBe(block.stateRoot)
    const version = numberToHex(0, { size: 32 })
    const { number, hash, parentHash, timestamp } = block
    expect(await sandbox.rollup.outputAt(blockNumber)).toMatchObject({
      version,
      stateRoot: block.stateRoot,
      withdrawalStorageRoot: proof.storageHash,
      outputRoot: keccak256(concat([version, block.stateRoot, proof.storageHash, hash ?? '0x'])),
      blockRef: { hash, parentHash, number: Number(number), timestamp: Number(timestamp) },
    })
    if (proof.storageHash !== before) passerRoots += 1
    before = proof.storageHash
  }
  expect(passerRoots).toBe(2)

  // The parent chain has the same output.
  await until(async () => (await rollup.getBlockNumber()) > last, 'another block')
  const { outputRoot, l2BlockNumber } = await parent.getL2Output({ l2BlockNumber: 0n, targetChain: rollupChain })
  expect(await sandbox.rollup.outputAt(l2BlockNumber)).toMatchObject({ outputRoot })
})

test('origins and sequence numbers are those of a derivation: each origin in turn, counted from zero', async () => {
  await using dir = await temporaryDir()
  await using sandbox = await testSandbox(dir.path, { parentBlockTimeSeconds: 2 })
  const { rollup, parent } = opStackClients(sandbox, parentAccount)
  type Ref = { number: number; timestamp: number; l1origin: { number: number; hash: Hex }; sequenceNumber: number }
  const refOf = async (number: bigint) => (await sandbox.rollup.outputAt(number)).blockRef as Ref
  await until(async () => (await refOf(await rollup.getBlockNumber())).l1origin.number >= 3, 'three origins')
  const last = await rollup.getBlockNumber()
  const { genesis } = (await sandbox.rollup.config()) as { genesis: { l2: { number: number } } }
  const built = BigInt(genesis.l2.number)
  let before = await refOf(0n)
  expect(before).toMatchObject({ l1origin: { number: 0 }, sequenceNumber: 0 })
  for (let number = 1n; number <= last; number += 1n) {
    const ref = await refOf(number)
    const origin = await parent.getBlock({ blockNumber: BigInt(ref.l1origin.number) })
    expect(ref.l1origin.hash).toBe(origin.hash)
    expect(ref.timestamp).toBeGreaterThanOrEqual(Number(origin.timestamp))
    if (number > built) {
      const { transactions } = await rollup.getBlock({ blockNumber: number, includeTransactions: true })
      const source = { l1BlockHash: origin.hash, sequenceNumber: ref.sequenceNumber }
      expect(transactions[0]).toMatchObject({
        to: l1Block,
        from: depositor,
        mint: 0n,
        sourceHash: getSourceHash({ domain: 'l1InfoDeposit', ...source }),
      })
      expect(originIn(transactions[0] as never)).toEqual(ref.l1origin)
    }
    const isSame = ref.l1origin.number === before.l1origin.number
    if (!isSame) expect(ref.l1origin.number).toBeGreaterThan(before.l1origin.number)
    expect(ref.sequenceNumber).toBe(isSame ? before.sequenceNumber + 1 : 0)
    before = ref
  }
  const { unsafe_l2, current_l1 } = await sandbox.rollup.syncStatus()
  expect((current_l1 as { number: number }).number).toBe((unsafe_l2 as Ref).l1origin.number)
})
