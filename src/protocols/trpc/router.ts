import { initTRPC, tracked } from '@trpc/server'
import { resumeFieldOf } from '../../contract/index.ts'
import type { Operation } from '../../contract/operation.ts'
import { type TrpcContext, trpcDependencies, trpcOptions } from './dependencies.ts'

const t = initTRPC.context<TrpcContext>().create(trpcOptions)
const procedure = t.procedure.input((input: unknown) => input ?? {})

/**
 * The router, one procedure an operation: reads are queries, the rest mutations, streams that are read subscriptions.
 * Keyed by whole ids, which is the path a client asks for: nested, tRPC would refuse names such as `call`.
 */
export function buildRouter(operations: ReadonlyMap<string, Operation>) {
  return t.router(Object.fromEntries([...operations].map(([id, operation]) => [id, procedureOf(id, operation)])))
}

/** What changes something travels by POST; the node's methods are asked as queries unless only the operator may. */
export function isWrite({ http, auth }: Operation): boolean {
  return http === undefined ? auth === 'operator' : http.method !== 'GET'
}

function procedureOf(id: string, operation: Operation) {
  const { call, open } = trpcDependencies
  if (operation.kind === 'unary') {
    const run = async ({ ctx, input }: { ctx: TrpcContext; input: unknown }) => await call(id, input, ctx)
    return isWrite(operation) ? procedure.mutation(run) : procedure.query(run)
  }
  if (isWrite(operation)) return procedure.mutation(async ({ ctx, input }) => await open(id, input, ctx))
  return procedure.subscription(async ({ ctx, input }) => withIds(await open(id, resumed(operation, input), ctx)))
}

async function* withIds(events: AsyncIterable<unknown>) {
  for await (const event of events) {
    const id = typeof event === 'object' && event !== null && 'id' in event ? event.id : undefined
    yield typeof id === 'string' && id !== '' ? tracked(id, event) : event
  }
}

function resumed(operation: Operation, input: unknown) {
  const { lastEventId, ...rest } = input as Record<string, unknown>
  return lastEventId === undefined ? rest : { ...rest, [resumeFieldOf(operation) ?? 'lastEventId']: lastEventId }
}
