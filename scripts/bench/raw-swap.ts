import { encodeFunctionData, encodePacked, type Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { v2Abi, v3Abi } from '../../src/adapters/chain/abis.ts'
import { addresses } from '../../src/sandbox/deploy/addresses.ts'
import { connectIpc } from '../../src/sandbox/engine/ipc.ts'
import { type Client, output } from '../../test/clients/client.ts'
import { engineSocket } from '../../test/engine.ts'
import { type Gateway, rpc } from '../../test/faults/gateway.ts'

const value = 10n ** 15n
const path = [addresses.weth, addresses.usdc]

/** The swap of the benchmarks without the gateway's trading: asked of the engine itself, or signed and sent as it is. */
export type RawSwap = Disposable & {
  /** One question to one pool, where a quote asks for the best of all. */
  quote(): Promise<unknown>
  simulate(): Promise<unknown>
  /** Signs the next swap of its own wallet and answers its transaction. */
  sign(): Promise<Hex>
}

/** Opens it with a wallet of its own, which the faucet has paid. */
export async function openRawSwap(dataDir: string, { urls }: Gateway, client: Client): Promise<RawSwap> {
  const engine = await connectIpc(engineSocket(dataDir))
  const account = privateKeyToAccount(generatePrivateKey())
  await output(client.call('chain.claimFaucet', { address: account.address }))
  while (BigInt((await rpc(urls.rpc, 'eth_getBalance', account.address, 'latest')).result) === 0n);
  const chainId = Number((await rpc(urls.rpc, 'eth_chainId')).result)
  const gasPrice = BigInt((await rpc(urls.rpc, 'eth_gasPrice')).result)
  const args = [0n, path, account.address, 2n ** 40n] as const
  const functionName = 'swapExactETHForTokensSupportingFeeOnTransferTokens'
  const data = encodeFunctionData({ abi: v2Abi, functionName, args })
  const route = encodePacked(['address', 'uint24', 'address'], [addresses.weth, 500, addresses.usdc])
  const asked = encodeFunctionData({ abi: v3Abi, functionName: 'quoteExactInput', args: [route, value] })
  const swap = { from: account.address, to: addresses.v2Router, value: `0x${value.toString(16)}`, data }
  let nonce = 0
  return {
    quote: () => engine.call('eth_call', [{ to: addresses.v3Quoter, data: asked }, 'latest']),
    simulate: () => engine.call('eth_call', [swap, 'latest']),
    sign() {
      const fees = { maxFeePerGas: 2n * gasPrice, maxPriorityFeePerGas: 0n, gas: 300_000n }
      const next = { type: 'eip1559', chainId, nonce, to: addresses.v2Router, value, data, ...fees } as const
      nonce += 1
      return account.signTransaction(next)
    },
    [Symbol.dispose]: () => engine.close(),
  }
}
