/** One block with one transaction, its receipt and its log: the examples of all chain operations are about them. */

export const alice = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
export const token = '0x5fbdb2315678afecb367f032d93f642f64180aa3'
export const blockHash = '0x2f5b7a3d9c1e4f60718293a4b5c6d7e8f9012a3b4c5d6e7f8091a2b3c4d5e6f7'
export const transactionHash = '0x9c1f0a2b3c4d5e6f708192a3b4c5d6e7f8090a1b2c3d4e5f60718293a4b5c6d7'
export const emptyRoot = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'
export const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const bob = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const parentHash = '0x41e0b6c9d7a35f82103846597a8b9cadbecfd0e1f2031425364758697a8b9cad'
const bloom = `0x${'00'.repeat(256)}`
const oneToken = `0x${'de0b6b3a7640000'.padStart(64, '0')}`
const padded = (address: string) => `0x${address.slice(2).padStart(64, '0')}`

export const transferCall = `0xa9059cbb${padded(bob).slice(2)}${oneToken.slice(2)}`
export const balanceOfCall = `0x70a08231${padded(alice).slice(2)}`
export const balanceWord = oneToken

const inBlock = { blockHash, blockNumber: '0x1b4', transactionIndex: '0x0' }

export const exampleLog = {
  ...inBlock,
  address: token,
  topics: [transferTopic, padded(alice), padded(bob)],
  data: oneToken,
  transactionHash,
  logIndex: '0x0',
  removed: false,
}

export const exampleTransaction = {
  ...inBlock,
  hash: transactionHash,
  from: alice,
  to: token,
  nonce: '0x7',
  value: '0x0',
  gas: '0x186a0',
  input: transferCall,
  type: '0x2',
  gasPrice: '0x3b9aca07',
  maxFeePerGas: '0x77359400',
  maxPriorityFeePerGas: '0x3b9aca00',
  accessList: [],
  chainId: '0x14a34',
  v: '0x1',
  yParity: '0x1',
  r: '0x6c1a0f3b2d4e5f60718293a4b5c6d7e8f9012a3b4c5d6e7f8091a2b3c4d5e6f7',
  s: '0x1d2e3f405162738495a6b7c8d9eafb0c1d2e3f405162738495a6b7c8d9eafb0c',
}

export const exampleReceipt = {
  ...inBlock,
  transactionHash,
  from: alice,
  to: token,
  contractAddress: null,
  status: '0x1',
  type: '0x2',
  gasUsed: '0xcb1f',
  cumulativeGasUsed: '0xcb1f',
  effectiveGasPrice: '0x3b9aca07',
  logs: [exampleLog],
  logsBloom: bloom,
  l1Fee: '0x0',
}

export const exampleHeader = {
  number: '0x1b4',
  hash: blockHash,
  parentHash,
  miner: '0x4200000000000000000000000000000000000011',
  nonce: '0x0000000000000000',
  logsBloom: bloom,
  sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
  stateRoot: '0x7c8d9eafb0c1d2e3f405162738495a6b7c8d9eafb0c1d2e3f405162738495a6b',
  transactionsRoot: '0x8d9eafb0c1d2e3f405162738495a6b7c8d9eafb0c1d2e3f405162738495a6b7c',
  receiptsRoot: '0x9eafb0c1d2e3f405162738495a6b7c8d9eafb0c1d2e3f405162738495a6b7c8d',
  difficulty: '0x0',
  gasLimit: '0x1c9c380',
  gasUsed: '0xcb1f',
  timestamp: '0x68e0f1a2',
  extraData: '0x',
  mixHash: '0xafb0c1d2e3f405162738495a6b7c8d9eafb0c1d2e3f405162738495a6b7c8d9e',
  baseFeePerGas: '0x7',
  withdrawalsRoot: emptyRoot,
}

export const exampleBlock = { ...exampleHeader, size: '0x2e4', transactions: [transactionHash], uncles: [] }

/** The same transaction before its block has it. */
export const waitingTransaction = {
  ...exampleTransaction,
  blockHash: null,
  blockNumber: null,
  transactionIndex: null,
  gasPrice: '0x77359400',
}
