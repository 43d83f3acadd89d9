import { createPublicClient, custom, decodeFunctionData, erc20Abi, parseAbi, type Hex as ViemHex } from 'viem'
import { embeddedNode } from '../../src/adapters/chain/fixtures/nodes.ts'
import { type ChainOptions, joinChains, openChain } from '../../src/adapters/chain/viem-chain.ts'
import { openAccounts } from '../../src/adapters/storage/accounts/accounts.ts'
import { openFinalBlocks } from '../../src/adapters/storage/accounts/final-blocks.ts'
import { openChainHalts, openHalts } from '../../src/adapters/storage/accounts/halts.ts'
import { openKnownAddresses } from '../../src/adapters/storage/accounts/known-addresses.ts'
import { openSessions } from '../../src/adapters/storage/accounts/sessions.ts'
import { openWalletPolicies } from '../../src/adapters/storage/accounts/wallet-policies.ts'
import { openWallets } from '../../src/adapters/storage/accounts/wallets.ts'
import { openChatStreams } from '../../src/adapters/storage/chat/chat-streams.ts'
import { openMessages } from '../../src/adapters/storage/chat/messages.ts'
import { openWorkers } from '../../src/adapters/storage/connection/account-locks.ts'
import { type Database, openDatabase } from '../../src/adapters/storage/connection/database.ts'
import { openFaucetClaims } from '../../src/adapters/storage/node/faucet-claims.ts'
import { openAccountFeed } from '../../src/adapters/storage/trading/account-feed.ts'
import { openExecutions } from '../../src/adapters/storage/trading/executions.ts'
import { openLedger } from '../../src/adapters/storage/trading/ledger.ts'
import { openOutbox } from '../../src/adapters/storage/trading/outgoing.ts'
import { openQuotes } from '../../src/adapters/storage/trading/quotes.ts'
import { nodeHashing, randomIds, systemClock } from '../../src/adapters/system/system.ts'
import { createSigner } from '../../src/adapters/wallets/signer.ts'
import { contract } from '../../src/contract/index.ts'
import type { Operation } from '../../src/contract/shared/operation.ts'
import { postBooking } from '../../src/domain/books/post-booking.ts'
import { type AnyHandler, callOf } from '../../src/domain/core/handler.ts'
import { handlersById } from '../../src/domain/index.ts'
import type { Chain, Hex } from '../../src/domain/ports/chains.ts'
import type { Ports } from '../../src/domain/ports/index.ts'
import type { Outgoing } from '../../src/domain/ports/outbox.ts'
import type { TradingSettings, TradingTimes } from '../../src/domain/ports/trade-policy.ts'
import { chainId, reads, treasuryKey, until } from '../../src/sandbox/fixtures/testing.ts'
import { openSandbox, type Sandbox } from '../../src/sandbox/world.ts'
import { openSender, type RunningSender } from '../../src/wiring/open-sender.ts'
import { dataFolder } from '../data-folder.ts'
import { testedMarket } from '../test-market.ts'

export type TradingWorld = Awaited<ReturnType<typeof openWorldOn>>

/** The real domain, stores and chain, without protocols; `restart` starts a new process on the same data and chain. */
export async function openTradingWorld() {
  const folder = dataFolder()
  const dir = folder.path
  const sandbox: Sandbox = await openSandbox({
    dataDir: dir,
    chainId,
    blockTimeSeconds: 1,
    reads,
    treasuryKey,
    market: testedMarket,
  })
  const { deployment, request, funder } = sandbox
  const node = await embeddedNode(sandbox, chainId)
  const close = async () => {
    await node[Symbol.asyncDispose]()
    await sandbox[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
  }
  return await openWorldOn({ dir, chain: { deployment, node, sandbox: true }, funder, request, close })
}

/** So wide that a busy machine decides nothing. */
export const wideTimes: TradingTimes = { fundingTimeoutMs: 60_000, quoteLifetimeMs: 600_000, timeoutMs: 60_000 }

/** A world's chain, and the source of its users' funds. */
export type Ground = {
  dir: string
  chain: ChainOptions
  funder: Sandbox['funder']
  request: Sandbox['request']
  close(): Promise<void>
}

/** Opens the world over any chain that holds the sandbox's contracts. */
export async function openWorldOn(ground: Ground) {
  const { dir } = ground
  const database = await openDatabase({ url: null, dataDir: dir })
  const settings: TradingSettings = {
    enabled: true,
    skipRiskAllowed: true,
    maxFeePerGas: null,
    maxTradeUsd: null,
    maxDailyUsd: null,
    tokens: null,
    venues: null,
    chains: null,
    publicUrl: 'http://localhost',
    ...wideTimes,
  }
  const failures: unknown[] = []
  const state = processOf(ground, database, settings, failures)
  await state.sender.resume()
  let people = 0

  return {
    database,
    request: ground.request,
    settings,
    failures,
    get ports() {
      return state.ports
    },
    get chain(): Chain {
      return state.ports.chains.default
    },
    /** The token's address by its symbol. */
    token: (symbol: string): Hex =>
      state.ports.chains.default.info.tokens.find((token) => token.symbol === symbol)!.address,
    /** An account with a funded wallet. */
    async person() {
      const { signer } = state.ports
      const fields = {
        email: `person${++people}@example.com`,
        passwordHash: '',
        wallet: (userId: number) => signer.generate(userId, 'default'),
        funding: 'wanted',
        at: new Date(),
      } as const
      const account = (await state.ports.accounts.create(fields))!
      const session = { id: sessionOf(account.id), userId: account.id, name: '', createdAt: new Date(), grant: null }
      await state.ports.sessions.create(session, 1)
      const wallet = async () => (await state.ports.wallets.find(account.id, 'default'))!
      await until(async () => (await wallet()).funding === 'done', 'the funds of the wallet')
      return { userId: account.id, address: (await wallet()).address }
    },
    call: <Answer = Record<string, unknown>>(id: string, userId: number, input: Record<string, unknown>) =>
      callHandler<Answer>(state.ports, id, userId, input),
    /** Ends the sender as a crash would, and starts another one. */
    async restart() {
      await state.sender.close()
      Object.assign(state, processOf(ground, database, settings, failures))
      await state.sender.resume()
    },
    /**
     * Replaces it by one that fails at one point and watches nothing, which leaves the state of a crash at that point.
     */
    async breakAt(change: (ports: Ports) => Partial<Ports>) {
      await state.sender.close()
      const broken = { ...state.ports, ...change(state.ports) }
      const sender = openSender(broken, (failure) => failures.push(failure))
      Object.assign(state, { sender, ports: { ...broken, sender } })
    },
    /** Lets the current process watch the chain. */
    resume: async () => await state.sender.resume(),
    async close() {
      await state.sender.close()
      await database[Symbol.asyncDispose]()
      await ground.close()
    },
  }
}

function processOf({ chain, funder }: Ground, database: Database, settings: TradingSettings, failures: unknown[]) {
  const chains = joinChains(openChain(chain))
  const wallets = openWallets(database)
  const masterKey = new Uint8Array(32).fill(7)
  const parts = {
    accountFeed: openAccountFeed(database),
    accounts: openAccounts(database),
    chainHalts: openChainHalts(database),
    chains,
    chatStreams: openChatStreams(database),
    clock: systemClock,
    executions: openExecutions(database),
    captcha: null,
    faucetClaims: openFaucetClaims(database),
    faucetSettings: {
      amount: 10n ** 19n,
      cooldownMs: 86_400_000,
      tiers: {},
      perCaller: null,
      dailyCap: 10n ** 23n,
      waitMs: 20_000,
    },
    grants: {
      chainId,
      forAccount: (to: Hex) => ({ to: funder.address, ...funder.encode(to) }),
      amounts: funder.grants.map(({ address, amount }) => ({ token: address ?? ('native' as const), amount })),
    },
    finalBlocks: openFinalBlocks(database),
    halts: openHalts(database),
    hashing: nodeHashing,
    ids: randomIds,
    knownAddresses: openKnownAddresses(database, (failure) => failures.push(failure)),
    ledger: openLedger(database, postBooking),
    messages: openMessages(database),
    outbox: openOutbox(database),
    quotes: openQuotes(database),
    sessions: openSessions(database),
    signer: createSigner({ masterKey, treasuryKey, sealedKey: wallets.sealedKey }),
    tradingSettings: settings,
    walletPolicies: openWalletPolicies(database),
    wallets,
    workers: openWorkers(database),
  }
  const sender: RunningSender = openSender(parts, (failure) => failures.push(failure))
  return { sender, ports: { ...parts, sender } as unknown as Ports }
}

/** The session in which an account of the world calls. */
const sessionOf = (userId: number) => `00000000-0000-4000-8000-${String(userId).padStart(12, '0')}`

const handlers: ReadonlyMap<string, AnyHandler> = handlersById()

/** Validates the input and the output by the contract, as the gateway does. */
async function callHandler<Answer>(ports: Ports, id: string, userId: number, input: Record<string, unknown>) {
  const [group = '', name = ''] = id.split('.')
  const operation = (contract as unknown as Record<string, Record<string, Operation>>)[group]![name]!
  let replayed = false
  const call = callOf<Operation>({
    principal: { userId, sessionId: sessionOf(userId), grant: null } as never,
    holder: null,
    requestId: 'request',
    clientAddress: '127.0.0.1',
    ownAddress: '127.0.0.1',
    keyOrAddress: 'address:127.0.0.1',
    tier: 'free',
    signal: new AbortController().signal,
    disconnected: new AbortController().signal,
    nameStream: () => undefined,
    reportFailure: () => undefined,
    spent: () => undefined,
    markReplayed: () => {
      replayed = true
    },
  })
  const answer = await handlers.get(id)!(ports, operation.input.parse(input), call)
  const output = operation.kind === 'stream' ? answer : operation.output.parse(answer)
  return { output: output as Answer, replayed }
}

const erc20 = parseAbi(['function balanceOf(address) view returns (uint256)'])

/** The account's balances by the chain itself. */
export async function holding(world: TradingWorld, token: Hex, owner: Hex): Promise<bigint> {
  const client = createPublicClient({ transport: custom(world) })
  return await client.readContract({ address: token as ViemHex, abi: erc20, functionName: 'balanceOf', args: [owner] })
}

/** The remaining allowance of an approval's spender. */
export async function allowanceOf(world: TradingWorld, { from, call }: Outgoing): Promise<bigint> {
  const client = createPublicClient({ transport: custom(world) })
  const { args } = decodeFunctionData({ abi: erc20Abi, data: call.data })
  const spender = args?.[0] as Hex
  return await client.readContract({
    address: call.to,
    abi: erc20Abi,
    functionName: 'allowance',
    args: [from, spender],
  })
}
