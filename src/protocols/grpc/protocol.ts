import type { Protocol } from '../../gateway/request.ts'

export const grpcProtocol: Protocol = { name: 'grpc', checksOutput: true, limitsStreams: true }
