import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type CutTally, readThroughCuts } from '../chat/cuts.ts'
import { type Host, startHost } from '../chat/host-process.ts'
import { dataFolder } from '../data-folder.ts'
import { seeded } from '../seeded.ts'
import { figures } from './figures.ts'

const seeds = [1, 2, 3, 4, 5]
const cutsEach = 100
const kills = 6

test('500 random cuts and kill -9 of the gateway: every event of every answer is received once, on three protocols', async () => {
  using folder = dataFolder()
  let host: Promise<Host> = startHost(folder.path, seeds.length)
  const { tokens } = await host
  let over = false
  const killing = (async () => {
    const random = seeded(99)
    for (let kill = 0; kill < kills && !over; kill += 1) {
      await sleep(2_000 + random() * 2_000)
      await (await host).kill()
      host = startHost(folder.path, 0)
      await host
    }
  })()
  const door = async () => (await host).clients
  const tallies = await Promise.all(
    tokens.map((token, index) => readThroughCuts(door, token, seeds[index] ?? 0, cutsEach)),
  )
  over = true
  await killing
  await (await host).kill()
  const sum = (key: keyof CutTally) => tallies.reduce((total, tally) => total + tally[key], 0)
  const names = ['answers', 'killed', 'cuts', 'lost', 'repeated', 'wrong'] as const
  figures('cut chat streams', { seeds, ...Object.fromEntries(names.map((name) => [name, sum(name)])) })
  expect({ lost: sum('lost'), repeated: sum('repeated'), wrong: sum('wrong') }).toEqual({
    lost: 0,
    repeated: 0,
    wrong: 0,
  })
  expect(sum('cuts')).toBeGreaterThanOrEqual(500)
  expect(sum('killed')).toBeGreaterThan(0)
}, 300_000)
