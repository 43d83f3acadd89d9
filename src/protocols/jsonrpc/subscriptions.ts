import { randomBytes } from 'node:crypto'
import { bounds } from '../../contract/shared/limits.ts'
import { DomainError } from '../../domain/core/errors.ts'
import { untilAborted } from '../../domain/core/until-aborted.ts'
import { overLimit, rpcErrorOf } from './errors.ts'
import type { RpcContext, Subscriptions } from './message.ts'

/** Receives the events of a connection's subscriptions. */
type Outlet = {
  /** `result` is JSON. */
  notify(subscription: string, result: string): void
  /** A subscription failed, which no notification can express. */
  broken(error: DomainError): void
}

/** The subscriptions of one connection. `end` closes all of them. */
export function createSubscriptions(
  { gateway, eventJson }: Pick<RpcContext, 'gateway' | 'eventJson'>,
  outlet: Outlet,
): Subscriptions & { end(): void } {
  const present = new Map<string, AbortController>()

  async function deliver(id: string, events: AsyncGenerator<unknown>, signal: AbortSignal): Promise<void> {
    try {
      for await (const event of events) {
        if (signal.aborted) break
        outlet.notify(id, eventJson(event))
      }
    } catch (thrown) {
      if (!signal.aborted) outlet.broken(thrown instanceof DomainError ? thrown : unexpected(thrown))
    } finally {
      present.delete(id)
    }
  }

  function close(id: string): boolean {
    present.get(id)?.abort()
    return present.delete(id)
  }

  return {
    async open(operation, read, caller) {
      if (present.size >= bounds.subscriptions) return { error: overLimit.subscriptions(caller.requestId), headers: {} }
      const id = `0x${randomBytes(16).toString('hex')}`
      const ending = new AbortController()
      present.set(id, ending)
      const opened = await gateway.open(operation, () => withoutFlag(read()), { ...caller, signal: ending.signal })
      const { headers } = opened
      if (!opened.ok) {
        present.delete(id)
        return { error: rpcErrorOf(opened.error, caller.requestId, headers), headers }
      }
      const events = untilAborted(opened.events, ending.signal)
      return { result: id, headers, begin: () => void deliver(id, events, ending.signal) }
    },
    close,
    end() {
      for (const id of present.keys()) close(id)
    },
  }
}

/** The JSON of an event's content: an event has a `type` and the one field of that type. */
export function eventJson(event: unknown): string {
  const fields = Object.entries(event as Record<string, unknown>)
  return JSON.stringify(fields.find(([name, value]) => name !== 'type' && value !== undefined)?.[1] ?? null)
}

/** Removes a flag of newPendingTransactions: in other nodes it requests whole transactions instead of hashes. */
function withoutFlag(input: unknown): unknown {
  const { filter, ...rest } = input as Record<string, unknown>
  if (rest.type !== 'newPendingTransactions' || typeof filter !== 'boolean') return input
  if (!filter) return rest
  const message = 'whole transactions are not supported; leave the flag out to receive their hashes'
  throw new DomainError('INVALID_ARGUMENT', message, { violations: [{ path: 'filter', message, code: 'custom' }] })
}

function unexpected(thrown: unknown): DomainError {
  return new DomainError('INTERNAL', 'The subscription failed unexpectedly. Subscribe again.', {}, thrown)
}
