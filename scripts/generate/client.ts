import { deprecationText } from '../../src/contract/shared/deprecation.ts'
import type { Operation } from '../../src/contract/shared/operation.ts'
import { errorFacts } from '../../src/contract/shared/problem.ts'
import { type Method, type Model, procedureKind } from './model.ts'
import { keyOf, pascalCase, propertyKey, quoted, typeName } from './names.ts'
import { unwrap } from './schema.ts'
import { createTypeWriter, docComment, type TypeWriter } from './type-text.ts'
import { type Files, header } from './write.ts'

/**
 * The package for apps that use tRPC. It has only types, which are named instead of inferred: editors show them readably and
 * they compile fast. It depends on the version of the contract, and not on the server.
 */
export function clientFiles(model: Model, version: string): Files {
  const writer = createTypeWriter()
  const groups = model.services.map(({ group, methods }) => {
    const lines = methods.map(
      (method) =>
        `${docComment('  ', paragraphs(method))}  ${propertyKey(keyOf(method))}: ${procedureType(writer, method)}`,
    )
    return `/** Procedures of the group ${group}. */\nexport type ${pascalCase(group)}Procedures = {\n${lines.join('\n')}\n}`
  })
  const names = model.services.map(({ group }) => `  ${propertyKey(group)}: ${pascalCase(group)}Procedures`)
  writer.named('ErrorFacts', errorFacts, factsDescription)
  const types = [
    `// ${header}`,
    importsText(groups),
    `/** The version of the contract, as in its documents. */\nexport type ContractVersion = ${quoted(version)}`,
    appRouter,
    `/** Every procedure, by group. */\nexport type Procedures = {\n${names.join('\n')}\n}`,
    ...groups,
    ...writer.declarations(),
    errorTypes,
  ]
  return new Map([
    ['generated/client/index.d.ts', `${types.join('\n\n')}\n`],
    ['generated/client/package.json', `${JSON.stringify(manifest(version), null, 2)}\n`],
  ])
}

/** It has the same name as the whole project, so that an app imports `trident-gateway/client` from either of them. */
function manifest(version: string) {
  return {
    '//': header,
    name: 'trident-gateway',
    version,
    description: "The contract of a Trident gateway as types: what an app needs in addition to tRPC's client.",
    license: 'MIT',
    private: true,
    type: 'module',
    exports: { './client': { types: './index.d.ts' } },
    peerDependencies: { '@trpc/client': '^11', '@trpc/server': '^11' },
  }
}

function paragraphs({ operation }: Method): string[] {
  const { summary, description, deprecated, http, rpc, scope = 'none' } = operation
  const where = http === undefined ? `JSON-RPC: ${rpc?.method ?? 'none'}` : `REST: ${http.method} ${http.path}`
  const end = deprecated === undefined ? [] : [`@deprecated ${deprecationText(deprecated)}`]
  return [
    summary,
    ...(description === undefined ? [] : [description]),
    where + (scope === 'none' ? '' : `; scope ${scope}`),
    ...end,
  ]
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

/** An input without required fields may be left out. */
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

/** The types of tRPC that the procedures need. */
function importsText(groups: readonly string[]): string {
  const kinds = [...new Set(Object.values(procedureTypes))].sort()
  const used = kinds.filter((kind) => groups.some((text) => text.includes(kind)))
  const names = ['TRPCBuiltRouter', 'TRPCDefaultErrorShape', ...used]
  return `import type {\n${names.map((name) => `  ${name},`).join('\n')}\n} from '@trpc/server'`
}

const appRouter = `/** The type of the router for a client: \`createTRPCClient<AppRouter>\`. */
export type AppRouter<Context extends object = object> = TRPCBuiltRouter<
  { ctx: Context; meta: object; errorShape: ErrorShape; transformer: false },
  Procedures
>`

const factsDescription =
  "What an error's `data` has in addition to tRPC's own fields: the same facts as a problem document of REST."

const errorTypes = `/** The gateway's own code, finer than tRPC's. */
export type ErrorCode = ErrorFacts['code']

/** The shape of every error; \`data.code\` is tRPC's name of the status. */
export interface ErrorShape extends TRPCDefaultErrorShape {
  data: Omit<TRPCDefaultErrorShape['data'], 'stack'> & { trident: ErrorFacts }
}`
