/**
 * Hosts chat in a separate process that can be killed. It prints its addresses and the tokens of new sessions, each of
 * a different account.
 */
import { openChatStreams } from '../../src/adapters/storage/chat/chat-streams.ts'
import { openDatabase } from '../../src/adapters/storage/connection/database.ts'
import { slowly } from './slow-script.ts'
import { openChatWorld } from './world.ts'

const [, , dataDir = '', sessions = '0'] = process.argv
const database = await openDatabase({ url: null, dataDir })
await openChatStreams(database).failAbandoned(new Date())
const keys = { path: dataDir, [Symbol.dispose]: () => undefined }
const world = await openChatWorld(database, slowly, keys, { heartbeatMs: 15_000, slowReaderMs: 30_000 })
const tokens: string[] = []
for (let account = 1; account <= Number(sessions); account += 1) tokens.push((await world.session(account)).token)
process.stdout.write(`${JSON.stringify({ urls: world.urls, tokens })}\n`)
