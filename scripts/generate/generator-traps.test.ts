import { expect, test } from 'vitest'
import { nameTraps, patternTraps } from './generator-traps.ts'

test('names that stand alone are no traps', () => {
  expect(nameTraps(['ShopBuyInput', 'ShopBuyOutput', 'NewMessage', 'Response', 'Order'], ['ShopBuy'])).toEqual([])
})

test.each([
  ['NewOrder', ['Order', 'NewOrder']],
  ['OrderResponse', ['Order', 'OrderResponse']],
  ['OrderRequest', ['OrderRequest', 'Order']],
  ['ShopBuyRequest', ['ShopBuyRequest']],
  ['ShopBuyResponse', ['ShopBuyResponse']],
  ['ApiShopBuyRequest', ['ApiShopBuyRequest']],
])('%s is the name of something that generators make', (name, schemas) => {
  expect(nameTraps(schemas, ['ShopBuy'])).toEqual([expect.stringContaining(`The schema ${name} has`)])
})

test('a pattern that ends in a slash is found at any depth', () => {
  const withPattern = (pattern: string) => ({ schemas: { Order: { properties: { url: { anyOf: [{ pattern }] } } } } })
  expect(patternTraps(withPattern('^https?:\\/\\/.'))).toEqual([])
  expect(patternTraps(withPattern('^https?:\\/\\/'))).toEqual([
    expect.stringContaining('^https?:\\/\\/ ends in a slash'),
  ])
})
