import type { Address, Hex } from 'viem'
import type { Connection } from '../reads/connection.ts'
import { readAll } from '../reads/multicall.ts'
import { proxyViews } from '../reads/views.ts'

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
/** The code of a minimal proxy, which always runs the same implementation (EIP-1167). */
const sharedCode = /^0x363d3d373d3d3d363d73([0-9a-f]{40})5af43d82803e903d91602b57fd5bf3$/i

/** The implementation of a proxy, null for other contracts, and whether it can be replaced. */
export async function implementationOf(
  connection: Connection,
  token: Address,
  code: Hex,
  blockNumber: bigint,
): Promise<{ implementation: Address | null; upgradeable: boolean }> {
  const shared = sharedCode.exec(code)?.[1]
  if (shared !== undefined) return { implementation: `0x${shared}`, upgradeable: false }
  const [beacon = null, ...direct] = await Promise.all(
    [beaconSlot, ...implementationSlots].map(async (slot) =>
      addressIn(await connection.client.getStorageAt({ address: token, slot: slot as Hex, blockNumber })),
    ),
  )
  const found = direct.find((address) => address !== null) ?? null
  if (found !== null || beacon === null) return { implementation: found, upgradeable: found !== null }
  const [behind] = await readAll(connection, [proxyViews.implementation(beacon)], blockNumber)
  return { implementation: behind, upgradeable: true }
}

function addressIn(word: Hex | undefined): Address | null {
  return word === undefined || BigInt(word) === 0n ? null : `0x${word.slice(-40)}`
}
