import { type Abi, concat, encodeFunctionResult, type Hex, numberToHex, parseAbi, size, toFunctionSelector } from 'viem'

/** The code of a contract that returns one value for each function, and reverts at any other call. */
export function answering(answers: Record<string, unknown>): Hex {
  const parts = Object.entries(answers).map(([signature, result]) => {
    const abi = parseAbi([signature]) as Abi
    return {
      selector: toFunctionSelector(signature),
      data: result === undefined ? ('0x' as const) : encodeFunctionResult({ abi, result }),
    }
  })
  const word = (value: number) => numberToHex(value, { size: 2 })
  const returnsAt = 5 + 11 * parts.length + 3
  let dataAt = returnsAt + 14 * parts.length
  const tests: Hex[] = []
  const returns: Hex[] = []
  for (const [index, { selector, data }] of parts.entries()) {
    tests.push('0x80', '0x63', selector, '0x1461', word(returnsAt + 14 * index), '0x57')
    returns.push('0x5b61', word(size(data)), '0x61', word(dataAt), '0x5f3961', word(size(data)), '0x5ff3')
    dataAt += size(data)
  }
  return concat(['0x5f3560e01c', ...tests, '0x5f5ffd', ...returns, ...parts.map(({ data }) => data)])
}
