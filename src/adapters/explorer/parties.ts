import { type Address, decodeFunctionResult, encodeFunctionData, type Hex, parseAbi } from 'viem'
import type { Deployment } from '../chain/reads/deployment.ts'
import type { CallNode } from './node.ts'

/**
 * The name of an address. `listed` marks a name of the deployment table; any other is chosen by the contract itself.
 */
export type Party = { address: string; name: string | null; listed: boolean }

export type TokenParty = Party & { decimals: number | null }

const tokenAbi = parseAbi(['function symbol() view returns (string)', 'function decimals() view returns (uint8)'])

/** Names addresses by the deployment table, and other tokens by the name that the contract returns. */
export function createParties(callNode: CallNode, deployment: Deployment) {
  const listed = listedNames(deployment)

  function party(address: string): Party {
    const name = listed.get(address.toLowerCase()) ?? null
    return { address, name, listed: name !== null }
  }

  /** Null where the gateway does not list the token. */
  function listedToken(address: string): TokenParty | null {
    const known = deployment.tokens.find((one) => one.address.toLowerCase() === address.toLowerCase())
    if (known === undefined) return null
    return { address: known.address, name: known.symbol, listed: true, decimals: known.decimals }
  }

  /** The name and the decimals are absent where the address does not respond as a token. */
  async function token(address: string): Promise<TokenParty> {
    const known = listedToken(address)
    if (known !== null) return known
    const [symbol, decimals] = await Promise.all([read(address, 'symbol'), read(address, 'decimals')])
    return {
      address,
      name: symbol === null ? null : safeName(String(symbol)),
      listed: false,
      decimals: asDecimals(decimals),
    }
  }

  async function read(address: string, functionName: 'symbol' | 'decimals'): Promise<unknown> {
    try {
      const data = encodeFunctionData({ abi: tokenAbi, functionName })
      const result = (await callNode('eth_call', { to: address as Address, data, gas: '0x186a0' }, 'latest')) as Hex
      return decodeFunctionResult({ abi: tokenAbi, functionName, data: result })
    } catch {
      return null // not a token, or a token without this field
    }
  }

  return { party, token, listedToken }
}

export type Parties = ReturnType<typeof createParties>

/** A contract's name made safe for display: short, without control characters, text direction marks or line breaks. */
export function safeName(text: string): string | null {
  const visible = [
    ...text
      .slice(0, 200)
      .toWellFormed()
      .replace(/[\p{C}\p{Zl}\p{Zp}\uFFFD]/gu, '')
      .trim(),
  ]
  if (visible.length === 0) return null
  return visible.length <= 20 ? visible.join('') : `${visible.slice(0, 20).join('')}…`
}

function asDecimals(value: unknown): number | null {
  return typeof value === 'number' && value <= 36 ? value : null
}

function listedNames(deployment: Deployment): Map<string, string> {
  const { tokens, feeds, uniswap_v2: v2, uniswap_v3: v3, multicall3 } = deployment
  const names: [string, string][] = [
    [multicall3, 'Multicall3'],
    [v2.factory, 'Uniswap v2 factory'],
    [v2.router, 'Uniswap v2 router'],
    [v3.factory, 'Uniswap v3 factory'],
    [v3.router, 'Uniswap v3 router'],
    [v3.quoter, 'Uniswap v3 quoter'],
    ...feeds.map(({ address, pair }): [string, string] => [address, `${pair} feed`]),
    ...tokens.map(({ address, symbol }): [string, string] => [address, symbol]),
  ]
  return new Map(names.map(([address, name]) => [address.toLowerCase(), name]))
}
