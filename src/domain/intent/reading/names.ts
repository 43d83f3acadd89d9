import { usualTokenNames } from '../../values/token-names.ts'

/** Tickers of widely traded tokens; they are tokens even where they are not traded here. */
export const commonTokens = new Set(
  (
    'eth weth steth wsteth reth cbeth btc wbtc cbbtc tbtc usdc usdt dai usde usds frax lusd gho pyusd eurc busd tusd ' +
    'link uni aave comp mkr crv ldo snx arb op matic pol sol avax bnb doge shib pepe floki bonk wif ada dot xrp ltc ' +
    'atom trx ton sui apt inj fet rndr grt ens sushi cake bal yfi pendle eigen ena gmx dydx imx ftm xlm bch etc fil'
  ).split(' '),
)

/** Other names of tokens, and names of their small units. They mean the first of the symbols that is traded here. */
export const tokenNames: ReadonlyMap<string, readonly string[]> = new Map([
  ...usualTokenNames,
  ['wei', ['ETH']],
  ['gwei', ['ETH']],
  ['sats', ['BTC', 'WBTC', 'CBBTC']],
])

/** Names of two words, by the word after `wrapped`. */
export const wrappedNames = new Map<string, readonly string[]>([
  ...['ether', 'eth', 'ethereum'].map((name) => [name, ['WETH']] as const),
  ...['bitcoin', 'bitcoins', 'btc'].map((name) => [name, ['WBTC', 'CBBTC']] as const),
])

/** Symbols that are also everyday words: they name a token only in capitals or after a number. */
export const everydayWords = new Set(
  (
    'rug safe one near sand mask flow front core just ape dog cat time magic prime super spell win fun high move trump ' +
    'gas mana comp all for the to in is it or me you we my go sun apt inj ton dot op fil ens bal cake fet render'
  ).split(' '),
)

/** Words for money; they mean the first dollar token that is traded here. */
export const dollarNames = new Set(
  'dollar dollars dólar dólares dolares dollari dollaro usd buck bucks stable stables stablecoin stablecoins $'.split(
    ' ',
  ),
)
export const dollarTokens: readonly string[] = ['USDC', 'USDT', 'DAI']

/** Names of chains in addition to the connected ones. Ethereum is not here, for it is also the name of a token. */
export const commonChains = new Set(
  (
    'mainnet base arbitrum optimism polygon bsc solana avalanche gnosis linea scroll zksync blast mantle fantom celo ' +
    'sepolia unichain sandbox'
  ).split(' '),
)

/** Names that are also words: in lower case they are no names after `ordinaryBehind` and before `ordinaryBefore`. */
export const ordinaryNames = new Set('base curve compound'.split(' '))
export const ordinaryBehind = new Set('the a an my your our to i it they we you will should bonding price'.split(' '))
export const ordinaryBefore = new Set(
  'my the it them this these your their our interest fee fees layer case asset currency price daily weekly'.split(' '),
)

export const protocolNames = new Set(
  (
    'uniswap sushiswap sushi pancakeswap curve balancer aave compound lido maker makerdao spark morpho yearn convex ' +
    'eigenlayer pendle gmx dydx rocketpool ethena frax aerodrome velodrome cowswap 1inch paraswap stargate hyperliquid ' +
    'jupiter raydium instadapp euler venus synthetix etherfi kyber bancor'
  ).split(' '),
)

/** Abbreviations in capitals that are not token symbols. */
export const commonCapitals = new Set(
  (
    'TVL APY APR DEX CEX PNL DCA NFT ETF CEO CTO OK ASAP DYOR API FAQ DAO AMM MEV LP USD EUR GBP ROI ATH ATL KYC AML ' +
    'FOMO FUD HODL YOLO GM GN LOL WTF OMG BTW IMO AND OR NOT THE FOR BUY SELL SWAP NOW ALL MAX MIN YES EVM RPC GAS ' +
    'OTC DEFI FYI ETA IOU PLS THX AI CPI FED US UK EU HI HEY HELP'
  ).split(' '),
)
