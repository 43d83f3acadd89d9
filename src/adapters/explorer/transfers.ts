import { decodeEventLog, formatUnits, type Hex, type Log, parseAbi } from 'viem'
import type { Parties, Party, TokenParty } from './parties.ts'

/** A token transfer. The amount is in whole tokens where the token reports its decimals, else in its smallest unit. */
type Transfer = { token: Party; from: Party; to: Party; amount: string }

/** A token transfer as its log has it. */
export type Moved = { token: string; from: Hex; to: Hex; value: bigint }

const abi = parseAbi(['event Transfer(address indexed from, address indexed to, uint256 value)'])
/** The most tokens whose names are read for one page, and the most transfers that it shows. */
const mostTokens = 20
const mostTransfers = 100

/** The token transfers of logs, in their order. */
export async function transfersIn(logs: readonly Log[], parties: Parties): Promise<Transfer[]> {
  return (await readTransfers(logs, parties)).transfers
}

/** The same with the tokens whose names were read, and every transfer as moved; null where there are more than a page shows. */
export async function readTransfers(logs: readonly Log[], parties: Parties) {
  const all = logs.flatMap(decoded)
  const found = all.slice(0, mostTransfers)
  const addresses = [...new Set(found.map(({ token }) => token))].slice(0, mostTokens)
  const tokens = new Map(await Promise.all(addresses.map(async (one) => [one, await parties.token(one)] as const)))
  const transfers = found.map(({ token, from, to, value }): Transfer => {
    const known: TokenParty = tokens.get(token) ?? { ...parties.party(token), decimals: null }
    return {
      token: known,
      from: parties.party(from),
      to: parties.party(to),
      amount: formatUnits(value, known.decimals ?? 0),
    }
  })
  return { transfers, tokens: [...tokens.values()], moved: all.length > mostTransfers ? null : found }
}

function decoded(log: Log): Moved[] {
  try {
    const { args } = decodeEventLog({ abi, topics: log.topics, data: log.data })
    return [{ token: log.address, ...args }]
  } catch {
    return [] // another event, or a Transfer of another form, such as that of an NFT
  }
}
