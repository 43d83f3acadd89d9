import { parseAbi } from 'viem'

/** The parts of the contracts' interfaces that the sandbox itself uses. */

export const tokenAbi = parseAbi([
  'function balanceOf(address) view returns (uint256)',
  'function approve(address spender, uint256 value) returns (bool)',
  'function transfer(address to, uint256 value) returns (bool)',
  'function deposit() payable',
])

export const feedAbi = parseAbi([
  'function latestRoundData() view returns (uint80, int256, uint256, uint256, uint80)',
  'function update(int256 answer)',
])

export const funderAbi = parseAbi(['function fund(address account) payable'])

export const v2FactoryAbi = parseAbi(['function createPair(address a, address b) returns (address)'])

export const v2PairAbi = parseAbi([
  'function mint(address to) returns (uint256)',
  'function getReserves() view returns (uint112, uint112, uint32)',
])

export const v2RouterAbi = parseAbi([
  'function addLiquidity(address a, address b, uint256 amountA, uint256 amountB, uint256 minA, uint256 minB, address to, uint256 deadline) returns (uint256, uint256, uint256)',
  'function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline) returns (uint256[])',
])

export const v3FactoryAbi = parseAbi(['function setOwner(address owner)'])

export const v3PoolAbi = parseAbi([
  'function slot0() view returns (uint160 sqrtPriceX96, int24, uint16, uint16, uint16, uint8, bool)',
  'function increaseObservationCardinalityNext(uint16 next)',
])

export const positionManagerAbi = parseAbi([
  'struct MintParams { address token0; address token1; uint24 fee; int24 tickLower; int24 tickUpper; uint256 amount0Desired; uint256 amount1Desired; uint256 amount0Min; uint256 amount1Min; address recipient; uint256 deadline; }',
  'function createAndInitializePoolIfNecessary(address token0, address token1, uint24 fee, uint160 sqrtPriceX96) payable returns (address)',
  'function mint(MintParams params) payable returns (uint256, uint128, uint256, uint256)',
  'function multicall(bytes[] data) payable returns (bytes[])',
])

/** SwapRouter02, which trades on both versions. */
export const v3RouterAbi = parseAbi([
  'struct ExactInputSingleParams { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 amountIn; uint256 amountOutMinimum; uint160 sqrtPriceLimitX96; }',
  'function exactInputSingle(ExactInputSingleParams params) payable returns (uint256)',
  'function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to) payable returns (uint256)',
  'function multicall(bytes[] data) payable returns (bytes[])',
])

export const multicallAbi = parseAbi([
  'struct Call { address target; bytes callData; }',
  'function aggregate(Call[] calls) view returns (uint256 blockNumber, bytes[] returnData)',
])
