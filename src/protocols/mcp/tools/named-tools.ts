import { operationOf } from '../../../contract/index.ts'
import type { Operation, RpcBinding } from '../../../contract/shared/operation.ts'
import { DomainError } from '../../../domain/core/errors.ts'
import { rpcFields } from '../../rpc-fields.ts'
import { wholeOrPart } from './answer.ts'
import { named } from './named.ts'
import type { Tool, ToolRun } from './run.ts'

/** The tools whose answer has no certain shape: research, and those that call what they are given by name. */

export const callOperation: Tool<'call_operation'> = async ({ operation, input = {}, cursor }, { callNamed }) => {
  const { id } = named('call_operation', 'operation', operation)
  return answerOf(await callNamed(id, input), cursor)
}

export const marketDataOf: Tool<'market_data'> = async ({ name, arguments: given = {}, cursor }, { callNamed }) => {
  const { id } = named('market_data', 'name', name)
  return answerOf(await callNamed(id, { tool_name: name, arguments: given }), cursor)
}

export const readChain: Tool<'read_chain'> = async ({ method, params = [], cursor }, { callNamed }) => {
  const { id } = named('read_chain', 'method', method)
  const { rpc, input }: Operation = operationOf(id)
  const binding = rpc as RpcBinding // it is a method of the chain
  const fields = rpcFields({ rpc: binding, input }, params)
  const read = await callNamed(id, fields).catch((thrown: unknown) => {
    // As in every node.
    if (binding.orNull === true && thrown instanceof DomainError && thrown.code === 'NOT_FOUND') return nothing
    throw thrown
  })
  return answerOf(read, cursor)
}

const nothing = { output: null, ignored: undefined }

export const research: Tool<'research'> = async ({ cursor, ...input }, { call }) =>
  wholeOrPart(await call('research.preview', () => input), cursor)

/** The output, and the fields without effect: a model that made up a field has to learn it. */
function answerOf({ output, ignored }: Awaited<ReturnType<ToolRun['callNamed']>>, cursor: string | undefined) {
  return { ...wholeOrPart(output, cursor), ...(ignored === undefined ? {} : { ignored_fields: ignored }) }
}
