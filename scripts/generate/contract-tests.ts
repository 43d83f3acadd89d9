import { invalidCases } from './invalid-cases.ts'
import type { Method, Model } from './model.ts'
import { propertyKey, quoted } from './names.ts'
import { type Files, header } from './write.ts'

/** Tests of the contract, one file for each group: the example of each operation, and inputs that violate one rule each. */
export function contractTestFiles(model: Model): Files {
  return new Map(
    model.services.map(({ group, methods }): [string, string] => [
      `generated/contract-tests/${group}.test.ts`,
      `${[
        `// ${header}`,
        `import { defineContractTests } from '../../test/contract/harness.ts'`,
        `defineContractTests(${quoted(group)}, [\n${methods.map(operationText).join('\n')}\n])`,
      ].join('\n\n')}\n`,
    ]),
  )
}

function operationText(method: Method): string {
  const { id, operation } = method
  const cases = invalidCases(operation).map(({ name, at, to, path, protocols }) => {
    const value = to === undefined ? '' : ` to: ${valueText(to)},`
    return `      { name: ${quoted(name)}, at: ${valueText(at)},${value} path: ${quoted(path)}, protocols: ${valueText(protocols)} },`
  })
  const invalid = cases.length === 0 ? '[]' : `[\n${cases.join('\n')}\n    ]`
  return `  {\n    id: ${quoted(id)},\n    auth: ${quoted(operation.auth)},\n    valid: [{ name: 'the example', input: ${valueText(operation.example.input)} }],\n    invalid: ${invalid},\n  },`
}

/** A literal; a repeated text is written as a repetition. */
function valueText(value: unknown): string {
  if (typeof value === 'string') return repeated(value) ?? quoted(value)
  if (Array.isArray(value)) return sameItems(value) ?? `[${value.map(valueText).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  const fields = Object.entries(value).map(([key, part]) => `${propertyKey(key)}: ${valueText(part)}`)
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`
}

function repeated(text: string): string | null {
  const first = text.charAt(0)
  return text.length > 40 && text === first.repeat(text.length) ? `${quoted(first)}.repeat(${text.length})` : null
}

function sameItems(list: unknown[]): string | null {
  const texts = list.map((item) => JSON.stringify(item))
  const same = list.length > 3 && texts.every((text) => text === texts[0])
  return same ? `Array.from({ length: ${list.length} }, () => (${valueText(list[0])}))` : null
}
