import { setTimeout as sleep } from 'node:timers/promises'
import { keccak256 } from 'viem'
import { expect, test } from 'vitest'
import { buildFolder, openBare } from '../fixtures/bare-chain.ts'
import { pauseDisk } from '../fixtures/paused-disk.ts'
import { chainId, reads, temporaryDir, treasury, until } from '../fixtures/testing.ts'
import { publicRequests } from '../requests/public-requests.ts'

test.each(['well', 'failing'] as const)(
  'a transaction that is sent again during the write to disk gets its result after the write: %s',
  async (how) => {
    await using dir = await temporaryDir()
    await buildFolder(dir.path)
    await using bare = await openBare(dir.path)
    const request = publicRequests(bare.chain, reads)
    const nonce = Number(await bare.chain.read('eth_getTransactionCount', [treasury.address, 'pending']))
    const raw = await treasury.signTransaction({
      type: 'eip1559',
      chainId,
      nonce,
      gas: 21_000n,
      to: treasury.address,
      maxFeePerGas: 10n ** 10n,
      maxPriorityFeePerGas: 1n,
    })
    const settled: string[] = []
    const send = () => {
      const sent = request({ method: 'eth_sendRawTransaction', params: [raw] })
      const said = sent.then(
        () => 'accepted',
        (error: Error) => error.message,
      )
      void said.then((words) => settled.push(words))
      return said
    }
    {
      using disk = await pauseDisk(dir.path)
      const first = send()
      await until(() => disk.waiting() === 1, 'the log')
      const again = [send(), send()]
      // The engine has it, so a response could have come by now.
      await Promise.race([...again, sleep(300)])
      expect(settled).toEqual([])
      disk.next(how)
      const failure = expect.stringContaining('cannot be written to its disk')
      expect(await first).toEqual(how === 'well' ? 'accepted' : failure)
      const later = how === 'well' ? 'already known' : failure
      expect(await Promise.all(again)).toEqual([later, later])
    }
    expect(await send()).toBe(how === 'well' ? 'already known' : 'accepted')
    await bare.produceBlock()
    expect(await request({ method: 'eth_getTransactionReceipt', params: [keccak256(raw)] })).toMatchObject({
      status: '0x1',
    })
  },
)
