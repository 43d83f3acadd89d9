/** Bytes that one stream may have written and its reader has not read yet; a longer message is written alone. */
const mostBytes = 16_384

/** Bounds the bytes of messages that a reader has not read yet: grpc-js itself would buffer 16 messages of any size. */
type BoundedWrites = {
  /** Writes a message. Returns a promise that settles once there is room for another, or null where there is room now. */
  write(bytes: Buffer): Promise<void> | null
  /** Settles once the reader has read all of them. */
  drained(): Promise<void>
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
      // Half of the bytes stay buffered, so that the reader need not wait while the next message is produced.
      return waiting < mostBytes ? null : below(mostBytes / 2)
    },
    drained: () => below(0),
  }
}
