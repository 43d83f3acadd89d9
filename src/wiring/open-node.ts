import { type ChainNodeOptions, type NodeClient, openChainNode } from '../adapters/node/chain-node.ts'
import { embeddedRollup, embeddedUpstream } from '../adapters/node/embedded/embedded-upstream.ts'
import { findLacks, lacksSaid } from '../adapters/node/lacks.ts'
import { publicBridge, publicRollup } from '../adapters/node/public/public-bridge.ts'
import { publicUpstream } from '../adapters/node/public/public-upstream.ts'
import type { Request, Upstream } from '../adapters/node/upstream.ts'
import { DomainError } from '../domain/core/errors.ts'
import type { Bridge } from '../domain/ports/bridge.ts'
import type { Hex } from '../domain/ports/chains.ts'
import type { Ports } from '../domain/ports/index.ts'
import type { Rollup } from '../domain/ports/node.ts'
import type { Observer } from '../observe/observer.ts'
import { timed } from '../observe/watch-ports.ts'
import type { Config } from '../settings/config.ts'
import type { EmbeddedWorld } from './sandbox/open-embedded.ts'

type NodePorts = Pick<Ports, 'bridge' | 'rollup' | 'sequencing'> & { node: NodeClient }

/** The ports, and lines on what public nodes lack and do not do by now, where there is something to say. */
type OpenedNode = NodePorts & { nodeNotes(): string[] }

/** The embedded chain reports its blocks; the poll only makes up for a lost report. */
const embeddedPollMs = 5_000
const publicPollMs = 1_000

/** Opens the client of the chain's node, for callers and for trades: of the embedded chain, or of the configured nodes. */
export async function openNode(
  config: Config,
  sandbox: EmbeddedWorld | null,
  opened: AsyncDisposableStack,
  observer: Observer,
): Promise<OpenedNode> {
  const open = async (options: Omit<ChainNodeOptions, 'chainId'>, chainId = config.CHAIN_ID): Promise<NodeClient> =>
    opened.use(await openChainNode({ ...options, chainId }))
  const report = observer.nodeCalled
  const chainId = config.CHAIN_ID
  if (sandbox !== null) {
    const { rollup, bridge } = embeddedRollup(sandbox.rollup, sandbox.bridge)
    const node = await open({ upstream: embeddedUpstream(sandbox, { chainId, report }), pollMs: embeddedPollMs })
    return { node, rollup, bridge, sequencing: sandbox.sequencing, nodeNotes: () => [] }
  }
  const nodes = { rpcUrls: config.CHAIN_RPC_URL ?? [], wsUrl: config.CHAIN_WS_URL ?? null, chainId, report }
  const upstream = watchUpstream(opened.use(await publicUpstream(nodes)), observer)
  const node = await open({ upstream, pollMs: publicPollMs, lacks: await findLacks(upstream) })
  const rollup = publicRollup(config.ROLLUP_RPC_URL ?? null, { chainId, report })
  const portal = (config.L1_PORTAL_ADDRESS?.toLowerCase() ?? null) as Hex | null
  const bridge = publicBridge({ node, rollup, parentUrls: config.L1_RPC_URL ?? null, portal, report })
  const nodeNotes = () => {
    const said = lacksSaid(chainId, node.lacks)
    const isPolled = config.CHAIN_WS_URL !== undefined && !upstream.pushesHeads()
    return [...(isPolled ? [silentSocket] : []), ...(said === null ? [] : [said])]
  }
  return { node, rollup, bridge, sequencing: null, nodeNotes }
}

const silentSocket = 'CHAIN_WS_URL: no response yet; new blocks are polled until there is one. Check the URL.'

/** Wraps an upstream: the observer is notified of each call. */
function watchUpstream(upstream: Upstream, { engineAnswered }: Observer): Upstream {
  const watched =
    (request: Request): Request =>
    (method, ...call) =>
      timed(
        () => request(method, ...call),
        ({ ok, seconds }) => engineAnswered({ method, ok, seconds }),
      )
  return { ...upstream, request: watched(upstream.request), direct: watched(upstream.direct) }
}

/** Opens the client of the embedded parent chain, without the methods that only a rollup has. */
export async function openParentNode(
  sandbox: EmbeddedWorld,
  opened: AsyncDisposableStack,
  { nodeCalled: report }: Observer,
): Promise<NodePorts> {
  const { request, chainId, onBlock } = sandbox.parent
  const chain = { request, onBlock, onPending: () => () => undefined, heads: null }
  const upstream = embeddedUpstream(chain, { chainId, report })
  const node = opened.use(await openChainNode({ upstream, chainId, pollMs: embeddedPollMs }))
  return { node, rollup: noRollup, bridge: noBridge, sequencing: null }
}

async function notConnected(): Promise<never> {
  throw new DomainError('UNIMPLEMENTED', 'This chain has no rollup node. The method exists on the rollup chain only.')
}

const noRollup: Rollup = { syncStatus: notConnected, config: notConnected, outputAt: notConnected }

const noBridge: Bridge = {
  facts: notConnected,
  // biome-ignore lint/correctness/useYield: it fails before the first one
  async *ticks() {
    await notConnected()
  },
}
