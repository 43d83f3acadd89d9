import type { Protocol } from '../gateway/request.ts'

export const restProtocol: Protocol = { name: 'rest', checksOutput: true, limitsStreams: true }

export const trpcProtocol: Protocol = { name: 'trpc', checksOutput: true, limitsStreams: true }

export const mcpProtocol: Protocol = { name: 'mcp', checksOutput: true, limitsStreams: true }

export const grpcProtocol: Protocol = { name: 'grpc', checksOutput: true, limitsStreams: true }

/** Outputs are not checked: a node may return fields that the contract does not declare. A WebSocket counts its own subscriptions. */
export const jsonrpcProtocol: Protocol = { name: 'jsonrpc', checksOutput: false, limitsStreams: false }
