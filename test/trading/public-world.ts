import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chainId, treasuryKey } from '../../src/sandbox/fixtures/testing.ts'
import { openSandbox } from '../../src/sandbox/world.ts'
import { askEngine } from '../engine.ts'
import { type Anvil, startAnvil } from '../node/anvil.ts'
import { openWorldOn, type TradingWorld } from './world.ts'

export type PublicTradingWorld = TradingWorld & { anvil: Anvil }

/**
 * The domain over the adapters of public chains, and a node of its own process that holds the sandbox's contracts. It
 * makes a block each second until it is told otherwise, and does what no embedded chain does: reorganise, forget, refuse.
 */
export async function openPublicTradingWorld(): Promise<PublicTradingWorld> {
  const { dir, anvil, deployment, funder, close } = await startPublicChain()
  const chain = { deployment, request: null, rpcUrls: [anvil.url], sandbox: false }
  const request = ({ method, params }: { method: string; params?: unknown }) =>
    anvil.call(method, ...((params ?? []) as unknown[]))
  const world = await openWorldOn({ dir, chain, funder, request, close })
  return Object.defineProperties(world, { anvil: { value: anvil } }) as PublicTradingWorld
}

/** The node alone, the table of its contracts, and a folder. */
export async function startPublicChain() {
  const dir = mkdtempSync(join(tmpdir(), 'trident-public-'))
  const sandbox = await openSandbox({ dataDir: dir, chainId, blockTimeSeconds: 1, treasuryKey })
  const { deployment, funder } = sandbox
  const state = (await askEngine(dir, 'anvil_dumpState', [])) as string
  await sandbox[Symbol.asyncDispose]()

  const anvil = await startAnvil([], { chainId, timestamp: '' })
  await anvil.call('anvil_loadState', state)
  await anvil.call('evm_setIntervalMining', 1)
  const close = async () => {
    await anvil[Symbol.asyncDispose]()
    rmSync(dir, { recursive: true, force: true })
  }
  return { dir, anvil, deployment: { ...deployment, block_time_seconds: 1 }, funder, close }
}
