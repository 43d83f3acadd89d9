import { type JSONVisitor, visit } from 'jsonc-parser'
import { bounds } from '../contract/shared/limits.ts'
import { DomainError } from '../domain/core/errors.ts'

/** A value of JSON, and the paths of keys that their object had before; no more of them than a refusal lists. */
export type ReadJson = { value: unknown; repeated: string[] }

/** Levels of a text; an input within it may have fewer, and more would overflow the stack. */
const deepest = 4 * bounds.jsonDepth

/**
 * Reads JSON text as JSON.parse does, and finds keys that are sent twice, of which JSON.parse takes the last. A text of
 * more values than any input may have is left to JSON.parse, which reads it in a fraction of the time. Throws SyntaxError.
 */
export function readJson(text: string): ReadJson {
  const built: Built = { root: undefined, repeated: new Set() }
  try {
    visit(text, builderOf(built), { disallowComments: true })
    return { value: built.root, repeated: [...built.repeated] }
  } catch (error) {
    if (error instanceof Beyond) return { value: JSON.parse(text), repeated: [] }
    throw error
  }
}

/** The value of JSON text. Throws INVALID_ARGUMENT that names the keys that an object has twice, and SyntaxError. */
export function readOnce(text: string): unknown {
  const { value, repeated } = readJson(text)
  if (repeated.length > 0) throw repeatedKeys(repeated)
  return value
}

/** INVALID_ARGUMENT for keys that an object has twice. */
export function repeatedKeys(paths: readonly string[]): DomainError {
  const message = 'is sent twice; send it once'
  const violations = paths.map((path) => ({ path: path.slice(0, 200).toWellFormed(), message, code: 'repeated' }))
  return new DomainError('INVALID_ARGUMENT', `${violations[0]?.path}: ${message}`, { violations })
}

/** Ends a visit: the text is beyond what an input may be. */
class Beyond extends Error {}

type Built = { root: unknown; repeated: Set<string> }
type Container = Record<string, unknown> | unknown[]

/** Builds the value of a text that is visited. */
function builderOf(built: Built): JSONVisitor {
  const open: { container: Container; key: string }[] = []
  let values = 0
  const put = (value: unknown) => {
    values += 1
    if (values > bounds.jsonValues) throw new Beyond()
    const inner = open.at(-1)
    if (inner === undefined) built.root = value
    else if (Array.isArray(inner.container)) inner.container.push(value)
    else setOwn(inner.container, inner.key, value)
  }
  const begin = (container: Container) => {
    put(container)
    if (open.push({ container, key: '' }) > deepest) throw new Beyond()
  }
  const end = () => void open.pop()
  return {
    onObjectBegin: () => begin({}),
    onArrayBegin: () => begin([]),
    onObjectEnd: end,
    onArrayEnd: end,
    onLiteralValue: put,
    onObjectProperty(key, _offset, _length, _line, _character, path) {
      const inner = open.at(-1)
      if (inner === undefined) return
      if (Object.hasOwn(inner.container, key) && built.repeated.size < bounds.violationsListed)
        built.repeated.add([...path(), key].join('.'))
      inner.key = key
    },
    onError() {
      throw new SyntaxError('The text is not JSON.')
    },
  }
}

/** Sets a field, also one called `__proto__`. */
function setOwn(container: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(container, key, { value, writable: true, enumerable: true, configurable: true })
  else container[key] = value
}
