import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isLookedUp, keyOf } from '../../src/domain/intent/reading/words.ts'

const root = join(import.meta.dirname, '../..')
const folder = 'src/domain/intent/words'

/** The languages of the word lists, English first. */
export const languages = ['en', 'de', 'es', 'fr', 'pt', 'it'] as const

/** The phrases of a list by their class, in the order of the list. */
export type Words = Record<string, string[]>

/** Reads a word list, with the phrases of questions and times as they are looked up: `phrase  class` on each line; empty lines and those that begin with `#` say nothing. */
export function wordsOf(text: string, name: string): Words {
  const words = new Map<string, Set<string>>()
  const lines = new Set<string>()
  const asked = new Map<string, string>()
  for (const [index, line] of text.split('\n').entries()) {
    if (line === '' || line.startsWith('#')) continue
    const refuse = (why: string) => new Error(`${name}:${index + 1}: ${why}`)
    const [phrase = '', kind = '', ...rest] = line.split('  ')
    if (phrase === '' || kind === '' || rest.length > 0 || `${phrase}${kind}`.includes(','))
      throw refuse(`write a phrase, two spaces and its class, not "${line}"`)
    if (lines.has(line)) throw refuse(`"${line}" is there twice`)
    lines.add(line)
    const key = isLookedUp(kind) ? keyOf(phrase) : phrase
    const known = kind.startsWith('asks ') ? asked.get(key) : undefined
    if (known !== undefined && known !== kind) throw refuse(`"${phrase}" is "${known}" already; it asks one thing`)
    if (kind.startsWith('asks ')) asked.set(key, kind)
    words.set(kind, (words.get(kind) ?? new Set()).add(key))
  }
  return Object.fromEntries([...words].map(([kind, phrases]) => [kind, [...phrases]]))
}

/** A kind of question: the sets of classes that ask it, and those that may and may not stand beside them. */
export type Kind = { any: string[]; may: string; not: string }

/** Classes of words that are in no list: names of things, numbers, times, and words without a meaning. */
const namedClasses = 'token chain protocol address transaction execution bitcoin number time name'.split(' ')

/** Classes that say nothing of what is asked, or only how. Every other class has to be one of a kind of question. */
const formalClasses =
  'filler in what show now dollars hold pronoun follow size how when amount count total can claim set mine before'.split(
    ' ',
  )

/** Throws where a class of a list is one that nothing reads. */
function checkClasses(classes: ReadonlySet<string>, kinds: Readonly<Record<string, Kind>>): void {
  const words = Object.values(kinds).flatMap(({ any, may, not }) =>
    [...any, may, not].flatMap((part) => part.split(/[ |]/)),
  )
  const read = new Set([...words, ...formalClasses])
  const strange = [...classes].find((one) => !read.has(one) && !one.startsWith('currency '))
  if (strange !== undefined) throw new Error(`${folder}: no kind of questions.txt reads the class "asks ${strange}"`)
}

/** Reads the kinds of questions; every class of theirs is one of a list, or of the named ones. */
export function kindsOf(text: string, name: string, classes: ReadonlySet<string>): Record<string, Kind> {
  const kinds: Record<string, Kind> = {}
  let kind: Kind | undefined
  for (const [index, line] of text.split('\n').entries()) {
    if (line === '' || line.startsWith('#')) continue
    const [, part, words = ''] = /^ {2}(any|may|not) (.+)$/.exec(line) ?? []
    const strange = words.split(/[ |]/).find((one) => one !== '' && !classes.has(one) && !namedClasses.includes(one))
    if (strange !== undefined) throw new Error(`${name}:${index + 1}: no list has a word of the class ${strange}`)
    if (part === undefined) {
      kind = { any: [], may: '', not: '' }
      kinds[line] = kind
    } else if (kind === undefined) throw new Error(`${name}:${index + 1}: write the kind before what asks it`)
    else if (part === 'any') kind.any.push(words)
    else kind[part === 'may' ? 'may' : 'not'] = words
  }
  return kinds
}

/** Reads the sentences of a language: `key: sentence` on each line. The space behind the colon is no part of it. */
export function sentencesOf(text: string, name: string): Record<string, string> {
  const sentences: Record<string, string> = {}
  for (const [index, line] of text.split('\n').entries()) {
    if (line === '' || line.startsWith('#')) continue
    const [, key, sentence] = /^([a-z_.]+): (.+)$/.exec(line) ?? []
    if (key === undefined || sentence === undefined || key in sentences)
      throw new Error(`${name}:${index + 1}: write a key that is not there yet, a colon and a sentence, not "${line}"`)
    sentences[key] = sentence
  }
  return sentences
}

/** The sentences of all languages as a module, by the path of its file. */
export function sentencesFile(): [string, string] {
  const from = 'src/domain/chat/sentences'
  const lists = languages.map((language) => {
    const path = `${from}/${language}.txt`
    const rows = Object.entries(sentencesOf(readFileSync(join(root, path), 'utf8'), path)).map(
      ([key, sentence]) => `    ${JSON.stringify(key)}: ${JSON.stringify(sentence)},\n`,
    )
    return `  ${language}: {\n${rows.join('')}  },\n`
  })
  const header = `// generated by npm run generate from ${from}; do not edit\n`
  const says = '/** What the assistant says in each language, by the key of the sentence. */\n'
  return ['generated/intent/sentences.ts', `${header}${says}export const sentences = {\n${lists.join('')}} as const\n`]
}

/** The word lists of all languages and the kinds of questions as a module, by the path of its file. */
export function wordsFile(): [string, string] {
  const lists = languages.map((language) => {
    const path = `${folder}/${language}.txt`
    return [language, wordsOf(readFileSync(join(root, path), 'utf8'), path)] as const
  })
  const asked = lists.flatMap(([, words]) => Object.keys(words)).filter((kind) => kind.startsWith('asks '))
  const path = `${folder}/questions.txt`
  const classes = new Set(asked.map((kind) => kind.slice('asks '.length)))
  const kinds = kindsOf(readFileSync(join(root, path), 'utf8'), path, classes)
  checkClasses(classes, kinds)
  const parts = lists.map(([language, words]) => {
    const rows = Object.entries(words).map(
      ([kind, phrases]) => `    ${JSON.stringify(kind)}: ${JSON.stringify(phrases.join(', '))},\n`,
    )
    return `  ${language}: {\n${rows.join('')}  },\n`
  })
  const rows = Object.entries(kinds).map(([kind, rule]) => `  ${kind}: ${JSON.stringify(rule)},\n`)
  const type = `Readonly<Record<${languages.map((name) => `'${name}'`).join(' | ')}, Readonly<Record<string, string>>>>`
  const text = [
    `// generated by npm run generate from ${folder}; do not edit\n`,
    '/** The phrases of each language by their class, separated by commas. */\n',
    `export const words: ${type} = {\n${parts.join('')}}\n`,
    '/** The kinds of questions, the more special ones first. */\n',
    `export const kinds = {\n${rows.join('')}}\n`,
  ]
  return ['generated/intent/words.ts', text.join('')]
}
