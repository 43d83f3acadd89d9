import { pascalCase, serviceName } from './names.ts'

/** The base name of the request and response of each operation, by operation id. Entries are never removed. */
export type MessageNames = Readonly<Record<string, string>>

/** Names of methods that say nothing without their service. */
const generic: ReadonlySet<string> = new Set(
  [
    'accounts',
    'call',
    'clear',
    'history',
    'info',
    'positions',
    'preview',
    'resume',
    'send',
    'stop',
    'stream',
    'subscribe',
    'syncing',
    'volume',
  ].map(pascalCase),
)

/**
 * The names extended by the operations of the groups: that of the method, or with the service in front where it is generic
 * or an earlier operation has it. An operation keeps its name, even after it was removed.
 */
export function growNames(before: MessageNames, groups: Readonly<Record<string, object>>): MessageNames {
  const names = new Map(Object.entries(before))
  const taken = new Set(names.values())
  for (const [group, members] of Object.entries(groups)) {
    for (const key of Object.keys(members)) {
      const id = `${group}.${key}`
      const plain = pascalCase(key)
      const name = names.get(id) ?? (taken.has(plain) || generic.has(plain) ? serviceName(group) + plain : plain)
      names.set(id, name)
      taken.add(name)
    }
  }
  checkNames(names)
  return Object.fromEntries([...names].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Refuses a name that a merge of two branches has given twice: a published stub must not have two meanings. */
function checkNames(names: ReadonlyMap<string, string>): void {
  const owners = Map.groupBy(names.keys(), (id) => names.get(id))
  for (const [name, ids] of owners)
    if (ids.length > 1) throw new Error(`${ids.join(' and ')} would both have messages called ${name}; rename one`)
}
