import { asError, type Emit } from '../kit/events.ts'
import { RpcError } from '../kit/rpc-error.ts'

/** The disk did not take what was to be written. The chain stays as it was, and the same may go well later. */
export class DiskError extends RpcError {
  override name = 'DiskError'

  constructor(cause: unknown) {
    super(-32002, 'the chain cannot be written to its disk, so it takes no transactions: make room and try again', {
      retryable: true,
    })
    this.cause = asError(cause)
  }
}

/** What SQLite says when the disk fails it: an error of reading or writing, no room, no right to write. */
const databaseFailures = [8, 10, 13]

/** Did the disk fail, and nothing else. */
export function isDiskFailure(error: unknown): boolean {
  if (error instanceof DiskError) return true
  const { code, errcode } = error as { code?: unknown; errcode?: unknown }
  // The low byte is the kind of the failure.
  return code === 'ERR_SQLITE_ERROR' && databaseFailures.includes(Number(errcode) & 0xff)
}

/** Tells of a disk that fails once, and once when it is well again. */
export function watchDisk(emit: Emit): { failed: (error: unknown) => void; well: () => void } {
  let failing = false
  return {
    failed: (error) => {
      if (!failing) emit({ type: 'disk-failed', error: asError(error) })
      failing = true
    },
    well: () => {
      if (failing) emit({ type: 'disk-recovered' })
      failing = false
    },
  }
}
