import type { contract } from '../../contract/index.ts'
import { version } from '../../contract/shared/version.ts'
import type { Handler } from '../core/handler.ts'

/** What the gateway is. Anyone may read it, so it names no host, no address and no setting. */
export const info: Handler<typeof contract.system.info, 'chains'> = async ({ chains }) => ({
  version,
  sandbox: chains.default.info.sandbox,
  block_seconds: chains.default.info.blockTimeSeconds,
  chains: chains.all.map(({ info: { id, name } }) => ({ chain_id: id, name })),
  protocols: ['rest', 'trpc', 'grpc', 'jsonrpc', 'mcp'],
})
