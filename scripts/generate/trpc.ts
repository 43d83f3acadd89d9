import { resumeFieldOf } from '../../src/contract/index.ts'
import type { Operation } from '../../src/contract/operation.ts'
import { type Method, type Model, procedureKind } from './model.ts'
import { pascalCase, propertyKey, quoted } from './names.ts'
import { unwrap } from './schema.ts'
import { createTypeWriter, docComment, type TypeWriter } from './type-text.ts'
import { type Files, header } from './write.ts'

/** Types by name instead of by inference: they read well where an editor shows them and cost the compiler little. */
export function trpcFiles(model: Model): Files {
  const writer = createTypeWriter()
  const groups = model.services.map(({ group, methods }) => {
    const lines = methods.map(
      (method) =>
        `${docComment('  ', paragraphs(method))}  ${propertyKey(keyOf(method))}: ${procedureType(writer, method)}`,
    )
    return `/** Procedures of the group ${group}. */\nexport type ${pascalCase(group)}Procedures = {\n${lines.join('\n')}\n}`
  })
  const names = model.services.map(({ group }) => `  ${propertyKey(group)}: ${pascalCase(group)}Procedures`)
  const procedures = `/** Every procedure, by group. */\nexport type Procedures = {\n${names.join('\n')}\n}`
  const plans = model.services.flatMap(({ methods }) => methods.map(planText))
  return new Map([
    ['generated/trpc/types.ts', `${[`// ${header}`, ...writer.declarations()].join('\n\n')}\n`],
    ['generated/trpc/router.ts', routerText(usedNames(writer, groups), [...groups, procedures], plans)],
    ['generated/trpc/guards.ts', guardsText(model)],
  ])
}

function keyOf({ id, group }: Method): string {
  return id.slice(group.length + 1)
}

function typeName({ id, group }: Method, end: 'Input' | 'Output'): string {
  return pascalCase(group) + pascalCase(id.slice(group.length + 1)) + end
}

function paragraphs({ operation }: Method): string[] {
  const { summary, description, http, rpc } = operation
  const where = http === undefined ? `JSON-RPC: ${rpc?.method ?? 'none'}` : `REST: ${http.method} ${http.path}`
  return [summary, ...(description === undefined ? [] : [description]), where]
}

function procedureType(writer: TypeWriter, method: Method): string {
  const { operation } = method
  const kind = procedureKind(operation)
  const input = inputType(writer.named(typeName(method, 'Input'), operation.input, `Input of ${method.id}`), operation)
  const event = writer.named(
    typeName(method, 'Output'),
    operation.output,
    `${method.stream ? 'An event' : 'Answer'} of ${method.id}`,
  )
  const tracked = kind === 'subscription' && hasId(operation) ? `{ id: string; data: ${event} }` : event
  const output = method.stream ? `AsyncIterable<${tracked}, void, unknown>` : event
  return `${procedureTypes[kind]}<{ input: ${input}; output: ${output}; meta: object }>`
}

const procedureTypes = {
  query: 'TRPCQueryProcedure',
  mutation: 'TRPCMutationProcedure',
  streamingMutation: 'TRPCMutationProcedure',
  subscription: 'TRPCSubscriptionProcedure',
}

/** An input that needs no field may be left out altogether. */
function inputType(name: string, { input }: Operation): string {
  const fields = Object.values(input.shape)
  if (fields.length === 0) return `${name} | void`
  return fields.every((field) => unwrap(field).optional) ? `${name} | void` : name
}

function hasId({ output }: Operation): boolean {
  return (
    output._zod.def.type === 'object' &&
    'shape' in output._zod.def &&
    Object.hasOwn(output._zod.def.shape as object, 'id')
  )
}

function planText({ id, operation }: Method): string {
  const resume = resumeFieldOf(operation)
  return `  ${quoted(id)}: { kind: '${procedureKind(operation)}', resume: ${resume === null ? 'null' : quoted(resume)} },`
}

/** Names of `types.ts` that the procedures mention. */
function usedNames(writer: TypeWriter, groups: readonly string[]): string[] {
  const code = groups.join('\n').replaceAll(/\/\*\*.*?\*\//gs, '')
  const names = writer.declarations().flatMap((text) => /export interface (\w+)/.exec(text)?.[1] ?? [])
  return names.filter((name) => new RegExp(`\\b${name}\\b`).test(code)).sort()
}

function routerText(names: string[], types: string[], plans: string[]): string {
  const used = types.join('\n')
  const kinds = ['TRPCMutationProcedure', 'TRPCQueryProcedure', 'TRPCSubscriptionProcedure'].filter((name) =>
    used.includes(name),
  )
  return `${[
    `// ${header}`,
    [
      `import type {\n${['TRPCBuiltRouter', 'TRPCDefaultErrorShape', ...kinds, 'TRPCRuntimeConfigOptions'].map((name) => `  ${name},`).join('\n')}\n} from '@trpc/server'`,
      `import { type Plan, type RouterDependencies, routerOf } from './procedures.ts'`,
      `import type {\n${names.map((name) => `  ${name},`).join('\n')}\n} from './types.ts'`,
    ].join('\n'),
    `export type { RouterDependencies } from './procedures.ts'\nexport type * from './types.ts'`,
    ...types,
    appRouter,
    `/** How each operation is served. */\nexport const plans = {\n${plans.join('\n')}\n} satisfies Record<string, Plan>`,
  ].join('\n\n')}\n`
}

const appRouter = `/** The router as a client sees it: \`createTRPCClient<AppRouter>\`. */
export type AppRouter<
  Context extends object = object,
  ErrorShape extends TRPCDefaultErrorShape = TRPCDefaultErrorShape,
> = TRPCBuiltRouter<{ ctx: Context; meta: object; errorShape: ErrorShape; transformer: false }, Procedures>

/** The router with every operation served by the two functions it is given. \`ErrorShape\` is what the error formatter makes. */
export function createRouter<Context extends object, ErrorShape extends TRPCDefaultErrorShape = TRPCDefaultErrorShape>(
  dependencies: RouterDependencies<Context>,
  options: TRPCRuntimeConfigOptions<Context, object> = {},
): AppRouter<Context, ErrorShape> {
  // The plans and the types were written from the same contract, which the compiler cannot know.
  return routerOf(plans, dependencies, options) as unknown as AppRouter<Context, ErrorShape>
}`

/** Kept apart from the router, so that clients need not load the contract. */
function guardsText(model: Model): string {
  const lines = model.services.flatMap(({ group, methods }) =>
    methods.map((method) => {
      const procedure = `Procedures[${quoted(group)}][${quoted(keyOf(method))}]`
      return `true satisfies Agrees<${quoted(method.id)}, ${procedure}['_def']['$types']>`
    }),
  )
  return `${[
    `// ${header}`,
    `import type { OperationId, OperationOf } from '../../src/contract/index.ts'\nimport type { plans, Procedures } from './router.ts'`,
    guardTypes,
    `true satisfies OperationId extends keyof typeof plans ? true : false`,
    `// Does not compile where the contract says something else than the types of the router.\n${lines.join('\n')}`,
  ].join('\n\n')}\n`
}

const guardTypes = `type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false

/** The event inside a stream and its envelope. */
type Answered<T> = T extends AsyncIterable<infer Event> ? (Event extends { id: string; data: infer Data } ? Data : Event) : T

type Agrees<Id extends OperationId, Types extends { input: unknown; output: unknown }> =
  Same<OperationOf<Id>['example']['input'], Exclude<Types['input'], void>> extends true
    ? Same<OperationOf<Id>['example']['output'], Answered<Types['output']>>
    : false`
