import { appendFile, writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { temporaryDir } from '../fixtures/testing.ts'
import type { ChainEvent } from '../kit/events.ts'
import { logFile } from '../kit/files.ts'
import { readLiveLog, readLog } from './read-log.ts'
import type { LogRecord } from './records.ts'

const block = (number: number): string =>
  `${JSON.stringify({ type: 'block', number, hash: '0xaa', transactions: Array(500).fill(`0x${'bb'.repeat(32)}`) })}\n`

const numbers = async (records: AsyncIterable<LogRecord>) => {
  const read: number[] = []
  for await (const record of records) if (record.type === 'block') read.push(record.number)
  return read
}

const upTo = (last: number, first = 1) => Array.from({ length: last - first + 1 }, (_, index) => first + index)

test('the event loop gets turns while a long log is read', async () => {
  await using dir = await temporaryDir()
  const blocks = upTo(400)
  await writeFile(logFile(dir.path, 0), blocks.map(block).join(''))
  let turns = 0
  let reading = true
  const count = () => {
    turns += 1
    if (reading) setImmediate(count)
  }
  setImmediate(count)
  expect(await numbers(readLog(dir.path, { segment: 0, bytes: 0 }, () => {}))).toEqual(blocks)
  reading = false
  expect(turns).toBeGreaterThan(50)
})

test('reading continues at its position, over segments, and never beyond the given end', async () => {
  await using dir = await temporaryDir()
  const first = logFile(dir.path, 0)
  await writeFile(first, block(1) + block(2))
  const place = { segment: 0, bytes: 0 }
  const read = (segment: number, bytes: number) => numbers(readLiveLog(dir.path, place, { segment, bytes }))
  expect(await read(0, block(1).length)).toEqual([1])
  expect(await read(0, block(1).length)).toEqual([])
  await appendFile(first, block(3))
  await writeFile(logFile(dir.path, 3), block(4) + block(5))
  expect(await read(3, block(4).length)).toEqual([2, 3, 4])
  expect(place).toEqual({ segment: 3, bytes: block(4).length })
})

test('an incomplete line is cut off the last segment only', async () => {
  await using dir = await temporaryDir()
  const events: ChainEvent[] = []
  const read = () => numbers(readLog(dir.path, { segment: 0, bytes: 0 }, (event) => events.push(event)))
  await writeFile(logFile(dir.path, 0), block(1) + block(2).slice(0, -9))
  expect(await read()).toEqual([1])
  expect(events).toEqual([{ type: 'log-torn-line-dropped', file: logFile(dir.path, 0), bytes: block(2).length - 9 }])
  await appendFile(logFile(dir.path, 0), block(2))
  expect(await read()).toEqual([1, 2])
  await appendFile(logFile(dir.path, 0), 'x')
  await writeFile(logFile(dir.path, 2), block(3))
  await expect(read()).rejects.toThrow(`is damaged at byte ${block(1).length + block(2).length}`)
})
