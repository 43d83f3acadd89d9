import { expect, test } from 'vitest'
import { DomainError } from '../domain/core/errors.ts'
import type { Assistant, AssistantRequest } from '../domain/ports/assistant.ts'
import { createLog } from './log.ts'
import { createMetrics } from './metrics.ts'
import { createObserver } from './observer.ts'
import { noTracing } from './tracing.ts'
import { timed, watchAssistant } from './watch-ports.ts'

function observed() {
  const log = createLog({ level: 'silent', secrets: [] })
  return createObserver({ log, metrics: createMetrics(), tracing: noTracing })
}

const request: AssistantRequest = {
  history: [],
  text: 'hello',
  tools: new Map(),
  report: () => undefined,
  record: () => undefined,
  signal: new AbortController().signal,
}

function assistantThat(ends: () => void): Assistant {
  return {
    model: 'm',
    async *reply({ report }) {
      try {
        yield 'one '
        yield 'two'
        ends()
      } finally {
        report({ inputTokens: 100, outputTokens: 7 })
      }
    },
    async summarize(_findings, { report }) {
      report({ inputTokens: 20, outputTokens: 3 })
      return ''
    },
  }
}

test('tokens of replies and summaries are counted, also of a reply that fails or is abandoned', async () => {
  const observer = observed()
  const reported: number[] = []
  const report: AssistantRequest['report'] = ({ outputTokens }) => void reported.push(outputTokens)
  const whole = watchAssistant(
    assistantThat(() => undefined),
    observer,
  )
  expect(await Array.fromAsync(whole.reply({ ...request, report }))).toEqual(['one ', 'two'])
  const failing = watchAssistant(
    assistantThat(() => {
      throw new DomainError('UNAVAILABLE', 'The model does not answer.')
    }),
    observer,
  )
  await expect(Array.fromAsync(failing.reply(request))).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  for await (const _ of whole.reply(request)) break
  await whole.summarize({ parts: [] }, { ...request, report })
  expect(reported).toEqual([7, 3])
  const metrics = await observer.metrics()
  expect(metrics).toContain('trident_assistant_replies_total{model="m",code="OK"} 2')
  expect(metrics).toContain('trident_assistant_replies_total{model="m",code="UNAVAILABLE"} 1')
  expect(metrics).toContain('trident_assistant_tokens_total{model="m",direction="input"} 320')
  expect(metrics).toContain('trident_assistant_tokens_total{model="m",direction="output"} 24')
})

test('timed work returns and throws as without timing', async () => {
  const ends: string[] = []
  const ended = ({ code }: { code: string }) => void ends.push(code)
  expect(await timed(async () => 7, ended)).toBe(7)
  const failure = new Error('broken')
  await expect(timed(async () => Promise.reject(failure), ended)).rejects.toBe(failure)
  expect(ends).toEqual(['OK', 'INTERNAL'])
})
