import type { Protocol } from '../../gateway/request.ts'

export const trpcProtocol: Protocol = { name: 'trpc', checksOutput: true, limitsStreams: true }
