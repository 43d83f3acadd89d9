/** `blockHash`, `l1FeeScalar` and `chain_id` as protobuf writes fields: `block_hash`, `l1_fee_scalar`, `chain_id`. */
export function snakeCase(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase()
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
