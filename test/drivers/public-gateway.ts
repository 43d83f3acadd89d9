import { type Gateway, startGateway } from '../gateway-process.ts'
import { type Anvil, anvilChainId, startAnvil } from '../node/anvil.ts'
import { hex } from './tally.ts'

/** The gateway in front of a node that runs as a separate process. */
export type PublicGateway = AsyncDisposable & {
  anvil: Anvil
  gateway: Gateway
  /** An account that the node signs for, and a contract that logs as many zero bytes as its call data has. */
  account: string
  logger: string
  /** Sends a transaction that logs; it waits for a block. */
  log(bytes?: number): Promise<string>
}

/** Starts a node, and a gateway in front of it; `rpcUrls` derives the gateway's URLs from the node's. */
export async function startPublic({
  flags = [] as readonly string[],
  rpcUrls = async (url: string) => url,
  settings = {} as Record<string, string>,
} = {}): Promise<PublicGateway> {
  await using opened = new AsyncDisposableStack()
  const anvil = opened.use(await startAnvil(flags))
  const [account] = await anvil.call('eth_accounts')
  const made = await anvil.call('eth_sendTransaction', {
    from: account,
    data: '0x6007600c60003960076000f36000356000a000',
  })
  await anvil.mine()
  const logger: string = (await anvil.call('eth_getTransactionReceipt', made)).contractAddress
  const chain = { CHAIN_ID: String(anvilChainId), CHAIN_RPC_URL: await rpcUrls(anvil.url), CHAIN_WS_URL: anvil.wsUrl }
  const gateway = opened.use(await startGateway(null, { ...chain, ...settings }))
  const resources = opened.move()
  return {
    anvil,
    gateway,
    account,
    logger,
    log: async (bytes = 0) =>
      await anvil.call('eth_sendTransaction', {
        from: account,
        to: logger,
        data: `0x${bytes.toString(16).padStart(64, '0')}`,
        gas: hex(100_000 + bytes * 12),
      }),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
