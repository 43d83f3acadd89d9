import { type Connection, numbering, openConnection, type Sent, type Target } from './connections.ts'

/** The load of one slot: how many connections send requests one after another, and for how long. */
export type Slot = { target: Target; request: Sent; connections: number; milliseconds: number }

/**
 * The result of a slot: its responses, how many per second, and the part of the time that the load generator was busy.
 */
export type Load = { answers: number; perSecond: number; busy: number }

const distinct = numbering()

async function run({ target, request, connections, milliseconds }: Slot): Promise<Load> {
  const open = await Promise.all(Array.from({ length: connections }, () => openConnection(target)))
  let answers = 0
  const idle = performance.eventLoopUtilization()
  const started = performance.now()
  const keepAsking = async (connection: Connection) => {
    while (performance.now() - started < milliseconds) {
      await connection.ask(distinct(request))
      answers += 1
    }
  }
  await Promise.all(open.map(keepAsking))
  const seconds = (performance.now() - started) / 1_000
  const busy = performance.eventLoopUtilization(idle).utilization
  for (const connection of open) connection.close()
  return { answers, perSecond: answers / seconds, busy }
}

/**
 * Runs as a separate process: it receives slots as messages, sends results or the message of a failure back, and ends
 * with its parent.
 */
process.once('disconnect', () => process.exit())
process.on('message', (slot: Slot) => {
  run(slot).then(
    (load) => process.send?.(load),
    (error: unknown) => process.send?.({ failed: String(error) }),
  )
})
