import { DomainError } from '../../domain/core/errors.ts'

/** An EIP-1193 request function over a node. */
export type NodeRequest = (call: { method: string; params: readonly unknown[] }) => Promise<unknown>

/** Calls a node by method and parameters. A failure of the node is UNAVAILABLE, with its cause. */
export type CallNode = (method: string, ...params: unknown[]) => Promise<unknown>

export function createCallNode(request: NodeRequest): CallNode {
  return async (method, ...params) => {
    try {
      return await request({ method, params })
    } catch (cause) {
      throw new DomainError('UNAVAILABLE', 'The chain does not respond. Try again in a few seconds.', {}, cause)
    }
  }
}
