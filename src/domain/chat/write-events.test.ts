import { expect, test } from 'vitest'
import type { AssistantTool } from '../ports/assistant.ts'
import type { StreamFacts } from '../ports/conversations.ts'
import { reportingTools } from './write-events.ts'

/** The facts of the event that reports this result of a tool. */
async function reported(result: Record<string, unknown>): Promise<StreamFacts | null | undefined> {
  const tool: AssistantTool = {
    name: 'research_preview',
    operation: 'research.preview',
    description: '',
    inputSchema: {},
    run: async () => result,
  }
  const stored: (StreamFacts | null)[] = []
  const tools = reportingTools(
    new Map([[tool.name, tool]]),
    async ({ facts }) => stored.push(facts) > 0,
    async () => null,
  )
  await tools.get(tool.name)?.run({})
  return stored.find((facts) => facts?.event === 'tool_result')
}

const event = { event: 'tool_result', call_id: 'call_1', tool: 'research_preview', ok: true }

test('the event of a result names its source, and of a research each source once', async () => {
  expect(await reported({ source: 'tvlfeed' })).toEqual({ ...event, source: 'tvlfeed' })
  const parts = [{ source: 'subgraph' }, { source: 'tvlfeed' }, { source: 'tvlfeed' }, { state: 'failed' }]
  expect(await reported({ parts })).toEqual({ ...event, source: 'subgraph, tvlfeed' })
})

test('the event of a result without a source has none', async () => {
  for (const result of [{}, { source: '' }, { source: 7 }, { parts: [{ state: 'failed' }] }])
    expect(await reported(result)).toEqual(event)
})
