import type { contract } from '../../contract/index.ts'
import type { Handler } from '../core/handler.ts'
import { nativeToken } from '../ports/chains.ts'
import { formatUnits, usdText } from '../values/money.ts'
import { openPrices } from '../values/prices.ts'
import { asHex, chainOf } from '../values/tokens.ts'

/** The balances of an address in the native currency and every known token at one block, with their worth by the feeds. */
export const walletBalance: Handler<typeof contract.tools.walletBalance, 'chains'> = async ({ chains }, input) => {
  const chain = input.chain_id === undefined ? chains.default : chainOf(chains, input.chain_id, 'chain_id')
  const { info } = chain
  const owner = asHex(input.address)
  const held = await chain.balances(
    owner,
    info.tokens.map(({ address }) => address),
  )
  const usd = openPrices(chain, { freshOnly: true })
  const nativeUsd = await usd(nativeToken, held.native)
  const tokens = await Promise.all(
    info.tokens.map(async ({ symbol, address, decimals }, index) => {
      const units = held.tokens[index] ?? 0n
      return { symbol, address, decimals, units, valueUsd: await usd(address, units) }
    }),
  )
  const total = [nativeUsd, ...tokens.map(({ valueUsd }) => valueUsd)].reduce<bigint>(
    (sum, value) => sum + (value ?? 0n),
    0n,
  )
  return {
    address: input.address,
    chain_id: info.id,
    block_number: Number(held.block.number),
    native_symbol: info.nativeSymbol,
    native_balance: formatUnits(held.native, 18),
    ...(nativeUsd === null ? {} : { native_value_usd: usdText(nativeUsd) }),
    total_value_usd: usdText(total),
    tokens: tokens.map(({ units, valueUsd, ...token }) => ({
      ...token,
      amount: formatUnits(units, token.decimals),
      ...(valueUsd === null ? {} : { value_usd: usdText(valueUsd) }),
    })),
    unpriced: [{ symbol: info.nativeSymbol, units: held.native, valueUsd: nativeUsd }, ...tokens]
      .filter(({ units, valueUsd }) => units > 0n && valueUsd === null)
      .map(({ symbol }) => symbol),
    source: `chain ${info.name}`,
  }
}
