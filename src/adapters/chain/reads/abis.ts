import { getAbiItem, parseAbi, toEventSelector } from 'viem'

/** The parts of the contracts that the adapter calls, and the events it reads. */

export const tokenAbi = parseAbi([
  'function approve(address spender, uint256 value) returns (bool)',
  'function allowance(address owner, address spender) view returns (uint256)',
  'function balanceOf(address account) view returns (uint256)',
  'function totalSupply() view returns (uint256)',
  'function decimals() view returns (uint8)',
  'function owner() view returns (address)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
])

export const multicallAbi = parseAbi([
  'struct Call { address target; bool allowFailure; bytes callData; }',
  'struct Result { bool success; bytes returnData; }',
  'function aggregate3(Call[] calls) view returns (Result[])',
  'struct PayingCall { address target; bool allowFailure; uint256 value; bytes callData; }',
  'function aggregate3Value(PayingCall[] calls) payable returns (Result[])',
  'function getEthBalance(address account) view returns (uint256)',
])

export const v2Abi = parseAbi([
  'function getPair(address a, address b) view returns (address)',
  'function factory() view returns (address)',
  'function WETH() view returns (address)',
  'function getReserves() view returns (uint112 reserve0, uint112 reserve1, uint32 timestamp)',
  'function swapExactTokensForTokensSupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)',
  'function swapExactETHForTokensSupportingFeeOnTransferTokens(uint256 amountOutMin, address[] path, address to, uint256 deadline) payable',
  'function swapExactTokensForETHSupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)',
  'event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)',
])

// The quoter simulates by reverting inside, so it is not `view` in its source; called as such it batches like any read.
export const v3Abi = parseAbi([
  'struct Single { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 amountIn; uint256 amountOutMinimum; uint160 sqrtPriceLimitX96; }',
  'struct Path { bytes path; address recipient; uint256 amountIn; uint256 amountOutMinimum; }',
  'function getPool(address a, address b, uint24 fee) view returns (address)',
  'function factory() view returns (address)',
  'function WETH9() view returns (address)',
  // The parts that are read; more follows, and differs among the copies of the contract.
  'function slot0() view returns (uint160 sqrtPriceX96, int24 tick)',
  'function ticks(int24 tick) view returns (uint128 liquidityGross, int128 liquidityNet)',
  'function tickBitmap(int16 word) view returns (uint256)',
  'function tickSpacing() view returns (int24)',
  'function liquidity() view returns (uint128)',
  'function quoteExactInput(bytes path, uint256 amountIn) view returns (uint256 amountOut, uint160[] roots, uint32[] ticks, uint256 gas)',
  'function multicall(uint256 deadline, bytes[] data) payable returns (bytes[])',
  'function exactInputSingle(Single params) payable returns (uint256 amountOut)',
  'function exactInput(Path params) payable returns (uint256 amountOut)',
  'function unwrapWETH9(uint256 amountMinimum, address recipient) payable',
  'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)',
])

export const wrappedAbi = parseAbi([
  'function deposit() payable',
  'function withdraw(uint256 amount)',
  'event Deposit(address indexed account, uint256 amount)',
  'event Withdrawal(address indexed account, uint256 amount)',
])

export const feedAbi = parseAbi([
  'function decimals() view returns (uint8)',
  'function description() view returns (string)',
  'function latestRoundData() view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)',
  'function getRoundData(uint80 id) view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)',
])

/** The first topic of a token's transfers. */
export const transferTopic = toEventSelector(getAbiItem({ abi: tokenAbi, name: 'Transfer' }))

/** What proxies call their beacon for. */
export const proxyAbi = parseAbi(['function implementation() view returns (address)'])
