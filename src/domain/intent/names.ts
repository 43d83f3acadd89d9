/** Tickers of widely traded tokens, known as tokens wherever they are traded or not. */
export const commonTokens = new Set(
  (
    'eth weth steth wsteth reth cbeth btc wbtc cbbtc tbtc usdc usdt dai usde usds frax lusd gho pyusd eurc busd tusd ' +
    'link uni aave comp mkr crv ldo snx arb op matic pol sol avax bnb doge shib pepe floki bonk wif ada dot xrp ltc ' +
    'atom trx ton sui apt inj fet rndr grt ens sushi cake bal yfi pendle eigen ena gmx dydx imx ftm xlm bch etc fil'
  ).split(' '),
)

/** Words that name a token by another name than its symbol. The first symbol that is traded here is meant. */
export const tokenNames: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    ether: ['ETH', 'WETH'],
    ethers: ['ETH', 'WETH'],
    ethereum: ['ETH', 'WETH'],
    wei: ['ETH'],
    gwei: ['ETH'],
    bitcoin: ['BTC', 'WBTC', 'CBBTC'],
    bitcoins: ['BTC', 'WBTC', 'CBBTC'],
    btc: ['BTC', 'WBTC', 'CBBTC'],
    sats: ['BTC', 'WBTC', 'CBBTC'],
    tether: ['USDT'],
    chainlink: ['LINK'],
  }),
)

/** Names of two words, by the second behind `wrapped`. */
export const wrappedNames = new Map<string, readonly string[]>([
  ...['ether', 'eth', 'ethereum'].map((name) => [name, ['WETH']] as const),
  ...['bitcoin', 'bitcoins', 'btc'].map((name) => [name, ['WBTC', 'CBBTC']] as const),
])

/** Symbols that are words of everyday talk as well: they name a token in capitals or behind a number only. */
export const everydayWords = new Set(
  (
    'rug safe one near sand mask flow front core just ape dog cat time magic prime super spell win fun high move trump ' +
    'gas mana comp all for the to in is it or me you we my go sun apt inj ton dot op fil ens bal cake fet render'
  ).split(' '),
)

/** Words for money, which the first dollar token that is traded here stands for. */
export const dollarNames = new Set('dollar dollars usd buck bucks stable stables stablecoin stablecoins $'.split(' '))
export const dollarTokens: readonly string[] = ['USDC', 'USDT', 'DAI']

/** Names of chains beside those of the connected ones. Ethereum is left out, for it is the name of a token as well. */
export const commonChains = new Set(
  (
    'mainnet base arbitrum optimism polygon bsc solana avalanche gnosis linea scroll zksync blast mantle fantom celo ' +
    'sepolia unichain sandbox'
  ).split(' '),
)

/** Names that are words as well: in lower case they are none behind the first words, nor in front of the second. */
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

/** Capital letters that are no symbols of tokens. */
export const commonCapitals = new Set(
  (
    'TVL APY APR DEX CEX PNL DCA NFT ETF CEO CTO OK ASAP DYOR API FAQ DAO AMM MEV LP USD EUR GBP ROI ATH ATL KYC AML ' +
    'FOMO FUD HODL YOLO GM GN LOL WTF OMG BTW IMO AND OR NOT THE FOR BUY SELL SWAP NOW ALL MAX MIN YES EVM RPC GAS ' +
    'OTC DEFI FYI ETA IOU PLS THX AI CPI FED US UK EU HI HEY HELP'
  ).split(' '),
)
