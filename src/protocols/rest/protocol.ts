import type { Protocol } from '../../gateway/request.ts'

export const restProtocol: Protocol = { name: 'rest', checksOutput: true, limitsStreams: true }
