import { type Address, encodeFunctionData, type Hex, hexToBigInt } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { quantityOf } from '../../kit/hex.ts'
import type { Chain } from '../chain/chain.ts'
import { signed } from '../pool/pending-pool.ts'
import { tokenAbi } from './abis.ts'
import { deployer } from './accounts.ts'
import { addresses } from './addresses.ts'
import { tokens } from './market.ts'
import { approvals, creations, marketCalls, type Step } from './steps.ts'

/** The most blocks that the bootstrap may take. The genesis time is set back by as much. */
export const bootstrapBlocks = 6

const gasPrice = 1_000_000_000n

type BootstrapOptions = {
  chain: Chain
  chainId: number
  blockTimeSeconds: number
  treasury: Address
  keeper: PrivateKeyAccount
}

/** Deploys the contracts and the market on an empty chain. The deployer ends without funds, tokens and rights. */
export async function bootstrap({
  chain,
  chainId,
  blockTimeSeconds,
  treasury,
  keeper,
}: BootstrapOptions): Promise<void> {
  const first = chain.head().number + 1
  const nonces = new Map<Address, number>()
  const sent: Promise<void>[] = []

  async function send(account: PrivateKeyAccount, step: Step): Promise<void> {
    const nonce = nonces.get(account.address) ?? 0
    nonces.set(account.address, nonce + 1)
    const raw = await account.signTransaction({ type: 'legacy', chainId, nonce, gasPrice, ...step })
    sent.push(chain.submit(signed(raw, account.address, nonce)))
  }

  async function mineAll(): Promise<void> {
    await Promise.all(sent.splice(0))
    while (chain.pendingCount() > 0) {
      if (chain.head().number - first + 1 >= bootstrapBlocks)
        throw new Error(`the bootstrap needs more than ${bootstrapBlocks} blocks`)
      await chain.produceBlock((head) => ({ timestamp: head.timestamp + blockTimeSeconds, deposits: [] }))
    }
  }

  for (const step of [...creations(treasury, keeper.address), ...marketCalls(treasury)]) await send(deployer, step)
  for (const step of approvals([addresses.v2Router, addresses.v3Router])) await send(keeper, step)
  await mineAll()

  for (const { address } of Object.values(tokens)) {
    const balance = await chain.read('eth_call', [
      { to: address, data: encodeFunctionData({ abi: tokenAbi, functionName: 'balanceOf', args: [deployer.address] }) },
      'latest',
    ])
    const args = [keeper.address, hexToBigInt(balance as Hex)] as const
    await send(deployer, {
      to: address,
      data: encodeFunctionData({ abi: tokenAbi, functionName: 'transfer', args }),
      gas: 100_000n,
    })
  }
  await mineAll()

  const rest = hexToBigInt((await chain.read('eth_getBalance', [deployer.address, 'latest'])) as Hex)
  await send(deployer, { to: treasury, data: '0x', value: rest - 21_000n * gasPrice, gas: 21_000n })
  await mineAll()

  for (let number = first; number <= chain.head().number; number += 1) {
    const receipts = (await chain.read('eth_getBlockReceipts', [quantityOf(number)])) as {
      status: Hex
      transactionIndex: Hex
      gasUsed: Hex
    }[]
    const failed = receipts.find((receipt) => receipt.status !== '0x1')
    if (failed)
      throw new Error(`the bootstrap failed at transaction ${Number(failed.transactionIndex)} of block ${number}`)
  }
}
