import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Address, encodeFunctionData, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { Deployment } from '../adapters/chain/deployment.ts'
import { funderAbi } from './deploy/abis.ts'
import { keeperAccount } from './deploy/accounts.ts'
import { addresses } from './deploy/addresses.ts'
import { bootstrap, bootstrapBlocks } from './deploy/bootstrap.ts'
import { describeDeployment } from './deploy/describe.ts'
import { genesisJson } from './deploy/genesis.ts'
import { grants } from './deploy/market.ts'
import { openChain } from './durable/chain.ts'
import { writeWhole } from './durable/files.ts'
import { lockDirectory } from './durable/lock.ts'
import { endOrphan } from './engine/orphans.ts'
import { checkedParams } from './engine/public-methods.ts'
import type { SandboxEvent } from './events.ts'
import { createKeeper } from './keeper.ts'
import { startSequencer } from './sequencer.ts'
import { transactionGate } from './transactions.ts'
import { readWorld, removeUnfinished, writeWorld } from './world-file.ts'

export type SandboxOptions = {
  /** Everything lives in its subfolder `chain`. */
  dataDir: string
  chainId: number
  blockTimeSeconds: number
  /** Random per data folder, and the same at every start. */
  treasuryKey: Hex
  onEvent?: (event: SandboxEvent) => void
}

/** One asset of the grant that a new account gets; the native one has no address. */
type Grant = { symbol: string; address: Address | null; amount: bigint }

/** The embedded world, running. */
export type Sandbox = {
  /** Answers public JSON-RPC methods; what viem's `custom()` transport takes. */
  request: (args: { method: string; params?: unknown }) => Promise<unknown>
  deployment: Deployment
  treasury: Address
  /** One transaction from the treasury to this contract gives an account everything it needs to trade. */
  funder: { address: Address; encode: (to: Address) => { data: Hex; value: bigint }; grants: Grant[] }
  sequencer: { start: () => boolean; stop: () => boolean; running: () => boolean }
  onBlock: (listener: (block: { number: bigint; hash: Hex; timestamp: bigint }) => void) => () => void
  [Symbol.asyncDispose]: () => Promise<void>
}

/** Opens the world a data folder holds, or builds it there. */
export async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { chainId, blockTimeSeconds, treasuryKey, onEvent: emit = () => {} } = options
  const dir = join(options.dataDir, 'chain')
  const engineDir = join(dir, 'engine')
  const genesisFile = join(dir, 'genesis.json')
  const treasury = privateKeyToAccount(treasuryKey).address
  const keeperKey = keeperAccount(treasuryKey)
  mkdirSync(dir, { recursive: true, mode: 0o700 })

  await using cleanup = new AsyncDisposableStack()
  cleanup.adopt(lockDirectory(dir), (lock) => lock.release())
  const known = readWorld(dir, { chainId, treasury })
  const orphan = endOrphan(engineDir)
  if (orphan !== null) emit({ type: 'engine-orphan-ended', pid: orphan })
  rmSync(engineDir, { recursive: true, force: true })
  if (!known) {
    removeUnfinished(dir)
    // The building blocks lie in the past, so that the chain is not ahead of the wall clock when it is done.
    const timestamp = Math.floor(Date.now() / 1000) - bootstrapBlocks * blockTimeSeconds
    writeWhole(genesisFile, genesisJson({ chainId, timestamp, treasury, keeper: keeperKey.address }))
  }

  const chain = cleanup.adopt(await openChain({ dir, engineDir, genesisFile, chainId, emit }), (open) => open.close())
  const deployment = known?.deployment ?? describeDeployment(chainId, blockTimeSeconds)
  if (!known) {
    const started = performance.now()
    await bootstrap({ chain, chainId, blockTimeSeconds, treasury, keeper: keeperKey })
    writeWorld(dir, { chainId, treasury, deployment })
    emit({
      type: 'contracts-deployed',
      block: chain.head().number,
      milliseconds: Math.round(performance.now() - started),
    })
  }

  const now = () => Math.max(chain.head().timestamp, Math.floor(Date.now() / 1000))
  const keeper = cleanup.adopt(
    createKeeper({ account: keeperKey, chainId, read: chain.read, submit: chain.submit, now, emit }),
    (kept) => kept.close(),
  )
  const sequencer = cleanup.adopt(startSequencer({ chain, blockTimeSeconds, emit }), (running) => running.close())
  sequencer.onBlock(() => void keeper.tick())
  void keeper.tick()
  const accept = transactionGate(chain)
  const resources = cleanup.move()

  return {
    request: async ({ method, params }) => {
      if (method === 'eth_sendRawTransaction') return accept(Array.isArray(params) ? params[0] : undefined)
      return chain.read(method, checkedParams(method, params))
    },
    deployment,
    treasury,
    funder: {
      address: addresses.funder,
      encode: (to) => ({
        data: encodeFunctionData({ abi: funderAbi, functionName: 'fund', args: [to] }),
        value: grants.native + grants.weth,
      }),
      grants: [
        { symbol: 'ETH', address: null, amount: grants.native },
        { symbol: 'WETH', address: addresses.weth, amount: grants.weth },
        { symbol: 'USDC', address: addresses.usdc, amount: grants.usdc },
        { symbol: 'WBTC', address: addresses.wbtc, amount: grants.wbtc },
      ],
    },
    sequencer: { start: sequencer.start, stop: sequencer.stop, running: sequencer.running },
    onBlock: (listener) =>
      sequencer.onBlock(({ number, hash, timestamp }) =>
        listener({ number: BigInt(number), hash, timestamp: BigInt(timestamp) }),
      ),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([sequencer.close(), keeper.close()])
      // The next start then has nothing to replay; failing to write it costs only that.
      if (chain.tail() > 20) await chain.snapshot().catch(() => {})
      await resources.disposeAsync()
    },
  }
}
