/** Hosts chat in a process of its own that can be killed, and prints where it listens and tokens of new sessions. */
import { openChatStreams } from '../../src/adapters/storage/chat-streams.ts'
import { openDatabase } from '../../src/adapters/storage/database.ts'
import { slowly } from './slow-script.ts'
import { openChatWorld } from './world.ts'

const [, , dataDir = '', sessions = '0'] = process.argv
const database = await openDatabase({ url: null, dataDir })
await openChatStreams(database).failAbandoned(new Date())
const world = await openChatWorld(database, slowly, { path: dataDir, [Symbol.dispose]: () => undefined })
const tokens: string[] = []
for (let count = 0; count < Number(sessions); count += 1) tokens.push((await world.session()).token)
process.stdout.write(`${JSON.stringify({ urls: world.urls, tokens })}\n`)
