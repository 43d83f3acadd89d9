import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { privateKeyToAccount } from 'viem/accounts'
import { publicNode } from '../../src/adapters/chain/fixtures/nodes.ts'
import type { Deployment } from '../../src/adapters/chain/reads/deployment.ts'
import type { Hex } from '../../src/domain/ports/chains.ts'
import { chainId, reads, treasuryKey, until } from '../../src/sandbox/fixtures/testing.ts'
import { openSandbox } from '../../src/sandbox/world.ts'
import type { Client } from '../clients/client.ts'
import { dataFolder } from '../data-folder.ts'
import { askEngine } from '../engine.ts'
import { type Anvil, startAnvil } from '../node/anvil.ts'
import { type Account, newAccount } from '../world.ts'
import { openWorldOn, type TradingWorld } from './world.ts'

export type PublicTradingWorld = TradingWorld & { anvil: Anvil; deployment: Deployment }

/**
 * The domain over the adapters of public chains, and a node in a separate process with the sandbox's contracts. It
 * mines a block each second unless a test changes that, and does what the embedded chain never does: reorganise, lose
 * transactions, refuse. `flags` are additional ones of the node.
 */
export async function openPublicTradingWorld(flags: readonly string[] = []): Promise<PublicTradingWorld> {
  const { dir, anvil, deployment, funder, close: end } = await startPublicChain(flags)
  const node = await publicNode([anvil.url], chainId)
  const close = async () => {
    await node[Symbol.asyncDispose]()
    await end()
  }
  const chain = { deployment, node, sandbox: false }
  const request = ({ method, params }: { method: string; params?: unknown }) =>
    anvil.call(method, ...((params ?? []) as unknown[]))
  const world = await openWorldOn({ dir, chain, funder, request, close })
  const more = { anvil: { value: anvil }, deployment: { value: deployment } }
  return Object.defineProperties(world, more) as PublicTradingWorld
}

/** The node alone, the table of its contracts, and a folder. */
export async function startPublicChain(flags: readonly string[] = []) {
  const folder = dataFolder()
  const dir = folder.path
  const sandbox = await openSandbox({ dataDir: dir, chainId, blockTimeSeconds: 1, reads, treasuryKey })
  const { deployment, funder } = sandbox
  const state = (await askEngine(dir, 'anvil_dumpState', [])) as string
  await sandbox[Symbol.asyncDispose]()

  const anvil = await startAnvil(flags, { chainId, timestamp: '' })
  await anvil.call('anvil_loadState', state)
  await anvil.call('evm_setIntervalMining', 1)
  const close = async () => {
    await anvil[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
  }
  return { dir, anvil, deployment: { ...deployment, block_time_seconds: 1 }, funder, close }
}

export type PublicChain = Awaited<ReturnType<typeof startPublicChain>>

/** The settings of a gateway process that trades on the node, with additional ones in `more`. */
export function settingsOf({ dir, anvil, deployment }: PublicChain, more: Record<string, string>) {
  const table = join(dir, 'table.json')
  writeFileSync(table, JSON.stringify(deployment))
  return {
    DATA_DIR: dir,
    CHAIN_RPC_URL: anvil.url,
    CHAIN_ID: `${chainId}`,
    CHAIN_TABLE: table,
    RATE_LIMITS: 'off',
    TRADING_ENABLED: 'true',
    MAX_TRADE_USD: '100000',
    MAX_DAILY_USD: '1000000',
    ...more,
  }
}

/** A new account whose wallet has the sandbox's starting money. */
export async function richAccount(client: Client, { anvil, funder }: PublicChain): Promise<Account> {
  const account = await newAccount(client)
  const treasury = privateKeyToAccount(treasuryKey)
  const { data, value } = funder.encode(account.wallet as Hex)
  const nonce = Number(await anvil.call('eth_getTransactionCount', treasury.address, 'pending'))
  const fees = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n }
  const call = { type: 'eip1559', chainId, to: funder.address, data, value, nonce, gas: 500_000n } as const
  const hash = await anvil.call('eth_sendRawTransaction', await treasury.signTransaction({ ...call, ...fees }))
  await until(async () => (await anvil.call('eth_getTransactionReceipt', hash)) !== null, 'the money')
  return account
}
