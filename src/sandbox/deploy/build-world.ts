import { type Address, type Hex, numberToHex, pad, parseEther } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import type { Chain } from '../chain/chain.ts'
import { blockGasLimit } from '../engine/engine.ts'
import type { Emit } from '../kit/events.ts'
import type { Ledger } from '../rollup/ledger.ts'
import { batchInbox, maturitySeconds, outputInterval, parentAddresses, parentChainId } from '../rollup/parameters.ts'
import { recordGenesis } from '../rollup/record.ts'
import { ownArtifact } from './artifacts.ts'
import { bootstrap } from './bootstrap.ts'
import { describeDeployment } from './describe-deployment.ts'
import { type GenesisAccount, genesisOf, startingSupply } from './genesis.ts'
import type { World } from './world-file.ts'

type BuildOptions = {
  chain: Chain
  parent: Chain
  ledger: Ledger
  chainId: number
  blockTimeSeconds: number
  treasury: Address
  keeper: PrivateKeyAccount
  emit: Emit
}

/** Deploys everything on two empty chains. The rollup begins at the last block of the bootstrap. */
export async function buildWorld(options: BuildOptions): Promise<World> {
  const { chain, parent, ledger, chainId, blockTimeSeconds, emit } = options
  const started = performance.now()
  const { number, hash } = parent.head()
  const l1 = { number, hash }
  await recordGenesis(ledger, chain.head(), l1, (method, params) => chain.read(method, params))
  await bootstrap(options)
  const built = chain.head()
  emit({ type: 'contracts-deployed', block: built.number, milliseconds: Math.round(performance.now() - started) })
  return {
    deployment: describeDeployment(chainId, blockTimeSeconds, built.number + 1),
    rollup: { l1, l2: { number: built.number, hash: built.hash }, l2_time: built.timestamp },
  }
}

/** The usual development accounts, of the mnemonic "test test test test test test test test test test test junk". */
const developmentAccounts: readonly Address[] = [
  '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
  '0x90F79bf6EB2c4f870365E785982E1f101E93b906',
  '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65',
  '0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc',
  '0x976EA74026E726554dB657fA54763abd0C3a0aa9',
  '0x14dC79964da2C08b23698B3D3cc7Ca32193d9955',
  '0x23618e81E3f5cdF7f54C3d65f7FBc0aBf5B21E8f',
  '0xa0Ee7A142d267C1f36714E4a8F75612F20a79720',
]

const burnAddress: Address = '0x000000000000000000000000000000000000dEaD'

/**
 * The parent's genesis: the development accounts with their balances, and the rollup's contracts with their settings. The
 * portal holds the rollup's initial supply, so that all of it could be withdrawn.
 */
export function parentGenesisJson(options: {
  timestamp: number
  proposer: Address
  rollup: { chainId: number; blockTimeSeconds: number }
}): string {
  const { timestamp, proposer, rollup } = options
  const { portal, l2OutputOracle, systemConfig } = parentAddresses
  const funded = Object.fromEntries(
    developmentAccounts.map((account) => [account, { balance: numberToHex(parseEther('10000')) }]),
  )
  return genesisOf(
    { chainId: parentChainId, timestamp },
    {
      ...funded,
      [proposer]: { balance: numberToHex(parseEther('1000')) },
      [portal]: predeployed('OptimismPortal', [l2OutputOracle, systemConfig, burnAddress], startingSupply),
      [l2OutputOracle]: predeployed('L2OutputOracle', [
        proposer,
        numberToHex(outputInterval),
        numberToHex(rollup.blockTimeSeconds),
        numberToHex(maturitySeconds),
      ]),
      [systemConfig]: predeployed('SystemConfig', [
        portal,
        batchInbox(rollup.chainId),
        '0x',
        numberToHex(blockGasLimit),
      ]),
    },
  )
}

/** A contract of this project as if deployed, with the values of its storage slots from slot 0 on. */
function predeployed(name: string, slots: readonly Hex[], balance = 0n): GenesisAccount {
  const storage = Object.fromEntries(slots.map((value, slot) => [numberToHex(slot, { size: 32 }), pad(value)]))
  return { balance: numberToHex(balance), code: ownArtifact(name).deployedBytecode, storage }
}
