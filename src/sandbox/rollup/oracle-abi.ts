import { parseAbi } from 'viem'

/** The part of the parent chain's output oracle that the sandbox itself uses. */
export const oracleAbi = parseAbi([
  'function nextBlockNumber() view returns (uint256)',
  'function latestBlockNumber() view returns (uint256)',
  'function proposeL2Output(bytes32 outputRoot, uint256 l2BlockNumber, bytes32 l1BlockHash, uint256 l1BlockNumber)',
])
