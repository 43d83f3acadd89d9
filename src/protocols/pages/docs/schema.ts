import { html } from '../page.ts'
import { nameOf, type Schema } from './document.ts'

/** The type of a schema in the notation of TypeScript, as HTML, with a link where the type has a name. */
export function typeText(schema: Schema): string {
  const { $ref, anyOf, contentSchema, additionalProperties, type = 'any' } = schema
  const values = schema.enum ?? (schema.const === undefined ? undefined : [schema.const])
  if ($ref !== undefined) return `<a href="#${html(nameOf($ref))}">${html(nameOf($ref))}</a>`
  if (contentSchema !== undefined) return typeText(contentSchema)
  if (values !== undefined) return values.map((value) => html(JSON.stringify(value))).join(' | ')
  if (anyOf !== undefined) return anyOf.map(typeText).join(' | ')
  if (type === 'array') return `Array&lt;${typeText(schema.items ?? {})}&gt;`
  if (typeof additionalProperties === 'object') return `Record&lt;string, ${typeText(additionalProperties)}&gt;`
  return html([type].flat().join(' | '))
}

/** A table of the fields of an object, or the type of anything else. */
export function schemaBlock(schema: Schema): string {
  const fields = Object.entries(schema.properties ?? {})
  if (fields.length === 0) return `<p><code>${typeText(schema)}</code> ${rules(schema)}</p>`
  const rows = fields.map(([name, field]) => fieldRow(name, schema.required?.includes(name) === true, field))
  return `<table>${rows.join('')}</table>`
}

/** A row with the name, the type and the description of a field. */
export function fieldRow(name: string, required: boolean, { description = '', ...schema }: Schema): string {
  const need = required ? '' : ' (optional)'
  return `<tr><th><code>${html(name)}</code>${need}</th><td>${typeText(schema)}</td><td class="text">${html(description)} ${rules(schema)}</td></tr>`
}

const shownRules = 'format pattern minimum maximum minLength maxLength minItems maxItems default'.split(' ')

/** The rules of a value besides its type, by their JSON Schema names. */
function rules(schema: Schema): string {
  const own = Object.entries(schema).filter(([name]) => shownRules.includes(name))
  return `<small>${own.map(([name, value]) => html(`${name} ${String(value)}`)).join(', ')}</small>`
}
