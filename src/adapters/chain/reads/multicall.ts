import type { Hex } from 'viem'
import type { Head } from '../../../domain/ports/chains.ts'
import type { BlockView } from './block-view.ts'
import { callAll } from './call-all.ts'
import type { Connection } from './connection.ts'
import type { Answers, Called } from './joint-reads.ts'
import type { Reading } from './views.ts'

type Values<Readings extends readonly Reading<unknown>[]> = {
  -readonly [Key in keyof Readings]: Readings[Key] extends Reading<infer T> ? T | null : never
}

/**
 * Makes all reads in one `eth_call` at one block; those of the newest block that were made already are not made
 * again. A read that reverts, or whose result cannot be decoded, is null. A node that fails rejects, so that a failure is
 * never mistaken for an empty result.
 */
export async function readAll<const Readings extends readonly Reading<unknown>[]>(
  connection: Connection,
  readings: Readings,
  block?: Head,
): Promise<Values<Readings>> {
  if (readings.length === 0) return [] as unknown as Values<Readings>
  const view = await connection.view()
  const isNewest = block === undefined || block.hash === view.block.hash
  const answers = isNewest ? await shared(connection, view, readings) : await ask(connection, readings, block)
  const values = readings.map((read, index) => {
    const answer = answers[index] ?? null
    return answer === null ? null : decoded(read, answer)
  })
  return values as Values<Readings>
}

/**
 * The answers at the newest block. Only answers are shared: a contract that burns the gas of the call that it is in, or
 * makes it fail, must not spoil the reads of others in it, which then read for themselves.
 */
async function shared(connection: Connection, view: BlockView, readings: readonly Reading<unknown>[]) {
  const { answers, block } = view
  const asked = readings.map(({ target, callData }) => ({ target, callData, key: `${target} ${callData}` }))
  const others = new Map(asked.map((read) => [read.key, answers.get(read.key)]))
  const missing = asked.filter(({ key }) => others.get(key) === undefined)
  // That a sound contract gives no answer is true for everybody.
  const isSound = (key: string) => connection.joint?.isSound(key.slice(0, addressLength) as Hex) === true
  const own = ask(connection, missing, block)
  for (const [index, { key }] of missing.entries()) {
    const answer = own.then((all) => all[index] ?? null)
    answers.set(key, answer)
    const forget = () => answers.delete(key)
    answer.then((found) => found === null && !isSound(key) && forget(), forget)
  }
  const found = new Map((await own).map((answer, index) => [missing[index]?.key, answer]))
  for (const [key, answer] of others) {
    const given = await answer?.catch(() => null)
    if (given !== undefined && (given !== null || isSound(key))) found.set(key, given)
  }
  const again = asked.filter(({ key }) => !found.has(key))
  for (const [index, answer] of (await ask(connection, again, block)).entries()) found.set(again[index]?.key, answer)
  return asked.map(({ key }) => found.get(key) ?? null)
}

const addressLength = 42

/** The answers of the contracts: of sound ones together with what others ask of such, of the others by themselves. */
async function ask(connection: Connection, calls: readonly Called[], block: Head): Promise<Answers> {
  const { joint } = connection
  if (joint === undefined) return await callAll(connection, calls, block)
  const isSound = calls.map(({ target }) => joint.isSound(target))
  const of = (kind: boolean) => calls.filter((_, index) => isSound[index] === kind)
  const [sound, others] = await Promise.all([joint.ask(of(true), block), callAll(connection, of(false), block)])
  const next = { true: sound.values(), false: others.values() }
  return isSound.map((kind) => next[`${kind}`].next().value ?? null)
}

function decoded<T>(read: Reading<T>, data: Hex): T | null {
  try {
    return read.decode(data)
  } catch {
    return null // no contract there, or a different one
  }
}
