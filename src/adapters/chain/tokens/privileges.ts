import { type Address, encodeFunctionData, type Hex, parseAbi, toFunctionSelector } from 'viem'
import type { TokenPowers } from '../../../domain/ports/chains.ts'
import { isSilence } from '../../node/errors/failures.ts'
import type { Connection } from '../reads/connection.ts'
import { readAll } from '../reads/multicall.ts'
import { tokenViews } from '../reads/views.ts'
import { implementationOf } from './proxies.ts'

const mintAbi = parseAbi(['function mint(address to, uint256 value)'])

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

/** How the code of a plain account begins that has lent itself a contract's (EIP-7702): one key still moves it. */
const delegation = '0xef0100'

/** Reads the powers that a token's code names, who holds them, and whether the code can be swapped. A heuristic: it sees names, not intent. */
export async function readPowers(
  connection: Connection,
  token: Address,
  code: Hex,
  blockNumber: bigint,
): Promise<TokenPowers> {
  const { client } = connection
  const [[owner], { implementation, upgradeable }] = await Promise.all([
    readAll(connection, [tokenViews.owner(token)], blockNumber),
    implementationOf(connection, token, code, blockNumber),
  ])
  const [behind, ownerCode] = await Promise.all([
    implementation === null ? undefined : client.getCode({ address: implementation, blockNumber }),
    owner === null ? undefined : client.getCode({ address: owner, blockNumber }),
  ])
  const named = powersIn(behind ?? code)
  const renounced = owner !== null && BigInt(owner) === 0n
  // Where the code names no such call, a fallback might take it and mean something else.
  const mints = owner !== null && !renounced && named.issuer.includes('mint')
  return {
    ...named,
    owner,
    renounced,
    implementation,
    upgradeable,
    issuer: upgradeable && !named.issuer.includes('upgrade') ? [...named.issuer, 'upgrade'] : named.issuer,
    ownerIsContract: ownerCode !== undefined && ownerCode !== '0x' && !ownerCode.startsWith(delegation),
    ownerMintsNow: mints ? await mintsNow(connection, token, owner, blockNumber) : null,
  }
}

/** Does the token take a mint by its owner now. A call that changes nothing. */
async function mintsNow({ client }: Connection, token: Address, owner: Address, blockNumber: bigint): Promise<boolean> {
  const data = encodeFunctionData({ abi: mintAbi, functionName: 'mint', args: [owner, 1n] })
  try {
    await client.call({ account: owner, to: token, data, blockNumber })
    return true
  } catch (error) {
    if (isSilence(error)) throw error
    return false
  }
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
