import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

// Runs samples one by one. A stream ends after STREAM_SECONDS, with this process at the latest.

const streamMs = Number(process.env.STREAM_SECONDS) * 1_000
for (const file of process.argv.slice(2)) {
  console.log(`@@ ${file}`)
  const streams = /subscribe\(|for await/.test(readFileSync(file, 'utf8'))
  const run = import(file).catch((error: unknown) => console.log(`!! ${error}`))
  await (streams ? sleep(streamMs) : run)
}
process.exit()
