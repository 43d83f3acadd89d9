import { deprecationText } from '../../src/contract/shared/deprecation.ts'
import { propertyKey, quoted } from './names.ts'
import { defOf, metaOf, type Schema, textsOf, unwrap } from './schema.ts'

/** Writes TypeScript types of schemas. Objects with an id become interfaces, which it collects. */
export type TypeWriter = {
  /** The type as text: a name where it has one. */
  textOf(schema: Schema): string
  /** Declares a name for a type, unless its text is already a name. Returns the name to use. */
  named(name: string, schema: Schema, description: string): string
  /** All declarations, in the order of their first use. */
  declarations(): string[]
}

const noFields = 'Record<string, never>'

export function createTypeWriter(): TypeWriter {
  const declared = new Map<string, { text: string; schema: Schema }>()

  function declare(name: string, schema: Schema, text: () => string): string {
    const known = declared.get(name)
    if (known !== undefined && known.schema !== schema) throw new Error(`two types would be called ${name}; rename one`)
    if (known !== undefined) return name
    const entry = { text: '', schema }
    declared.set(name, entry)
    entry.text = text()
    return name
  }

  function textOf(schema: Schema): string {
    const def = defOf(schema)
    const texts = textsOf(schema)
    if (texts !== null) return texts.map(quoted).join(' | ')
    if (def.type === 'object') {
      const { id, description } = metaOf(schema)
      if (id === undefined) return fieldsText(schema)
      return declare(
        id,
        schema,
        () => `${docComment('', [description ?? id])}export interface ${id} ${fieldsText(schema)}`,
      )
    }
    if (def.type === 'array') return `${bracketed(textOf(def.element))}[]`
    if (def.type === 'union') return [...new Set(def.options.map(textOf))].join(' | ')
    if (def.type === 'record') return `Record<string, ${textOf(def.valueType)}>`
    if (def.type === 'nullable') return `${textOf(def.innerType)} | null`
    if (def.type === 'optional' || def.type === 'default') return textOf(def.innerType)
    if (
      def.type === 'number' ||
      def.type === 'string' ||
      def.type === 'boolean' ||
      def.type === 'null' ||
      def.type === 'unknown'
    )
      return def.type
    throw new Error(`a ${def.type} has no type that every protocol can express`)
  }

  function fieldsText(schema: Schema): string {
    const def = defOf(schema)
    if (def.type !== 'object') throw new Error('not an object')
    const fields = Object.entries(def.shape).map(([name, field]) => {
      const { optional, description, deprecation } = unwrap(field)
      const text = indented(textOf(field))
      const end = deprecation === undefined ? [] : [`@deprecated ${deprecationText(deprecation)}`]
      const doc = docComment('  ', [...(description === undefined ? [] : [description]), ...end])
      return `${doc}  ${propertyKey(name)}${optional ? '?' : ''}: ${text}${optional ? ' | undefined' : ''}`
    })
    return fields.length === 0 ? noFields : `{\n${fields.join('\n')}\n}`
  }

  return {
    textOf,
    named(name, schema, description) {
      const def = defOf(schema)
      if (def.type !== 'object' || metaOf(schema).id !== undefined || Object.keys(def.shape).length === 0)
        return textOf(schema)
      return declare(
        name,
        schema,
        () => `${docComment('', [description])}export interface ${name} ${fieldsText(schema)}`,
      )
    },
    declarations: () => [...declared.values()].map(({ text }) => text),
  }
}

/** A doc comment of these paragraphs, or nothing. */
export function docComment(indent: string, paragraphs: string[]): string {
  const safe = paragraphs.map((text) => text.replaceAll('*/', '*\\/'))
  if (safe.length === 0) return ''
  if (safe.length === 1) return `${indent}/** ${safe[0]} */\n`
  return `${indent}/**\n${safe.map((text) => `${indent} * ${text}`).join(`\n${indent} *\n`)}\n${indent} */\n`
}

/** The text as a part of an object one level deeper. */
function indented(text: string): string {
  return text.replaceAll('\n', '\n  ')
}

function bracketed(text: string): string {
  return /^[\w$]+(\[\])*$/.test(text) || /^Record<[^|]*>$/.test(text) ? text : `(${text})`
}
