import { afterAll, beforeAll, test } from 'vitest'
import { openWorld, protocols, type World } from '../world.ts'
import { mainJob } from './main-job.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(async () => await world[Symbol.asyncDispose]())

test.concurrent.each(protocols)('the main job over %s', async (protocol) => await mainJob(world, protocol))
