import { type Schema, unwrap } from './schema.ts'

/** `blockHash`, `l1FeeScalar` and `chain_id` as protobuf writes fields: `block_hash`, `l1_fee_scalar`, `chain_id`. */
export function snakeCase(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase()
}

/** Words that no field of a message may have, for Python cannot read it as an attribute then. */
const pythonKeywords: ReadonlySet<string> = new Set(
  'and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield'.split(
    ' ',
  ),
)

/** The name of a field in protobuf: that of the contract, or its `meta({ field })`, and never a keyword of Python. */
export function fieldName(json: string, schema: Schema): string {
  const name = unwrap(schema).field ?? snakeCase(json)
  return pythonKeywords.has(name) ? `${name}_value` : name
}

/** The name of an enum's value: that of the enum, and the text in capitals, such as `SUBSCRIPTION_TYPE_NEW_HEADS`. */
export function enumValueName(set: string, text: string): string {
  return `${snakeCase(set)}_${snakeCase(text)}`.replace(/[^a-z0-9]+/g, '_').toUpperCase()
}

/** `listTvl`, `session_id` and `auth` with a capital for each word: `ListTvl`, `SessionId`, `Auth`. */
export function pascalCase(name: string): string {
  return name.replace(/(^|[_-])([a-zA-Z0-9])/g, (_, _gap: string, letter: string) => letter.toUpperCase())
}

/** The gRPC service of a group: `TradingService`. */
export function serviceName(group: string): string {
  return `${pascalCase(group)}Service`
}

/** The name of an operation in its group: `listTvl`. */
export function keyOf({ id, group }: { id: string; group: string }): string {
  return id.slice(group.length + 1)
}

/** The type of an operation's input or output where its schema has no name of its own: `ToolsListTvlInput`; '' for the id alone. */
export function typeName(operation: { id: string; group: string }, end: 'Input' | 'Form' | 'Output' | ''): string {
  return pascalCase(operation.group) + pascalCase(keyOf(operation)) + end
}

/** A key of an object literal or a type: bare where TypeScript allows it. */
export function propertyKey(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name)
}

/** A TypeScript string literal. */
export function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`
}
