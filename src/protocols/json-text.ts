import { type JSONVisitor, visit } from 'jsonc-parser'
import { bounds } from '../contract/shared/limits.ts'
import { DomainError } from '../domain/core/errors.ts'

/** A value of JSON, and the paths of keys that their object had before; no more of them than a refusal lists. */
export type ReadJson = { value: unknown; repeated: string[] }

/** Levels of a text; an input within it may have fewer, and more would overflow the stack. */
const deepest = 4 * bounds.jsonDepth

/**
 * Reads JSON text as JSON.parse does, and finds keys that are sent twice, of which JSON.parse takes the last. `counts` says
 * by its first key whether a path counts. Throws SyntaxError, and PAYLOAD_TOO_LARGE for more than any input may have.
 */
export function readJson(text: string, counts: (firstKey: string) => boolean = () => true): ReadJson {
  const built: Built = { root: undefined, repeated: new Set(), found: 0, counts }
  visit(text, builderOf(built), { disallowComments: true })
  return { value: built.root, repeated: [...built.repeated] }
}

/** The value of JSON text. Throws INVALID_ARGUMENT that names the keys that an object has twice, and as `readJson` does. */
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

/** `found` counts every repetition: joining the paths of all would take longer than the text. */
type Built = { root: unknown; repeated: Set<string>; found: number; counts: (firstKey: string) => boolean }
type Container = Record<string, unknown> | unknown[]

/** Builds the value of a text that is visited. */
function builderOf(built: Built): JSONVisitor {
  const open: { container: Container; key: string }[] = []
  let values = 0
  const put = (value: unknown) => {
    values += 1
    if (values > bounds.jsonValues) throw tooMuch()
    const inner = open.at(-1)
    if (inner === undefined) built.root = value
    else if (Array.isArray(inner.container)) inner.container.push(value)
    else setOwn(inner.container, inner.key, value)
  }
  const begin = (container: Container) => {
    put(container)
    if (open.push({ container, key: '' }) > deepest) throw tooMuch()
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
      if (Object.hasOwn(inner.container, key) && built.found < bounds.violationsListed)
        noteRepeated(built, [...path(), key])
      inner.key = key
    },
    onError() {
      throw new SyntaxError('The text is not JSON.')
    },
  }
}

function noteRepeated(built: Built, path: (string | number)[]): void {
  if (!built.counts(String(path[0]))) return
  built.found += 1
  built.repeated.add(path.map((key) => String(key).slice(0, bounds.fieldNameCharacters)).join('.'))
}

function tooMuch(): DomainError {
  const message = `The body has more than ${bounds.jsonValues} values or ${deepest} levels. Send less at once.`
  return new DomainError('PAYLOAD_TOO_LARGE', message)
}

/** Sets a field, also one called `__proto__`. */
function setOwn(container: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(container, key, { value, writable: true, enumerable: true, configurable: true })
  else container[key] = value
}
