import { resumeFieldOf } from '../../src/contract/index.ts'
import { type Method, type Model, procedureKind } from './model.ts'
import { keyOf, quoted } from './names.ts'
import { type Files, header } from './write.ts'

/** The router for the client's types, and the type-level check that these types agree with the contract. */
export function trpcFiles(model: Model): Files {
  const plans = model.services.flatMap(({ methods }) => methods.map(planText))
  return new Map([
    ['generated/trpc/router.ts', routerText(plans)],
    ['generated/trpc/guards.ts', guardsText(model)],
  ])
}

function planText({ id, operation }: Method): string {
  const resume = resumeFieldOf(operation)
  return `  ${quoted(id)}: { kind: '${procedureKind(operation)}', resume: ${resume === null ? 'null' : quoted(resume)} },`
}

function routerText(plans: readonly string[]): string {
  return `${[
    `// ${header}`,
    [
      `import type { TRPCRuntimeConfigOptions } from '@trpc/server'`,
      `import type { AppRouter } from '../client/index.d.ts'`,
      `import { type Plan, type RouterDependencies, routerOf } from './procedures.ts'`,
    ].join('\n'),
    createRouter,
    `/** How each operation is served. */\nexport const plans = {\n${plans.join('\n')}\n} satisfies Record<string, Plan>`,
  ].join('\n\n')}\n`
}

const createRouter = `/** The router with every operation, served by the two given functions. Its errors must have the shape of the client's types. */
export function createRouter<Context extends object>(
  dependencies: RouterDependencies<Context>,
  options: TRPCRuntimeConfigOptions<Context, object> = {},
): AppRouter<Context> {
  // The plans and the types are generated from the same contract, which the compiler cannot know.
  return routerOf(plans, dependencies, options) as unknown as AppRouter<Context>
}`

/** The types are in a separate file, so that clients need not load the contract. */
function guardsText(model: Model): string {
  const lines = model.services.flatMap(({ group, methods }) =>
    methods.map((method) => {
      const procedure = `Procedures[${quoted(group)}][${quoted(keyOf(method))}]`
      return `true satisfies Agrees<${quoted(method.id)}, ${procedure}['_def']['$types']>`
    }),
  )
  return `${[
    `// ${header}`,
    `import type { OperationId, OperationOf } from '../../src/contract/index.ts'\nimport type { Procedures } from '../client/index.d.ts'\nimport type { plans } from './router.ts'`,
    guardTypes,
    `true satisfies OperationId extends keyof typeof plans ? true : false`,
    `// Does not compile where the contract differs from the types of the router.\n${lines.join('\n')}`,
  ].join('\n\n')}\n`
}

const guardTypes = `type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false

/** The event inside a stream and its envelope. */
type Answered<T> = T extends AsyncIterable<infer Event> ? (Event extends { id: string; data: infer Data } ? Data : Event) : T

type Agrees<Id extends OperationId, Types extends { input: unknown; output: unknown }> =
  Same<OperationOf<Id>['example']['input'], Exclude<Types['input'], void>> extends true
    ? Same<OperationOf<Id>['example']['output'], Answered<Types['output']>>
    : false`
