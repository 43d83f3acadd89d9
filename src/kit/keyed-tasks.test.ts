import { expect, test } from 'vitest'
import { createKeyedTasks } from './keyed-tasks.ts'

const fail = (failure: unknown) => {
  throw failure
}

test('A slow key delays only itself, and runs its newest task once afterwards', async () => {
  const tasks = createKeyedTasks(2, fail)
  const gate = Promise.withResolvers<void>()
  const done: string[] = []
  const say = (word: string) => async () => void done.push(word)
  tasks.schedule('slow', async () => {
    await gate.promise
    done.push('slow')
  })
  tasks.schedule('slow', say('again'))
  tasks.schedule('slow', say('newest'))
  for (const key of ['a', 'b', 'c']) tasks.schedule(key, say(key))
  await expect.poll(() => done).toEqual(['a', 'b', 'c'])
  gate.resolve()
  await expect.poll(() => done).toEqual(['a', 'b', 'c', 'slow', 'newest'])
})

test('At most the limit of keys run at once, and none is skipped', async () => {
  const tasks = createKeyedTasks(3, fail)
  let [running, most] = [0, 0]
  const done = new Set<number>()
  for (let key = 0; key < 50; key += 1) {
    tasks.schedule(`${key}`, async () => {
      most = Math.max(most, ++running)
      await new Promise((resolve) => setImmediate(resolve))
      running -= 1
      done.add(key)
    })
  }
  await expect.poll(() => done.size).toBe(50)
  expect(most).toBe(3)
})

test('Failures are reported, and closing waits for running tasks and starts no others', async () => {
  const failures: unknown[] = []
  const tasks = createKeyedTasks(1, (failure) => failures.push(failure))
  const gate = Promise.withResolvers<void>()
  const done: string[] = []
  tasks.schedule('bad', async () => {
    throw new Error('why')
  })
  tasks.schedule('slow', async () => {
    await gate.promise
    done.push('slow')
  })
  tasks.schedule('never', async () => void done.push('never'))
  await expect.poll(() => failures).toEqual([new Error('why')])
  const closed = tasks.close()
  tasks.schedule('late', async () => void done.push('late'))
  gate.resolve()
  await closed
  expect(done).toEqual(['slow'])
})
