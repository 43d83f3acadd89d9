import { serialize } from 'node:v8'
import { initTRPC } from '@trpc/server'
import { z } from 'zod'
import { asError } from '../kit/events.ts'
import { RpcError } from '../kit/rpc-error.ts'
import { marketPace } from '../market/clock.ts'
import { assets } from '../market/path.ts'
import type { Sandbox } from '../world.ts'
import type { Treasury } from './treasury.ts'

/** An error of a chain as it travels: tRPC's own errors have no place for the code and data of JSON-RPC. */
export type Answer = { result?: unknown; error?: { code: number; message: string; data?: unknown } | undefined }

const request = z.object({
  chain: z.enum(['rollup', 'parent']),
  method: z.string().max(100),
  params: z.unknown(),
  lane: z.enum(['own', 'public']).optional(),
  caller: z.string().max(500).optional(),
})
const hash = z.templateLiteral(['0x', z.string().regex(/^[0-9a-f]{64}$/i)])
const bytes = z.templateLiteral(['0x', z.string().regex(/^[0-9a-f]{1,8192}$/i)])

/** What a gateway gets of a sandbox that is a process of its own. */
export function sandboxRouter(sandbox: Sandbox, treasury: Treasury) {
  const { procedure, router } = initTRPC.create()
  return router({
    facts: procedure.query(() => factsOf(sandbox, treasury)),
    request: procedure.input(request).mutation(async ({ input, signal }) => {
      let spent = 0
      const { chain, caller, lane, method, params } = input
      const answer = await answered(
        (chain === 'rollup' ? sandbox : sandbox.parent).request({
          method,
          params,
          ...(lane === undefined ? {} : { lane }),
          ...(caller === undefined ? {} : { caller: { name: caller, spent: (gas) => (spent += gas) } }),
          ...(signal === undefined ? {} : { signal }),
        }),
      )
      return { ...answer, spent }
    }),
    syncStatus: procedure.query(() => answered(sandbox.rollup.syncStatus())),
    rollupConfig: procedure.query(() => answered(sandbox.rollup.config())),
    outputAt: procedure
      .input(z.string().regex(/^\d{1,15}$/))
      .query(({ input }) => answered(sandbox.rollup.outputAt(BigInt(input)))),
    // Amounts and times of a transfer have no form in JSON.
    bridgeFacts: procedure
      .input(hash)
      .query(({ input }) => answered(sandbox.bridge.facts(input).then((facts) => serialize(facts).toString('base64')))),
    sequence: procedure.input(z.enum(['start', 'stop'])).mutation(({ input }) => {
      sandbox.sequencer[input]()
      return sandbox.sequencer.running()
    }),
    setPrice: procedure
      .input(z.object({ asset: z.enum(assets), usd: z.number() }))
      .mutation(({ input }) => sandbox.market.setPrice(input.asset, input.usd)),
    setRunning: procedure
      .input(marketPace.partial())
      .mutation(({ input: { mode, speed } }) =>
        sandbox.market.setRunning({ ...(mode && { mode }), ...(speed && { speed }) }),
      ),
    sign: procedure.input(bytes).mutation(({ input }) => answered(treasury.sign(input))),
    events: procedure.subscription(({ signal }) => eventsOf(sandbox, signal ?? AbortSignal.abort())),
  })
}

export type SandboxRouter = ReturnType<typeof sandboxRouter>

/** What never changes while the sandbox runs. */
async function factsOf({ deployment, parent, rollup }: Sandbox, { address: treasury }: Treasury) {
  const { genesis } = await rollup.config()
  return {
    deployment,
    treasury,
    genesis: JSON.stringify(genesis),
    parent: { chainId: parent.chainId, addresses: parent.addresses },
  }
}

async function answered(work: Promise<unknown>): Promise<Answer> {
  try {
    return { result: await work }
  } catch (thrown) {
    if (!(thrown instanceof RpcError)) throw asError(thrown)
    const { code, message, data } = thrown
    return { error: { code, message, data } }
  }
}

type Block = Parameters<Parameters<Sandbox['onBlock']>[0]>[0]

/** The newest block of a chain or a transaction that the rollup has accepted, with the heads of that moment. */
export type SandboxEventSent = { heads: Record<'latest' | 'safe' | 'finalized', ReturnType<typeof sentBlock>> } & (
  | { type: 'heads' }
  | { type: 'block'; chain: 'rollup' | 'parent'; block: ReturnType<typeof sentBlock> }
  | { type: 'pending'; hash: `0x${string}` }
)

/** Every event from now on, after one with the heads as they are. */
async function* eventsOf(sandbox: Sandbox, signal: AbortSignal): AsyncGenerator<SandboxEventSent, void, undefined> {
  const waiting: SandboxEventSent[] = []
  let wake = () => {}
  const headsNow = () => {
    const { latest, safe, finalized } = sandbox.heads()
    return { latest: sentBlock(latest), safe: sentBlock(safe), finalized: sentBlock(finalized) }
  }
  const note = (event: SandboxEventSent) => {
    waiting.push(event)
    wake()
  }
  const noteBlock = (chain: 'rollup' | 'parent') => (block: Block) =>
    note({ type: 'block', chain, block: sentBlock(block), heads: headsNow() })
  note({ type: 'heads', heads: headsNow() })
  const stops = [
    sandbox.onBlock(noteBlock('rollup')),
    sandbox.parent.onBlock(noteBlock('parent')),
    sandbox.onPending((hash) => note({ type: 'pending', hash, heads: headsNow() })),
  ]
  const end = () => wake()
  signal.addEventListener('abort', end)
  try {
    while (!signal.aborted) {
      const next = waiting.shift()
      if (next !== undefined) yield next
      else await new Promise<void>((resolve) => (wake = resolve))
    }
  } finally {
    signal.removeEventListener('abort', end)
    for (const stop of stops) stop()
  }
}

function sentBlock({ number, hash, timestamp }: Block) {
  return { number: String(number), hash, timestamp: String(timestamp) }
}
