import type { OperationId } from '../../../src/contract/index.ts'
import type { Operation } from '../../../src/contract/shared/operation.ts'
import { password } from '../../accounts.ts'
import { liveInputs } from '../live-values.ts'
import type { Caller, Setup } from './setup.ts'

/** What `auth.changePassword` changes to. */
export const newPassword = 'another of the same length'

/** An input with things that exist, at one block. */
export function inputFor(setup: Setup, caller: Caller, id: OperationId, { example, rpc }: Operation): object {
  const { account } = caller
  const own: Partial<Record<OperationId, object>> = {
    'auth.changePassword': { current_password: password, new_password: newPassword },
    'auth.deleteAccount': { password: newPassword, keys_exported: true },
    'operator.grantWallet': { ...example.input, email: account.email },
    // With now it has an event at once.
    'trading.watchAccount': { from: 'now' },
    'chain.streamLogs': { filter: { fromBlock: setup.latest.before, toBlock: setup.latest.number } },
  }
  const input = own[id] ?? liveInputs[id]?.(account) ?? example.input
  return rpc === undefined ? input : (atBlock(setup, caller, id, input) as object)
}

/** The input of a method of the node, about the latest block as it was, and about things that exist. */
function atBlock({ latest }: Setup, { account, filters }: Caller, id: OperationId, input: unknown): unknown {
  const [, tokenAddress = ''] = account.symbols.map((symbol) => account.address(symbol))
  const isOfBlock = /Block.*Hash|ByHash$|ByBlockHash/.test(id) && id !== 'chain.getTransactionByHash'
  const named = (value: unknown, key = ''): unknown => {
    if (Array.isArray(value)) return value.map((part) => named(part))
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, named(part, name)]))
    if (value === 'latest' || value === 'pending' || value === '0x1b4') return latest.number
    if (key === 'hash') return isOfBlock ? latest.hash : latest.transaction
    if (key === 'filterId') return id === 'chain.uninstallFilter' ? filters?.ended : filters?.read
    return (key === 'address' || key === 'to') && typeof value === 'string' ? tokenAddress : value
  }
  return named(input)
}
