import { changed, invalidCases } from '../../../scripts/generate/invalid-cases.ts'
import { type OperationId, operations } from '../../../src/contract/index.ts'
import { type ErrorCode, errorTable, rpcCodeOf } from '../../../src/contract/shared/errors.ts'
import type { Operation } from '../../../src/contract/shared/operation.ts'
import { type Client, type Outcome, type Refusal, refusalOf } from '../../clients/client.ts'
import type { RpcClient } from '../../clients/json-rpc.ts'
import type { Belongings } from '../live-values.ts'
import { createSayable } from '../sayable.ts'
import { strangers, tokenNames } from '../strangers.ts'
import { type Check, Mismatch, must, shown } from './check.ts'
import type { Caller, Setup } from './setup.ts'

const sayable = createSayable()

/** Inputs that break one rule are refused by that rule, and callers without the right token as strangers. */
export function refusalChecks(setup: Setup): Check[] {
  return operations().flatMap(([id, operation]) => [
    ...setup.callers.flatMap((caller) => [
      ...invalidOver(setup, caller, id, operation),
      ...strange(setup, caller, id, operation),
    ]),
    ...setup.rpc.flatMap((client) => invalidOverRpc(setup, client, id, operation)),
  ])
}

function invalidOver(setup: Setup, { client, account }: Caller, id: OperationId, operation: Operation): Check[] {
  const { protocol } = client
  if (protocol === 'rest' && operation.http === undefined) return []
  const cases = invalidCases(operation).filter(({ protocols }) => protocols.includes(protocol))
  return cases.map(({ name, at, to, path }) => ({
    id,
    door: protocol,
    rule: `refuses: ${name.split(': ').at(-1)}`,
    name: `refuses ${name}`,
    lane: `${protocol} ${operation.rate}`,
    async judge() {
      const input = changed(operation.example.input, at, to) as object
      await mustRefuse(client, id, operation, input, setup.tokenFor(operation.auth, account), 'INVALID_ARGUMENT', path)
    },
  }))
}

function invalidOverRpc(setup: Setup, client: RpcClient, id: OperationId, operation: Operation): Check[] {
  if (operation.rpc === undefined) return []
  const account = setup.callers[0]?.account as Belongings
  return invalidCases(operation).flatMap(({ name, at, to, path }) => {
    const input = changed(operation.example.input, at, to) as Record<string, unknown>
    if (!sayable(client.protocol, id, operation, input)) return []
    return {
      id,
      door: client.protocol,
      rule: `refuses: ${name.split(': ').at(-1)}`,
      name: `refuses ${name}`,
      lane: `rpc ${operation.rate}`,
      async judge() {
        const token = setup.tokenFor(operation.auth, account)
        await mustRefuse(client, id, operation, input, token, 'INVALID_ARGUMENT', path)
      },
    }
  })
}

function strange(setup: Setup, { client, account }: Caller, id: OperationId, operation: Operation): Check[] {
  const { protocol } = client
  if (protocol === 'rest' && operation.http === undefined) return []
  return strangers[operation.auth].map((stranger) => ({
    id,
    door: protocol,
    rule: `refuses: ${tokenNames[stranger]}`,
    name: `refuses who has ${tokenNames[stranger]}`,
    lane: `${protocol} strangers`,
    async judge() {
      const token = setup.tokenFor(stranger, account)
      await mustRefuse(client, id, operation, operation.example.input, token, 'UNAUTHENTICATED')
    },
  }))
}

/** Asks, and checks that the refusal is this one, about this path. */
async function mustRefuse(
  client: Client | RpcClient,
  id: OperationId,
  operation: Operation,
  input: object,
  token: string | undefined,
  code: ErrorCode,
  path?: string,
): Promise<void> {
  const requestId = crypto.randomUUID()
  const outcome: Outcome =
    operation.kind === 'stream' && 'stream' in client
      ? await refusalOf(client.stream(id, input, token, undefined, { requestId }))
      : await client.call(id, input, token, { requestId })
  if (outcome.ok) throw new Mismatch(`It was to be refused with ${code}, and answered ${shown(outcome.output)}`)
  must(outcome.code === code, () => `It was to be refused with ${code}, and was with ${said(outcome)}`)
  checkRefusal(client.protocol, operation, outcome, requestId)
  const paths = outcome.violations.map((violation) => violation.path)
  const isNamed = path === undefined || paths.includes(path)
  must(isNamed, () => `The refusal does not name ${path}: ${said(outcome)}`)
}

/** A refusal of any kind: its status is that of its code, it says when to retry, and names the request. */
export function checkRefusal(
  protocol: (Client | RpcClient)['protocol'],
  operation: Operation,
  refusal: Refusal,
  requestId: string,
): void {
  const isOwnForm = protocol === 'rest' && operation.refusal !== undefined
  must(refusal.message.length > 0, () => `The refusal has no text: ${said(refusal)}`)
  if (isOwnForm) return
  const type = refusal.headers['content-type'] ?? ''
  must(
    protocol !== 'rest' || operation.kind === 'stream' || type.startsWith('application/problem+json'),
    () => `A refusal is no ${type}.`,
  )
  must(refusal.code in errorTable, () => `The code is not in the table of errors: ${said(refusal)}`)
  const row = errorTable[refusal.code as ErrorCode]
  const isRpc = protocol.startsWith('rpc')
  const status = isRpc
    ? rpcCodeOf(refusal.code as ErrorCode, refusal.metadata)
    : protocol === 'grpc'
      ? row.grpc
      : row.http
  must(refusal.status === status, () => `The status of ${refusal.code} is ${status}: ${said(refusal)}`)
  must(refusal.requestId === requestId, () => `It names the request ${refusal.requestId} instead of ${requestId}.`)
  if (isRpc || operation.kind === 'stream') return
  const wait = refusal.headers['retry-after']
  must(!row.retry || wait !== undefined, () => `${refusal.code} has no retry-after: ${shown(refusal.headers)}`)
}

export function said({ code, status, message, violations }: Refusal): string {
  return shown({ code, status, message, violations })
}
