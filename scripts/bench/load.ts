import { type Connection, openConnection, type Target } from './connections.ts'
import { numbering, type Sent } from './requests.ts'

/** So many connections ask one after another for a while. */
export type Slot = { target: Target; request: Sent; connections: number; milliseconds: number }

/** What came of a slot: how many answers a second, and how long each took, in milliseconds. */
export type Load = { perSecond: number; latencies: number[] }

const distinct = numbering()

async function run({ target, request, connections, milliseconds }: Slot): Promise<Load> {
  const open = await Promise.all(Array.from({ length: connections }, () => openConnection(target)))
  const latencies: number[] = []
  const started = performance.now()
  const keepAsking = async (connection: Connection) => {
    for (let now = performance.now(); now - started < milliseconds; ) {
      await connection.ask(distinct(request))
      const after = performance.now()
      latencies.push(after - now)
      now = after
    }
  }
  await Promise.all(open.map(keepAsking))
  const seconds = (performance.now() - started) / 1_000
  for (const connection of open) connection.close()
  return { perSecond: latencies.length / seconds, latencies }
}

/** Runs as a process of its own: slots come by message, loads or the words of a failure go back. */
process.on('message', (slot: Slot) => {
  run(slot).then(
    (load) => process.send?.(load),
    (error: unknown) => process.send?.({ failed: String(error) }),
  )
})
