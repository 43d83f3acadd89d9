import { type Address, encodeFunctionData, type Hex, parseAbi, toFunctionSelector } from 'viem'
import type { Head, TokenPowers } from '../../../domain/ports/chains.ts'
import { provesNothing } from '../../node/errors/failures.ts'
import type { Connection } from '../reads/connection.ts'
import { readAll } from '../reads/multicall.ts'
import { proxyViews } from '../reads/views.ts'

const mintAbi = parseAbi(['function mint(address to, uint256 value)'])

/**
 * The powers of a token's owner. `issuer` powers are common among reputable issuers; `trap` powers can take the buyers'
 * money.
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

/** The code prefix of an account with delegated code (EIP-7702): one key still controls it. */
const delegation = '0xef0100'

/** A token as it was read: its code, its owner, and the words in the `proxySlots` of its storage. */
type Contract = { token: Address; code: Hex; owner: Address | null; words: readonly Hex[] }

/**
 * Finds the powers in a token's code, who holds them, and whether the code can be replaced. It is a heuristic by
 * function names.
 */
export async function readPowers(connection: Connection, contract: Contract, block: Head): Promise<TokenPowers> {
  const { token, owner } = contract
  const { client, at } = connection
  const readingOwner = owner === null ? undefined : client.getCode({ address: owner, ...at(block) })
  const reading = namedPowers(connection, contract, block)
  const [ownerCode, { named, implementation, upgradeable }, ownerMintsNow] = await Promise.all([
    readingOwner,
    reading,
    reading.then(({ named }) => mintsNow(connection, token, { owner, named }, block)),
  ])
  const renounced = owner !== null && BigInt(owner) === 0n
  return {
    ...named,
    owner,
    renounced,
    implementation,
    upgradeable,
    issuer: upgradeable && !named.issuer.includes('upgrade') ? [...named.issuer, 'upgrade'] : named.issuer,
    ownerIsContract: ownerCode !== undefined && ownerCode !== '0x' && !ownerCode.startsWith(delegation),
    ownerMintsNow,
  }
}

type Named = ReturnType<typeof powersIn>

/** The powers that the code that runs names, and how that code is found. */
async function namedPowers(connection: Connection, contract: Contract, block: Head) {
  const { implementation, upgradeable } = await implementationOf(connection, contract, block)
  const behind =
    implementation === null
      ? undefined
      : await connection.client.getCode({ address: implementation, ...connection.at(block) })
  return { named: powersIn(behind ?? contract.code), implementation, upgradeable }
}

/** Whether the owner can mint now; null where there is nobody to ask for. Simulated, so nothing changes. */
async function mintsNow(
  { client, at }: Connection,
  token: Address,
  { owner, named }: { owner: Address | null; named: Named },
  block: Head,
): Promise<boolean | null> {
  // Without such a function in the code, the fallback function might be called with another meaning.
  if (owner === null || BigInt(owner) === 0n || !named.issuer.includes('mint')) return null
  const data = encodeFunctionData({ abi: mintAbi, functionName: 'mint', args: [owner, 1n] })
  try {
    await client.call({ account: owner, to: token, data, ...at(block) })
    return true
  } catch (error) {
    if (provesNothing(error)) throw error
    return false
  }
}

/** The powers whose selectors appear in the contract's dispatcher, after the opcode PUSH4. */
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

/**
 * The storage slots of a proxy's implementation: EIP-1967, the earlier `org.zeppelinos.proxy.implementation`, and
 * EIP-1822.
 */
const implementationSlots = [
  '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc',
  '0x7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3',
  '0xc5f16f0fcc639fa48a6947836d9850f504798523bf8c9a3a87d5876cf622bcf7',
] as const
const beaconSlot = '0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50'
/** The storage slots that say where the code of a proxy is. */
export const proxySlots: readonly Hex[] = [beaconSlot, ...implementationSlots]
/** The code of a minimal proxy, which always runs the same implementation (EIP-1167). */
const sharedCode = /^0x363d3d373d3d3d363d73([0-9a-f]{40})5af43d82803e903d91602b57fd5bf3$/i

/** The implementation of a proxy, null for other contracts, and whether it can be replaced. */
async function implementationOf(
  connection: Connection,
  { code, words }: Pick<Contract, 'code' | 'words'>,
  block: Head,
): Promise<{ implementation: Address | null; upgradeable: boolean }> {
  const shared = sharedCode.exec(code)?.[1]
  if (shared !== undefined) return { implementation: `0x${shared}`, upgradeable: false }
  const [beacon = null, ...direct] = words.map(addressIn)
  const found = direct.find((address) => address !== null) ?? null
  if (found !== null || beacon === null) return { implementation: found, upgradeable: found !== null }
  const [behind] = await readAll(connection, [proxyViews.implementation(beacon)], block)
  return { implementation: behind, upgradeable: true }
}

function addressIn(word: Hex | undefined): Address | null {
  return word === undefined || BigInt(word) === 0n ? null : `0x${word.slice(-40)}`
}
