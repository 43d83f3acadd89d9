/** A row of the profits as both databases answer it. */
export type ProfitGas = {
  user_id: number | string
  chain_id: number | string
  wallet: string
  agent: string
  gas_usd: string
}

/** The statements that sum the gas of a database from before its sums were kept. Values are its own, quoted. */
export function gasOfProfits(profits: readonly ProfitGas[]): string[] {
  const sums = new Map<string, bigint>()
  for (const { user_id, chain_id, wallet, agent, gas_usd } of profits) {
    const key = `${Number(user_id)}, ${Number(chain_id)}, ${quote(wallet.toLowerCase())}, ${quote(agent)}`
    sums.set(key, (sums.get(key) ?? 0n) + BigInt(gas_usd))
  }
  return [...sums].map(
    ([key, sum]) => `insert into gas (user_id, chain_id, wallet_address, agent, gas_usd) values (${key}, '${sum}')`,
  )
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
