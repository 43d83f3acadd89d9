import { errorTable, gatewayCodes } from '../contract/shared/errors.ts'
import { codesOf, type Operation } from '../contract/shared/operation.ts'
import { DomainError, isAbortOf, unexpectedError, withFacts } from '../domain/core/errors.ts'
import { neverAborts } from '../kit/values.ts'
import type { Context, Request } from './request.ts'

/** The signal of a handler whose work ends with its caller, unless the contract says `onDisconnect: 'finish'`. */
export function handlerSignal({ onDisconnect }: Operation, signal: AbortSignal): AbortSignal {
  return onDisconnect === 'finish' ? neverAborts : signal
}

/** Turns anything thrown into an error that the caller may see. What no operation declares is logged and becomes INTERNAL. */
export function translate({ operations, observer }: Context, { id, caller }: Request, thrown: unknown): DomainError {
  const operation = operations.get(id)
  const declared = operation === undefined ? [] : codesOf(operation)
  // Without an operation, the gateway itself refused.
  const known =
    thrown instanceof DomainError &&
    (operation === undefined || gatewayCodes.has(thrown.code) || declared.includes(thrown.code))
  if (known && thrown.code !== 'INTERNAL') return thrown
  if (operation !== undefined && isAbortOf(handlerSignal(operation, caller.signal), thrown))
    return new DomainError('CANCELLED', 'The call ended before its response was ready.', {}, thrown)
  observer.unexpected({ operation: id, requestId: caller.requestId, error: thrown })
  if (known) return thrown
  return unexpectedError(caller.requestId, thrown)
}

/** The error that ends a request, reported to the observer. `retry-after` is set where the same request can succeed later. */
export function failed(context: Context, request: Request, thrown: unknown): DomainError {
  const facts = context.operations.get(request.id)?.refusalFacts
  const known = translate(context, request, thrown)
  const error = facts === undefined ? known : withFacts(known, facts(known.details, context.ports.clock.now()))
  const { retryAfterSeconds: wait = errorTable[error.code].retry ? 1 : null } = error.details
  if (wait !== null) request.headers['retry-after'] = String(wait)
  request.watched.finished(error.code, request.account)
  return error
}
