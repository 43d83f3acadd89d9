import { expect, test } from 'vitest'
import { openDatabase } from '../../src/adapters/storage/connection/database.ts'
import { readThroughCuts } from './cuts.ts'
import { slowly } from './slow-script.ts'
import { keyFolder, openChatWorld } from './world.ts'

const seeds = [101, 102, 103]

test('readers that reconnect, on any protocol, receive every event once', async () => {
  const keys = keyFolder()
  await using database = await openDatabase({ url: null, dataDir: keys.path })
  await using world = await openChatWorld(database, slowly, keys)
  const tokens: string[] = []
  for (const _ of seeds) tokens.push((await world.session()).token)
  const door = async () => world.clients
  const tallies = await Promise.all(seeds.map((seed, index) => readThroughCuts(door, tokens[index]!, seed, 10)))
  for (const [index, tally] of tallies.entries())
    expect([seeds[index], tally]).toMatchObject([seeds[index], { killed: 0, lost: 0, repeated: 0, wrong: 0 }])
  expect(tallies.reduce((sum, { cuts }) => sum + cuts, 0)).toBeGreaterThanOrEqual(30)
})
