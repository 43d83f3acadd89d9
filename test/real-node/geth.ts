import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { encodeFunctionData, type Hex, numberToHex, parseEther } from 'viem'
import type { Deployment } from '../../src/adapters/chain/reads/deployment.ts'
import { multicall3Code } from '../../src/sandbox/contracts/multicall3.ts'
import { funderAbi } from '../../src/sandbox/deploy/abis.ts'
import { deployer } from '../../src/sandbox/deploy/accounts.ts'
import { addresses, multicall3 } from '../../src/sandbox/deploy/addresses.ts'
import { describeDeployment } from '../../src/sandbox/deploy/describe-deployment.ts'
import { deployerWraps } from '../../src/sandbox/deploy/genesis.ts'
import { grants } from '../../src/sandbox/deploy/market.ts'
import { creations, marketCalls } from '../../src/sandbox/deploy/steps.ts'
import { until } from '../../src/sandbox/fixtures/testing.ts'
import { dataFolder } from '../data-folder.ts'
import { freePort } from '../node/anvil.ts'
import { whenGone } from '../when-gone.ts'
import { gethBinary } from './geth-binary.ts'

/** The chain id of go-ethereum's own development chain. */
export const gethChainId = 1_337

/** The account whose key go-ethereum has in this mode. */
const rich: Hex = '0x71562b71999873db5b286df957af199ec94617f7'

const gasLimit = 30_000_000

/** How long it may take until it answers, and until what was sent to it is mined. */
const mostMs = 60_000

/** go-ethereum in a separate process, which can be killed and restarted. It mines a block every second, or at longer intervals. */
export type Geth = AsyncDisposable & {
  url: string
  wsUrl: string
  /** The account that the node signs for and that owns nearly everything; `eth_sendTransaction` sends from it. */
  rich: Hex
  /** Throws an Error with the text of the node. */
  // biome-ignore lint/suspicious/noExplicitAny: answers of every method pass through here
  call(method: string, ...params: unknown[]): Promise<any>
  /** Sends from the rich account and waits for the receipt. Throws where the transaction failed. */
  // biome-ignore lint/suspicious/noExplicitAny: a receipt as the node writes it
  send(call: { to?: Hex; data?: Hex; value?: bigint }): Promise<any>
  /** Kills it by SIGKILL. */
  kill(): Promise<void>
  /** Kills it where it runs, and starts it again at the same address on the same data. Throws where it is not up in a minute. */
  restart(): Promise<void>
}

/** go-ethereum with the sandbox's contracts. */
export type GethWorld = Geth & {
  /** The table of the contracts. */
  deployment: Deployment
  /** Gives a wallet the sandbox's starting money, and waits until it has it. */
  give(wallet: string): Promise<void>
}

/** Starts it in a folder of its own, which is gone when it is. It ends with this process, however that ends. */
async function startGeth(blockSeconds: number): Promise<Geth> {
  await using opened = new AsyncDisposableStack()
  const dir = opened.use(dataFolder()).path
  const [port, engine] = [await freePort(), await freePort()]
  const url = `http://127.0.0.1:${port}`
  writeGenesis(dir)
  let child = await start()
  opened.defer(kill)

  async function start(): Promise<ChildProcess> {
    const started = spawn(gethBinary, flagsOf({ dir, port, engine, blockSeconds }), {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let said = ''
    started.stderr?.setEncoding('utf8').on('data', (text) => (said = (said + text).slice(-4_000)))
    const guard = whenGone('kill -9 "$0"', String(started.pid))
    started.once('exit', () => guard[Symbol.dispose]())
    for (const deadline = Date.now() + mostMs; ; ) {
      try {
        await call('eth_chainId')
        return started
      } catch (failure) {
        const ended = started.exitCode !== null || started.signalCode !== null
        if (!ended && Date.now() < deadline) await sleep(50)
        else {
          started.kill('SIGKILL')
          throw new Error(`go-ethereum did not start:\n${said}`, { cause: failure })
        }
      }
    }
  }

  async function call(method: string, ...params: unknown[]) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const signal = AbortSignal.timeout(mostMs)
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(url, { method: 'POST', headers, body, signal })
    const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } }
    if (error !== undefined) throw new Error(`${method}: ${error.message}`)
    return result
  }

  async function kill(): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }

  const resources = opened.move()
  return {
    url,
    wsUrl: url.replace('http', 'ws'),
    rich,
    call,
    send: async ({ value = 0n, ...more }) =>
      await minedOf(
        call,
        (await call('eth_sendTransaction', { from: rich, value: numberToHex(value), ...more })) as Hex,
      ),
    kill,
    async restart() {
      await kill()
      child = await start()
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/**
 * The genesis of its development chain with the base fee of the sandbox's, so that trades cost as much, and with the
 * money and Multicall3.
 */
function writeGenesis(dir: string): void {
  const run = (...words: string[]) => execFileSync(gethBinary, words, { stdio: ['ignore', 'pipe', 'ignore'] })
  const genesis = JSON.parse(run('--dev', 'dumpgenesis').toString()) as { alloc: Record<string, object> }
  const alloc = {
    ...genesis.alloc,
    [rich]: { balance: numberToHex(parseEther('1000000000')) },
    [deployer.address]: { balance: numberToHex(deployerWraps + parseEther('10')) },
    [multicall3]: { balance: '0x0', code: multicall3Code },
  }
  const times = { timestamp: numberToHex(Math.floor(Date.now() / 1_000) - 2) }
  const fees = { baseFeePerGas: numberToHex(100_000_000n), gasLimit: numberToHex(gasLimit) }
  const file = join(dir, 'genesis.json')
  writeFileSync(file, JSON.stringify({ ...genesis, ...times, ...fees, alloc }))
  run('--datadir', dir, '--state.scheme', 'hash', 'init', file)
}

type Places = { dir: string; port: number; engine: number; blockSeconds: number }

function flagsOf({ dir, port, engine, blockSeconds }: Places): string[] {
  const values = {
    datadir: dir,
    // Writes the state of every block to disk, so that a kill forgets a few blocks at most, and old ones can be read.
    'state.scheme': 'hash',
    gcmode: 'archive',
    cache: 64,
    'dev.period': blockSeconds,
    'miner.gaslimit': gasLimit,
    'http.port': port,
    'http.api': 'eth,net,web3,debug,txpool',
    'ws.port': port,
    'ws.api': 'eth,net,web3,debug,txpool',
    'authrpc.port': engine,
    verbosity: 2,
  }
  const flags = Object.entries(values).flatMap(([name, value]) => [`--${name}`, String(value)])
  return ['--dev', '--http', '--ws', '--ipcdisable', ...flags]
}

/** The receipt of a transaction, once there is one. */
async function minedOf(call: Geth['call'], hash: Hex) {
  let receipt: { status: Hex; contractAddress: Hex | null } | null = null
  const isMined = async () => {
    receipt = await call('eth_getTransactionReceipt', hash)
    return receipt !== null
  }
  await until(isMined, `the receipt of ${hash}`, mostMs, 50)
  if (receipt!.status !== '0x1') throw new Error(`The transaction ${hash} failed.`)
  return receipt!
}

/**
 * Starts go-ethereum with the sandbox's contracts at their usual addresses. The rich account owns what the treasury and the
 * keeper own there. Feeds are fresh for an hour, as nobody refreshes them; the zero address owns nothing.
 */
export async function startGethWorld({ blockSeconds = 1 } = {}): Promise<GethWorld> {
  await using opened = new AsyncDisposableStack()
  const geth = opened.use(await startGeth(blockSeconds))
  const { call, send } = geth
  const hashes: Hex[] = []
  // The node advises the tips that it has seen.
  const fees = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1_000_000n }
  for (const [nonce, step] of [...creations(rich, rich), ...marketCalls(rich)].entries()) {
    const transaction = { type: 'eip1559', chainId: gethChainId, nonce, ...fees, ...step } as const
    hashes.push(await call('eth_sendRawTransaction', await deployer.signTransaction(transaction)))
  }
  for (const hash of hashes) await minedOf(call, hash)
  const head = Number(await call('eth_blockNumber'))
  const resources = opened.move()
  return {
    ...geth,
    deployment: { ...describeDeployment(gethChainId, blockSeconds, head + 1), name: 'go-ethereum' },
    async give(wallet) {
      const data = encodeFunctionData({ abi: funderAbi, functionName: 'fund', args: [wallet as Hex] })
      await send({ to: addresses.funder, data, value: grants.native + grants.weth })
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** The settings of a gateway that trades on the chain through the node at `url`; `dir` receives the table. */
export function gethSettings(
  { deployment }: Pick<GethWorld, 'deployment'>,
  { dir, url }: { dir: string; url: string },
): Record<string, string> {
  const table = join(dir, 'table.json')
  writeFileSync(table, JSON.stringify(deployment))
  return {
    CHAIN_RPC_URL: url,
    CHAIN_ID: `${gethChainId}`,
    CHAIN_TABLE: table,
    TRADING_ENABLED: 'true',
    MAX_TRADE_USD: '100000',
    MAX_DAILY_USD: '1000000',
  }
}
