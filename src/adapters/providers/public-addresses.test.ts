import { expect, test } from 'vitest'
import { isPublicAddress } from './hostile-url.ts'

test.each(['1.1.1.1', '93.184.216.34', '2606:4700:4700::1111'])('%s is public', (address) => {
  expect(isPublicAddress(address)).toBe(true)
})
