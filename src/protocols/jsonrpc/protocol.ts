import type { Protocol } from '../../gateway/request.ts'

/** Outputs are not checked: a node may return fields that the contract does not declare. A WebSocket counts its own subscriptions. */
export const jsonrpcProtocol: Protocol = { name: 'jsonrpc', checksOutput: false, limitsStreams: false }
