import { type Address, encodeFunctionData, type Hex, maxUint128, maxUint256 } from 'viem'
import { positionManagerAbi, tokenAbi, v2FactoryAbi, v2PairAbi, v2RouterAbi, v3FactoryAbi, v3PoolAbi } from './abis.ts'
import { deployer } from './accounts.ts'
import { addresses, type ContractName, creationOrder, sorted, v2PairAddress, v3PoolAddress } from './addresses.ts'
import { ownArtifact, packagedCode, withArguments } from './artifacts.ts'
import { type FaultyToken, faultyTokens } from './faulty-tokens.ts'
import { deployerWraps } from './genesis.ts'
import { sqrtPriceX96 } from './integer-math.ts'
import { feedDecimals, feeds, keeperStock, type Pool, pooled, pools, rugPool, tokens } from './market.ts'

/** An address without a known key. */
const burned: Address = '0x000000000000000000000000000000000000dEaD'

/** A transaction without sender, nonce and price. */
export type Step = { to?: Address; data: Hex; value?: bigint; gas: bigint }

/** The contract creations, in the order that decides the addresses. Constructors name the owners, never the deployer. */
export function creations(treasury: Address, keeper: Address): Step[] {
  const { weth, usdc, wbtc, funder, v2Factory, v3Factory, positionManager } = addresses
  const zero: Address = '0x0000000000000000000000000000000000000000'
  const token = (name: string, symbol: string, decimals: number, forPools: bigint, forKeeper: bigint) =>
    ordinaryToken(name, symbol, decimals, [treasury, funder], [deployer.address, keeper], [forPools, forKeeper])
  const feed = ({ pair, answer, ageSeconds }: (typeof feeds)[number]) =>
    withArguments(ownArtifact('SandboxFeed').bytecode, 'address, uint8, string, int256, uint256', [
      keeper,
      feedDecimals,
      pair.replace('/', ' / '),
      answer,
      BigInt(ageSeconds),
    ])
  const code: Record<Exclude<ContractName, FaultyToken['name']>, () => Hex> = {
    weth: () => ownArtifact('WrappedEther').bytecode,
    usdc: () => token('USD Coin', 'USDC', 6, pooled(tokens.USDC), keeperStock.usdc),
    wbtc: () => token('Wrapped BTC', 'WBTC', 8, pooled(tokens.WBTC), keeperStock.wbtc),
    ethUsdFeed: () => feed(feeds[0]),
    btcUsdFeed: () => feed(feeds[1]),
    usdcUsdFeed: () => feed(feeds[2]),
    funder: () =>
      withArguments(ownArtifact('Funder').bytecode, 'address, address, address, address', [treasury, weth, usdc, wbtc]),
    v2Factory: () => withArguments(packagedCode('@uniswap/v2-core/build/UniswapV2Factory.json'), 'address', [treasury]),
    v2Router: () =>
      withArguments(packagedCode('@uniswap/v2-periphery/build/UniswapV2Router02.json'), 'address, address', [
        v2Factory,
        weth,
      ]),
    v3Factory: () => packagedCode('@uniswap/v3-core/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory.json'),
    positionManager: () =>
      withArguments(
        packagedCode(
          '@uniswap/v3-periphery/artifacts/contracts/NonfungiblePositionManager.sol/NonfungiblePositionManager.json',
        ),
        'address, address, address',
        [v3Factory, weth, zero],
      ),
    v3Quoter: () =>
      withArguments(
        packagedCode('@uniswap/v3-periphery/artifacts/contracts/lens/QuoterV2.sol/QuoterV2.json'),
        'address, address',
        [v3Factory, weth],
      ),
    v3Router: () =>
      withArguments(
        packagedCode('@uniswap/swap-router-contracts/artifacts/contracts/SwapRouter02.sol/SwapRouter02.json'),
        'address, address, address, address',
        [v2Factory, v3Factory, positionManager, weth],
      ),
    rug: () =>
      withArguments(ownArtifact('RugToken').bytecode, 'address, address, uint256, uint256', [
        treasury,
        v2PairAddress(addresses.rug, weth),
        rugPool.ownerSupply,
        rugPool.rug,
      ]),
    testUsdFeed: () => feed(feeds[3]),
    staleUsdFeed: () => feed(feeds[4]),
  }
  const faulty = new Map<ContractName, FaultyToken>(faultyTokens.map((one) => [one.name, one]))
  return creationOrder.map((name) => {
    const one = faulty.get(name)
    const data = one === undefined ? code[name as keyof typeof code]() : faultyCode(one, treasury)
    return { data, gas: creationGas(data) }
  })
}

/** The creation code of a faulty token, whose supply is minted to its pool. */
function faultyCode(token: FaultyToken, treasury: Address): Hex {
  const { name, symbol, title, pool, sellTaxBps, sellingBlocked, mintable } = token
  const pair = v2PairAddress(addresses[name], addresses.weth)
  if (mintable) return ordinaryToken(title, symbol, 18, [treasury, treasury], [pair], [pool.tokens])
  return withArguments(ownArtifact('FaultyToken').bytecode, 'string, string, address, uint256, uint256, bool', [
    title,
    symbol,
    pair,
    pool.tokens,
    BigInt(sellTaxBps),
    sellingBlocked,
  ])
}

function ordinaryToken(
  name: string,
  symbol: string,
  decimals: number,
  [owner, minter]: readonly [Address, Address],
  holders: readonly Address[],
  amounts: readonly bigint[],
): Hex {
  return withArguments(
    ownArtifact('SandboxToken').bytecode,
    'string, string, uint8, address, address, address[], uint256[]',
    [name, symbol, decimals, owner, minter, holders, amounts],
  )
}

/** The deployer's calls that provide liquidity. Positions and pool shares go to the treasury. */
export function marketCalls(treasury: Address): Step[] {
  const { weth, rug, v2Router, v3Factory, positionManager } = addresses
  return [
    {
      to: weth,
      data: encodeFunctionData({ abi: tokenAbi, functionName: 'deposit' }),
      value: deployerWraps,
      gas: 100_000n,
    },
    ...approvals([v2Router, positionManager]),
    ...pools.flatMap((pool) => (pool.version === 2 ? [addV2(pool, treasury)] : addV3(pool, treasury))),
    ...openPool(rug, rugPool.weth, treasury),
    ...faultyTokens.flatMap(({ name, pool }) => openPool(addresses[name], pool.weth, burned)),
    {
      to: v3Factory,
      data: encodeFunctionData({ abi: v3FactoryAbi, functionName: 'setOwner', args: [treasury] }),
      gas: 100_000n,
    },
  ]
}

/** Opens a v2 pool of WETH and a token that was minted to its address. `shares` receives the liquidity shares. */
function openPool(token: Address, weth: bigint, shares: Address): Step[] {
  const pair = v2PairAddress(token, addresses.weth)
  const create = { abi: v2FactoryAbi, functionName: 'createPair', args: [token, addresses.weth] } as const
  const pay = { abi: tokenAbi, functionName: 'transfer', args: [pair, weth] } as const
  const mint = { abi: v2PairAbi, functionName: 'mint', args: [shares] } as const
  return [
    { to: addresses.v2Factory, data: encodeFunctionData(create), gas: 3_000_000n },
    { to: addresses.weth, data: encodeFunctionData(pay), gas: 100_000n },
    { to: pair, data: encodeFunctionData(mint), gas: 300_000n },
  ]
}

/** Approves every market token of the sender for each spender. */
export function approvals(spenders: readonly Address[]): Step[] {
  return spenders.flatMap((spender) =>
    Object.values(tokens).map(({ address }) => ({
      to: address,
      data: encodeFunctionData({ abi: tokenAbi, functionName: 'approve', args: [spender, maxUint256] }),
      gas: 100_000n,
    })),
  )
}

function addV2({ a, b, amountA, amountB }: Pool, treasury: Address): Step {
  const args = [a.address, b.address, amountA, amountB, 0n, 0n, treasury, maxUint128] as const
  return {
    to: addresses.v2Router,
    data: encodeFunctionData({ abi: v2RouterAbi, functionName: 'addLiquidity', args }),
    gas: 4_000_000n,
  }
}

function addV3({ a, b, amountA, amountB, fee }: Pool, treasury: Address): Step[] {
  const [token0, token1] = sorted(a.address, b.address)
  const [amount0, amount1] = token0 === a.address ? [amountA, amountB] : [amountB, amountA]
  const spacing = fee === 500 ? 10 : 60
  const edge = Math.floor(887_272 / spacing) * spacing
  const create = encodeFunctionData({
    abi: positionManagerAbi,
    functionName: 'createAndInitializePoolIfNecessary',
    args: [token0, token1, fee, sqrtPriceX96(amount0, amount1)],
  })
  const params = {
    token0,
    token1,
    fee,
    tickLower: -edge,
    tickUpper: edge,
    amount0Desired: amount0,
    amount1Desired: amount1,
    amount0Min: 0n,
    amount1Min: 0n,
    recipient: treasury,
    deadline: maxUint128,
  }
  const mint = encodeFunctionData({ abi: positionManagerAbi, functionName: 'mint', args: [params] })
  const both = encodeFunctionData({ abi: positionManagerAbi, functionName: 'multicall', args: [[create, mint]] })
  const grow = encodeFunctionData({ abi: v3PoolAbi, functionName: 'increaseObservationCardinalityNext', args: [100] })
  return [
    { to: addresses.positionManager, data: both, gas: 6_500_000n },
    { to: v3PoolAddress(a.address, b.address, fee), data: grow, gas: 3_000_000n },
  ]
}

/** A close upper bound for all creations: the gas limits of transactions fill a block, not the gas that they use. */
function creationGas(data: Hex): bigint {
  const bytes = BigInt((data.length - 2) / 2)
  return 500_000n + bytes * 240n
}
