import { initTRPC, type TRPCRuntimeConfigOptions, tracked } from '@trpc/server'

/** How tRPC serves an operation; `resume` is the input field that names the last event that a subscriber received. */
export type Plan = { kind: 'query' | 'mutation' | 'subscription' | 'streamingMutation'; resume: string | null }

/** Serves the operations; both functions throw TRPCError and validate their input. */
export type RouterDependencies<Context extends object> = {
  call(id: string, input: unknown, context: Context): Promise<unknown>
  /** Settles when the stream is open, so that a refusal comes before the first event. */
  open(id: string, input: unknown, context: Context): Promise<AsyncIterable<unknown>>
}

/**
 * A router with a procedure for each plan. Its keys are whole operation ids, which are the paths of clients with the nested
 * type. With a router for each group tRPC would refuse names such as `call`.
 */
export function routerOf<Context extends object>(
  plans: Readonly<Record<string, Plan>>,
  { call, open }: RouterDependencies<Context>,
  options: TRPCRuntimeConfigOptions<Context, object>,
) {
  // tRPC computes types from its context type, which fails for a type parameter, so it is erased here.
  const t = initTRPC.context<object>().create(options as unknown as TRPCRuntimeConfigOptions<object, object>)
  const procedure = t.procedure.input((input: unknown) => input ?? {})

  function procedureOf(id: string, { kind, resume }: Plan) {
    if (kind === 'query') return procedure.query(({ ctx, input }) => call(id, input, ctx as Context))
    if (kind === 'mutation') return procedure.mutation(({ ctx, input }) => call(id, input, ctx as Context))
    if (kind === 'streamingMutation')
      return procedure.mutation(async ({ ctx, input }) => generatorOf(await open(id, input, ctx as Context)))
    return procedure.subscription(async ({ ctx, input }) =>
      named(await open(id, resumed(input, resume), ctx as Context)),
    )
  }

  return t.router(Object.fromEntries(Object.entries(plans).map(([id, plan]) => [id, procedureOf(id, plan)])))
}

/** A generator, which tRPC needs to stream from a mutation. */
async function* generatorOf(events: AsyncIterable<unknown>): AsyncGenerator<unknown, void, undefined> {
  yield* events
}

/** Tracks events with an id: a client that reconnects names the last one that it received. */
async function* named(events: AsyncIterable<unknown>): AsyncGenerator<unknown, void, undefined> {
  for await (const event of events) {
    const id = typeof event === 'object' && event !== null && 'id' in event ? event.id : undefined
    yield typeof id === 'string' && id !== '' ? tracked(id, event) : event
  }
}

/** Moves the `lastEventId` of a client that reconnects to the field of the operation. */
function resumed(input: unknown, resume: string | null): unknown {
  if (resume === null || typeof input !== 'object' || input === null || !('lastEventId' in input)) return input
  const { lastEventId, ...rest } = input
  return { ...rest, [resume]: lastEventId }
}
