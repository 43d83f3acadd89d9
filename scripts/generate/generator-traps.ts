/** What generators add to the id of an operation, or to a schema, for types of their own. */
const added = ['Request', 'Response', 'Responses', 'Params', 'Data', 'Error', 'Errors', 'Body', 'RequestBody']

/**
 * Names of schemas that generators of other languages give to types and functions of their own, in words: the generated
 * code would not compile. `operations` are ids in the form of a type, such as `ChatSend`.
 */
export function nameTraps(schemas: readonly string[], operations: readonly string[]): string[] {
  const own = [...schemas, ...operations.flatMap((name) => [name, `Api${name}`])]
  const taken = new Map(own.flatMap((name) => added.map((end) => [name + end, name])))
  for (const name of schemas) taken.set(`New${name}`, name)
  return schemas.flatMap((name) => {
    const other = taken.get(name)
    return other === undefined ? [] : [`The schema ${name} has the name of what generators make for ${other}.`]
  })
}

/** Patterns of a document that generators cut, in words: they take a slash at the end for the end of the expression. */
export function patternTraps(document: object): string[] {
  const traps: string[] = []
  JSON.stringify(document, (key, value) => {
    if (key === 'pattern' && typeof value === 'string' && value.endsWith('/'))
      traps.push(`The pattern ${value} ends in a slash, which some generators take for its end.`)
    return value
  })
  return traps
}
