import { encodeFunctionData, parseAbi } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { callContract } from '../../opstack/contract.ts'
import type { Chain } from '../chain/chain.ts'
import { asError, type Emit } from '../kit/events.ts'
import { signed } from '../pool/pending-pool.ts'
import type { Ledger, LedgerBlock } from './ledger.ts'
import { outputRoot } from './output-root.ts'
import { parentAddresses, parentChainId } from './parameters.ts'

const proposeAbi = parseAbi([
  'function proposeL2Output(bytes32 outputRoot, uint256 l2BlockNumber, bytes32 l1BlockHash, uint256 l1BlockNumber)',
])

/** Proposes the rollup's outputs to the parent chain, each when its block is safe. */
type Proposer = {
  /** Proposes the next output if it is due. Failures are events. */
  tick: () => Promise<void>
  /** Waits for the running tick. No other one starts. */
  close: () => Promise<void>
}

type ProposerOptions = {
  account: PrivateKeyAccount
  parent: Pick<Chain, 'head' | 'read' | 'submit'>
  ledger: Ledger
  safe: () => LedgerBlock
  /** The rollup block of the first output. */
  genesis: number
  emit: Emit
}

/** Creates a proposer. `tick` is to be called after each parent block. */
export function createProposer({ account, parent, ledger, safe, genesis, emit }: ProposerOptions): Proposer {
  const to = parentAddresses.l2OutputOracle
  let ticking: Promise<void> | undefined
  let closed = false

  async function propose(): Promise<void> {
    const [mined, next] = await Promise.all([nonce('latest'), nonce('pending')])
    // The previous proposal is still pending, perhaps since before a restart.
    if (mined !== next) return
    const due = Number(await callContract(parent, to, 'function nextBlockNumber() view returns (uint256)'))
    const number = due === 0 ? genesis : due
    const block = number <= safe().number ? ledger.block(number) : undefined
    if (block) await send(block, next)
  }

  async function nonce(at: string): Promise<number> {
    return Number(await parent.read('eth_getTransactionCount', [account.address, at]))
  }

  async function send(block: LedgerBlock, withNonce: number): Promise<void> {
    const parentHead = parent.head()
    const args = [outputRoot(block), BigInt(block.number), parentHead.hash, BigInt(parentHead.number)] as const
    const data = encodeFunctionData({ abi: proposeAbi, args })
    const gasPrice = BigInt(String(await parent.read('eth_gasPrice'))) * 2n
    const raw = await account.signTransaction({
      type: 'legacy',
      chainId: parentChainId,
      to,
      data,
      gas: 200_000n,
      nonce: withNonce,
      gasPrice,
    })
    const transaction = signed(raw, account.address, withNonce)
    await parent.submit(transaction)
    emit({ type: 'output-proposed', block: block.number, hash: transaction.hash })
  }

  return {
    tick: async () => {
      if (closed) return
      ticking ??= propose()
        .catch((thrown: unknown) => {
          if (!closed) emit({ type: 'proposer-failed', error: asError(thrown) })
        })
        .finally(() => {
          ticking = undefined
        })
      return ticking
    },
    close: async () => {
      closed = true
      await ticking
    },
  }
}
