import { decodeEventLog, formatUnits, type Log, parseAbi } from 'viem'
import type { Parties, Party, TokenParty } from './parties.ts'

/** A token transfer. The amount is in whole tokens where the token reports its decimals, else in its smallest unit. */
type Transfer = { token: Party; from: Party; to: Party; amount: string }

const abi = parseAbi(['event Transfer(address indexed from, address indexed to, uint256 value)'])
/** The most tokens whose names are read for one page, and the most transfers that it shows. */
const mostTokens = 20
const mostTransfers = 100

/** The token transfers of logs, in their order. */
export async function transfersIn(logs: readonly Log[], parties: Parties): Promise<Transfer[]> {
  const found = logs.flatMap(decoded).slice(0, mostTransfers)
  const addresses = [...new Set(found.map(({ token }) => token))].slice(0, mostTokens)
  const tokens = new Map(await Promise.all(addresses.map(async (one) => [one, await parties.token(one)] as const)))
  return found.map(({ token, from, to, value }) => {
    const known: TokenParty = tokens.get(token) ?? { ...parties.party(token), decimals: null }
    return {
      token: known,
      from: parties.party(from),
      to: parties.party(to),
      amount: formatUnits(value, known.decimals ?? 0),
    }
  })
}

function decoded(log: Log): { token: string; from: string; to: string; value: bigint }[] {
  try {
    const { args } = decodeEventLog({ abi, topics: log.topics, data: log.data })
    return [{ token: log.address, ...args }]
  } catch {
    return [] // another event, or a Transfer of another form, such as that of an NFT
  }
}
