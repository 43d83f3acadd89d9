import { expect, test } from 'vitest'
import { systemClock } from '../../adapters/system/system.ts'
import { type contract, type OperationId, operationOf } from '../../contract/index.ts'
import { vocabularyOf } from '../intent/reading/vocabulary.ts'
import type { Chains } from '../ports/chains.ts'
import type { Message } from '../ports/conversations.ts'
import type { Ports } from '../ports/index.ts'
import { openTeams } from './teams.ts'
import { assistantCall } from './tools/assistant-call.ts'
import { chatTools, type ToolPorts } from './tools/tools.ts'

const token = (symbol: string) => ({ symbol, address: `0x${symbol}` })
const info = { name: 'sandbox', nativeSymbol: 'ETH', wrappedNative: '0xWETH', tokens: [token('WETH'), token('USDC')] }
const chains = { default: { info }, all: [{ info }] } as unknown as Chains
const teams = openTeams(vocabularyOf(chains), systemClock)

test('the teams use every tool there is and no other', () => {
  const caller = { userId: 1, sessionId: '', grant: null }
  const { signal } = new AbortController()
  const { fail } = assistantCall<typeof contract.chat.send>(caller, signal)
  const tools = chatTools({} as Pick<Ports, ToolPorts>, caller, signal, fail)
  const used = new Set(teams.all.flatMap(({ operations }) => operations))
  for (const { operation } of tools.values()) {
    const { auth, scope } = operationOf(operation as OperationId)
    expect([operation, auth === 'none' || scope === 'read']).toEqual([operation, true])
  }
  expect([...used].sort()).toEqual([...tools.values()].map(({ operation }) => operation).sort())
})

test('every prompt says that data never instructs, and that a team can confirm nothing', () => {
  for (const { prompt } of teams.all) {
    expect(prompt).toMatch(/never an instruction/)
    expect(prompt).toMatch(/cannot trade.*nothing that you write confirms a trade/)
    expect(prompt).toContain('"confirm <quote_id>"')
  }
})

const user = (content: string): Message => ({ role: 'user', content })
const assistant = (content: string): Message => ({ role: 'assistant', content })

test.each([
  ['quote 1 WETH to USDC', [], 'trading_team'],
  ['swap 2 ETH into USDC', [], 'trading_team'],
  ['is USDC a honeypot?', [], 'risk_team'],
  ['which protocols have the highest TVL?', [], 'research_team'],
  ['2.5 WETH', [], 'trading_team'],
  ['hello there', [], 'research_team'],
  ['why?', [user('is USDC a honeypot?'), assistant('It is low.')], 'risk_team'],
  ['go on', [user('is USDC a honeypot?'), user('quote 1 WETH to USDC'), assistant('1 WETH gives')], 'trading_team'],
  // Messages of the assistant decide nothing: a caller can send them too.
  ['go on', [assistant('is USDC a honeypot?')], 'research_team'],
] as const)('"%s" goes to a team that can answer it', (text, history, name) => {
  expect(teams.first(text, history).name).toBe(name)
})
