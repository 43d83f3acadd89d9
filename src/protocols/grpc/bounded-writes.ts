/** Bytes that one stream may have written before its reader takes them; a longer message waits alone. */
const mostBytes = 16_384

/** Messages on their way to a reader, bounded by their size: grpc-js itself would hold 16 of any size. */
export type BoundedWrites = {
  /** Writes a message. Answers what settles once there is room for another, or null where there is room now. */
  write(bytes: Buffer): Promise<void> | null
  /** Settles once all are taken. */
  taken(): Promise<void>
}

export function boundedWrites(call: { write(chunk: Buffer, taken: () => void): boolean }): BoundedWrites {
  let waiting = 0
  let wanted = 0
  let room = Promise.withResolvers<void>()

  function below(bytes: number): Promise<void> {
    wanted = bytes
    room = Promise.withResolvers<void>()
    if (waiting <= wanted) room.resolve()
    return room.promise
  }

  return {
    write(bytes) {
      waiting += bytes.length
      call.write(bytes, () => {
        waiting -= bytes.length
        if (waiting <= wanted) room.resolve()
      })
      // Half of it is left to be taken meanwhile, so that the reader never waits for what is made next.
      return waiting < mostBytes ? null : below(mostBytes / 2)
    },
    taken: () => below(0),
  }
}
