const ether = ['ETH', 'WETH']
const bitcoin = ['BTC', 'WBTC', 'CBBTC']

/** Usual names of tokens, in lower case, that are not their symbols here. They mean the first of the symbols that is known. */
export const usualTokenNames: ReadonlyMap<string, readonly string[]> = new Map([
  ['ether', ether],
  ['ethers', ether],
  ['ethereum', ether],
  ['bitcoin', bitcoin],
  ['bitcoins', bitcoin],
  ['btc', bitcoin],
  ['tether', ['USDT']],
  ['chainlink', ['LINK']],
])

/** The symbols that a name may mean, in capitals, the likeliest first. */
export function symbolsMeant(name: string): readonly string[] {
  return [name.toUpperCase(), ...(usualTokenNames.get(name.toLowerCase()) ?? [])]
}
