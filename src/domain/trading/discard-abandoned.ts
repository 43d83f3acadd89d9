import { inPages } from '../core/in-pages.ts'
import type { Ports } from '../ports/index.ts'
import { confirmMs, notConfirmed } from './awaited.ts'

/**
 * Discards executions that have no nonce and did not move for `idleMs` milliseconds, that a dead process left, or that the
 * account did not confirm in time. Their idempotency keys are free again.
 */
export async function discardAbandoned(
  ports: Pick<Ports, 'clock' | 'executions'>,
  idleMs: number,
  failed: (failure: unknown) => void,
): Promise<void> {
  const before = new Date(ports.clock.now().getTime() - idleMs)
  const ids = inPages<string>((last, limit) => ports.executions.abandoned(before, last ?? '', limit))
  for await (const id of ids) await ports.executions.discard(id).catch(failed)
  const late = new Date(ports.clock.now().getTime() - confirmMs)
  const unconfirmed = inPages<string>((last, limit) => ports.executions.unconfirmed(late, last ?? '', limit))
  for await (const id of unconfirmed) await ports.executions.discard(id, notConfirmed).catch(failed)
}
