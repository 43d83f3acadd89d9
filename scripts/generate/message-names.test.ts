import { expect, test } from 'vitest'
import { contract } from '../../src/contract/index.ts'
import { growNames } from './message-names.ts'
import { buildModel } from './model.ts'

test('an operation added before one of its name leaves the published name alone', () => {
  const published = growNames({}, contract)
  const { quote } = contract.trading
  const grown = { ...contract, auth: { ...contract.auth, quote } }
  const names = growNames(published, grown)
  expect(names).toEqual({ ...published, 'auth.quote': 'AuthServiceQuote' })
  const requests = new Map(
    buildModel(grown, names).services.flatMap(({ methods }) => methods.map(({ id, request }) => [id, request.name])),
  )
  expect(requests.get('trading.quote')).toBe('QuoteRequest')
  expect(requests.get('auth.quote')).toBe('AuthServiceQuoteRequest')
})

test('an operation that is gone keeps its name, and has it again when it returns', () => {
  const published = growNames({}, { shop: { buy: {} } })
  const without = growNames(published, { news: { buy: {} } })
  expect(without).toEqual({ 'shop.buy': 'Buy', 'news.buy': 'NewsServiceBuy' })
  expect(growNames(without, { news: { buy: {} }, shop: { buy: {} } })).toEqual(without)
})

test('the order of groups moves no name that was given', () => {
  const published = growNames({}, { shop: { buy: {} }, news: { buy: {} } })
  expect(growNames(published, { news: { buy: {} }, shop: { buy: {} } })).toEqual(published)
})

test('two operations that would share a name are refused', () => {
  expect(() => growNames({ 'shop.buy': 'Buy', 'news.buy': 'Buy' }, {})).toThrow('shop.buy and news.buy')
  expect(() => growNames({}, { shop: { buy: {} }, news: { newsServiceBuy: {}, buy: {} } })).toThrow('NewsServiceBuy')
})
