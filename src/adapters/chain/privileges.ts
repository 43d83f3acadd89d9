import { type Address, type Hex, toFunctionSelector } from 'viem'
import { tokenAbi } from './abis.ts'
import type { Connection } from './connection.ts'
import { readAll, reading } from './multicall.ts'

/**
 * What an owner may do with a token. `issuer` powers are common with issuers of sound tokens; `trap` powers serve to
 * take the money of those who bought.
 */
type Privilege = { name: string; kind: 'issuer' | 'trap'; signatures: readonly string[] }

const privileges: readonly Privilege[] = [
  { name: 'mint', kind: 'issuer', signatures: ['mint(address,uint256)', 'mint(uint256)', 'issue(uint256)'] },
  { name: 'pause', kind: 'issuer', signatures: ['pause()', 'setPaused(bool)'] },
  {
    name: 'blacklist',
    kind: 'issuer',
    signatures: [
      'setBlacklist(address,bool)',
      'blacklist(address)',
      'addBlackList(address)',
      'addToBlacklist(address)',
      'setBot(address,bool)',
      'setBots(address[])',
    ],
  },
  { name: 'upgrade', kind: 'issuer', signatures: ['upgradeTo(address)', 'upgradeToAndCall(address,bytes)'] },
  {
    name: 'set_taxes',
    kind: 'trap',
    signatures: [
      'setTaxes(uint256)',
      'setTaxes(uint256,uint256)',
      'setFees(uint256,uint256)',
      'setFee(uint256)',
      'setSellTax(uint256)',
      'setBuyTax(uint256)',
      'setTax(uint256)',
      'updateFees(uint256,uint256)',
    ],
  },
  {
    name: 'switch_selling',
    kind: 'trap',
    signatures: [
      'setSellingEnabled(bool)',
      'setTradingEnabled(bool)',
      'setTrading(bool)',
      'setSellEnabled(bool)',
      'setCanSell(bool)',
    ],
  },
  {
    name: 'limit_amounts',
    kind: 'trap',
    signatures: [
      'setMaxTxAmount(uint256)',
      'setMaxTransactionAmount(uint256)',
      'setMaxWalletSize(uint256)',
      'setMaxWallet(uint256)',
      'setMaxSellAmount(uint256)',
    ],
  },
]

const selectors = privileges.flatMap(({ name, kind, signatures }) =>
  signatures.map((signature) => ({ name, kind, selector: toFunctionSelector(signature).slice(2) })),
)

/** keccak256('eip1967.proxy.implementation') - 1 */
const implementationSlot = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc'

export type Powers = { issuer: string[]; traps: string[]; owner: Address | null; renounced: boolean; proxy: boolean }

/** Reads the powers that a token's code names, who holds them, and whether the code can be swapped. A heuristic: it sees names, not intent. */
export async function readPowers(connection: Connection, token: Address, code: Hex): Promise<Powers> {
  const { client } = connection
  const [[owner], stored] = await Promise.all([
    readAll(connection, [reading(token, tokenAbi, 'owner', [])]),
    client.getStorageAt({ address: token, slot: implementationSlot }),
  ])
  const proxy = stored !== undefined && BigInt(stored) !== 0n
  const implementation: Address = `0x${(stored ?? '0x').slice(-40)}`
  const behind = proxy ? await client.getCode({ address: implementation }) : undefined
  const named = powersIn(behind ?? code)
  if (proxy && !named.issuer.includes('upgrade')) named.issuer.push('upgrade')
  return { ...named, owner, renounced: owner !== null && BigInt(owner) === 0n, proxy }
}

/** The powers whose selectors a contract's dispatcher compares with: whole bytes, behind the opcode that pushes four. */
export function powersIn(code: Hex): { issuer: string[]; traps: string[] } {
  const present = selectors.filter(({ selector }) => holdsBytes(code, `63${selector}`))
  const names = (kind: Privilege['kind']) => [
    ...new Set(present.filter((power) => power.kind === kind).map((power) => power.name)),
  ]
  return { issuer: names('issuer'), traps: names('trap') }
}

function holdsBytes(code: Hex, bytes: string): boolean {
  let at = code.indexOf(bytes)
  while (at !== -1 && at % 2 === 1) at = code.indexOf(bytes, at + 1)
  return at !== -1
}
