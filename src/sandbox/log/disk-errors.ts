import { asError, type Emit } from '../kit/events.ts'
import { RpcError } from '../kit/rpc-error.ts'

/** A write to disk failed. The chain is unchanged, and the same write may succeed later. */
export class DiskError extends RpcError {
  override name = 'DiskError'

  constructor(cause: unknown) {
    const message =
      'the chain cannot be written to its disk, so it accepts no transactions: free some space and try again'
    super(-32002, message, { retryable: true })
    this.cause = asError(cause)
  }
}

/** SQLite's result codes for a failing disk: READONLY (8), IOERR (10) and FULL (13). */
const databaseFailures = [8, 10, 13]

/** Whether an error means that the disk failed. */
export function isDiskFailure(error: unknown): boolean {
  if (error instanceof DiskError) return true
  const { code, errcode } = error as { code?: unknown; errcode?: unknown }
  // The low byte of an extended result code is the primary one.
  return code === 'ERR_SQLITE_ERROR' && databaseFailures.includes(Number(errcode) & 0xff)
}

/** Reports a failing disk once, and once when it works again. */
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
