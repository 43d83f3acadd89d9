import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Address, Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { Deployment } from '../adapters/chain/reads/deployment.ts'
import type { Bridge } from '../domain/ports/bridge.ts'
import { type Chain, openChain } from './chain/chain.ts'
import type { ChainOptions } from './chain/state.ts'
import { keeperAccount, proposerAccount } from './deploy/accounts.ts'
import { multicall3 } from './deploy/addresses.ts'
import { bootstrapBlocks } from './deploy/bootstrap.ts'
import { buildWorld, parentGenesisJson } from './deploy/build-world.ts'
import { type Funder, funder } from './deploy/funder.ts'
import { genesisJson } from './deploy/genesis.ts'
import { ledgerFile, parentFolder, readWorld, removeUnfinished, writeWorld } from './deploy/world-file.ts'
import { openFolder } from './engine/chain-folder.ts'
import type { ReadBounds } from './engine/reads.ts'
import type { Emit, SandboxEvent } from './kit/events.ts'
import { writeWhole } from './kit/files.ts'
import { lockDirectory } from './kit/lock.ts'
import { makePrivate } from './kit/private-files.ts'
import type { MarketSettings } from './market/clock.ts'
import { type Market, openMarket } from './market/open-market.ts'
import { publicRequests, type Request } from './requests/public-requests.ts'
import type { RollupFacts } from './rollup/facts.ts'
import { type Ledger, type LedgerBlock, openLedger } from './rollup/ledger.ts'
import { epochBlocks, parentAddresses, parentChainId } from './rollup/parameters.ts'
import { storedProof } from './rollup/passer-proof.ts'
import { blockRecorder } from './rollup/record.ts'
import { type RunningRollup, runRollup } from './rollup/run.ts'
import type { Sequencer } from './sequencing/sequencer.ts'

export type SandboxOptions = {
  /** Everything is stored in its subfolder `chain`. */
  dataDir: string
  chainId: number
  blockTimeSeconds: number
  /** Twice that of the rollup by default. */
  parentBlockTimeSeconds?: number
  /** What one read that runs code may cost. */
  reads: ReadBounds
  /** Random for each data folder, and the same at every start. */
  treasuryKey: Hex
  /** Still by default. */
  market?: MarketSettings
  onEvent?: (event: SandboxEvent) => void
}

type Block = { number: bigint; hash: Hex; timestamp: bigint }
type OnBlock = (listener: (block: Block) => void) => () => void

/** The running sandbox: a rollup and its parent chain. */
export type Sandbox = {
  /** Calls public JSON-RPC methods of the rollup. */
  request: Request
  deployment: Deployment
  treasury: Address
  funder: Funder
  /** The sequencer of the rollup. The parent chain goes on while it is stopped. */
  sequencer: { start: () => boolean; stop: () => boolean; running: () => boolean }
  onBlock: OnBlock
  /** Calls the listener with the hash of each transaction that the rollup accepts. Returns a function that removes it. */
  onPending: (listener: (hash: Hex) => void) => () => void
  parent: {
    request: Request
    chainId: number
    addresses: typeof parentAddresses & { multicall3: Address }
    onBlock: OnBlock
  }
  rollup: RollupFacts
  /** The blocks that the tags latest, safe and finalized name. */
  heads: () => { latest: Block; safe: Block; finalized: Block }
  bridge: Bridge
  market: Market
  [Symbol.asyncDispose]: () => Promise<void>
}

/** Opens the sandbox of a data folder, or creates it there. */
export async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { chainId, blockTimeSeconds, treasuryKey, reads, onEvent = () => {} } = options
  // By default every origin has two rollup blocks, as real ones have several, and the parent grows half as fast.
  const parentBlockTimeSeconds = options.parentBlockTimeSeconds ?? 2 * blockTimeSeconds
  const emit: Emit = (event) => onEvent({ ...event, chain: 'rollup' })
  const emitParent: Emit = (event) => onEvent({ ...event, chain: 'parent' })
  const dir = join(options.dataDir, 'chain')
  const treasury = privateKeyToAccount(treasuryKey).address
  const keeperKey = keeperAccount(treasuryKey)
  const proposerKey = proposerAccount(treasuryKey)
  mkdirSync(dir, { recursive: true, mode: 0o700 })

  await using cleanup = new AsyncDisposableStack()
  cleanup.adopt(lockDirectory(dir), (lock) => lock.release())
  const known = readWorld(dir, { chainId, treasury })
  const folder = openFolder({ dir, chainId, kind: ['--network', 'optimism'], reads, emit })
  const parentKind = ['--slots-in-an-epoch', String(epochBlocks)]
  const parentAt = openFolder({
    dir: parentFolder(dir),
    chainId: parentChainId,
    kind: parentKind,
    reads,
    emit: emitParent,
  })
  makePrivate(dir)
  if (!known) {
    removeUnfinished(dir)
    // The blocks of the bootstrap are in the past, so that the chain is not ahead of the wall clock at its end.
    const timestamp = Math.floor(Date.now() / 1000) - bootstrapBlocks * blockTimeSeconds
    writeWhole(folder.genesisFile, genesisJson({ chainId, timestamp, treasury, keeper: keeperKey.address }))
    const parentGenesis = { timestamp: timestamp - parentBlockTimeSeconds, proposer: proposerKey.address }
    writeWhole(parentAt.genesisFile, parentGenesisJson({ ...parentGenesis, rollup: { chainId, blockTimeSeconds } }))
  }

  const ledger = cleanup.adopt(openLedger(ledgerFile(dir)), (open) => open.close())
  const [chain, parent] = await openBoth(cleanup, [
    { ...folder, record: blockRecorder(ledger), systemAccounts: accountSet(treasury, keeperKey.address), emit },
    { ...parentAt, systemAccounts: accountSet(proposerKey.address), emit: emitParent },
  ])
  const build = { chain, parent, ledger, chainId, blockTimeSeconds, treasury, keeper: keeperKey, emit }
  const world = known ?? (await buildWorld(build))
  const market = cleanup.adopt(
    await openMarket({
      chain,
      chainId,
      blockTimeSeconds,
      dir,
      emit,
      fresh: !known,
      settings: options.market ?? { mode: 'still', speed: 1 },
      account: keeperKey,
    }),
    (opened) => opened.close(),
  )
  if (!known) writeWorld(dir, { chainId, treasury, ...world })

  const genesis = world.rollup
  const times = { blockTimeSeconds, parentBlockTimeSeconds }
  const running = cleanup.adopt(
    await runRollup({ ...times, chainId, genesis, chain, parent, ledger, proposerKey, emit, emitParent }),
    (opened) => opened.close(),
  )
  running.sequencer.onBlock(() => void market.tick())
  void market.tick()
  const resources = cleanup.move()

  return {
    ...describe({ chain, parent, ledger, running, deployment: world.deployment, treasury, reads }),
    market: market.market,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([running.close(), market.close()])
      // A snapshot spares the next start the replay. A failure costs only that.
      for (const each of [chain, parent]) if (each.sinceSnapshot().steps > 20) await each.snapshot().catch(() => {})
      await resources.disposeAsync()
    },
  }
}

type Parts = {
  chain: Chain
  parent: Chain
  ledger: Ledger
  running: RunningRollup
  deployment: Deployment
  treasury: Address
  reads: ReadBounds
}

function describe(parts: Parts): Omit<Sandbox, 'market' | typeof Symbol.asyncDispose> {
  const { chain, parent, ledger, running, deployment, treasury, reads } = parts
  const { sequencer, parentSequencer, rollup, bridge } = running
  return {
    request: publicRequests(chain, reads, (method, params) =>
      method === 'eth_getProof' ? storedProof(ledger, params) : null,
    ),
    deployment,
    treasury,
    funder,
    sequencer: { start: sequencer.start, stop: sequencer.stop, running: sequencer.running },
    onBlock: blocksOf(sequencer),
    onPending: chain.onAccepted,
    parent: {
      request: publicRequests(parent, reads),
      chainId: parentChainId,
      addresses: { ...parentAddresses, multicall3 },
      onBlock: blocksOf(parentSequencer),
    },
    rollup,
    heads: () => {
      const { latest, safe, finalized } = running.heads()
      return { latest: toBlock(latest), safe: toBlock(safe), finalized: toBlock(finalized) }
    },
    bridge,
  }
}

/** Opens two chains at once. Where one fails, `cleanup` closes the other. */
async function openBoth(
  cleanup: AsyncDisposableStack,
  [first, second]: [ChainOptions, ChainOptions],
): Promise<[Chain, Chain]> {
  const open = async (options: ChainOptions) => cleanup.adopt(await openChain(options), (chain) => chain.close())
  const [chain, parent] = await Promise.allSettled([open(first), open(second)])
  if (chain.status === 'rejected') throw chain.reason
  if (parent.status === 'rejected') throw parent.reason
  return [chain.value, parent.value]
}

function accountSet(...accounts: Address[]): ReadonlySet<Hex> {
  return new Set(accounts.map((account) => account.toLowerCase() as Hex))
}

function blocksOf(sequencer: Sequencer): OnBlock {
  return (listener) => sequencer.onBlock((block) => listener(toBlock(block)))
}

function toBlock({ number, hash, timestamp }: Pick<LedgerBlock, 'number' | 'hash' | 'timestamp'>): Block {
  return { number: BigInt(number), hash, timestamp: BigInt(timestamp) }
}
