import { expect, test } from 'vitest'
import { contract } from '../../../contract/index.ts'
import { type Outcome, outcomeText } from './trade-shown.ts'

const traded = contract.trading.getExecution.example.output as NonNullable<Outcome['execution']>
const symbols = { sold: 'WETH', received: 'USDC', gas: 'ETH' }
const outcomeOf = (change: Partial<typeof traded>, replayed = false): Outcome => {
  const execution = { ...traded, ...change }
  const { status, message } = execution
  return { execution, symbols, answer: { status, message, ...(replayed ? { replayed } : {}) } }
}

test('an open trade is shown as pending, without a fill, with the next step', () => {
  const { fill: _fill, tx_hash: _hash, explorer_url: _url, ...onItsWay } = traded
  const execution = {
    ...onItsWay,
    status: 'pending',
    message: 'The transaction was sent and waits for its block.',
  } as const
  const text = outcomeText({ execution, symbols, answer: { status: 'pending', message: '' } })
  expect(text).toMatch(
    /^Status pending\. The transaction was sent and waits for its block\.\nExecution [0-9a-f-]{36}\. Next: ask for this execution in a moment\./,
  )
})

test.each([
  ['unsafe', /may still leave the chain/],
  ['safe', /it is safe, and final soon/],
  ['finalized', /it is final\./],
] as const)('a filled trade states the finality of its block: %s', (finality, words) => {
  expect(outcomeText(outcomeOf({ fill: { ...traded.fill!, finality } }))).toMatch(words)
})

test('its amounts name what they are of', () => {
  expect(outcomeText(outcomeOf({}))).toContain(
    'Filled: 0.5 WETH sold, 1246.181903 USDC received, 0.000128402 ETH paid for gas.',
  )
})

test('one that was mined without effect has failed, and nothing else is said of it', () => {
  const { fill: _fill, ...empty } = traded
  const message = 'It reverted: too little would arrive.'
  const text = outcomeText({
    execution: { ...empty, status: 'failed', message },
    answer: { status: 'failed', message },
    symbols,
  })
  expect(text).toMatch(/^Status failed\. It reverted.*\nTransaction 0x.*\nExecution .*Next: look at the transaction/)
  expect(text).not.toMatch(/Filled|Swapped/)
})

test('one that was confirmed before says so', () => {
  expect(outcomeText(outcomeOf({}, true))).toMatch(
    /^This quote was confirmed before, and is traded once\.\nStatus success/,
  )
})
