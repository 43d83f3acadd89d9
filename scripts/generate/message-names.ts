import { pascalCase, serviceName } from './names.ts'

/** What the request and the response of each operation are named after, by operation id. It only grows. */
export type MessageNames = Readonly<Record<string, string>>

/**
 * The names with every operation of the groups in them: the method's own, or led by its service where an operation before
 * it has that one. A name once given stays with its operation, wherever others are added and whether it is removed.
 */
export function growNames(before: MessageNames, groups: Readonly<Record<string, object>>): MessageNames {
  const names = new Map(Object.entries(before))
  const taken = new Set(names.values())
  for (const [group, members] of Object.entries(groups)) {
    for (const key of Object.keys(members)) {
      const id = `${group}.${key}`
      const plain = pascalCase(key)
      const name = names.get(id) ?? (taken.has(plain) ? serviceName(group) + plain : plain)
      names.set(id, name)
      taken.add(name)
    }
  }
  checkNames(names)
  return Object.fromEntries([...names].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** A merge of two branches can give a name twice; a published stub would then mean two things. */
function checkNames(names: ReadonlyMap<string, string>): void {
  const owners = Map.groupBy(names.keys(), (id) => names.get(id))
  for (const [name, ids] of owners)
    if (ids.length > 1) throw new Error(`${ids.join(' and ')} would both have messages called ${name}; rename one`)
}
