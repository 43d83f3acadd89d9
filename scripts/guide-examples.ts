import { readFileSync } from 'node:fs'
import { guideFiles } from '../src/protocols/pages/guides/guides.ts'

/** An example of a guide: a block of code, and what the comment above it says. */
export type Example = {
  /** The guide's name, then the example's. */
  id: string
  language: string
  code: string
  /** `run` in a terminal, `start` a gateway, or `skip`. */
  kind: 'run' | 'start' | 'skip'
  /** Why it is skipped. */
  reason: string
  /** The example in whose terminal it goes on; null where it opens one of its own. */
  after: string | null
  /** A shell command that succeeds where the machine has what the example needs. */
  needs: string | null
  /** Texts that its output must contain. */
  expect: string[]
}

/** Languages that are examples to run; a block in another one shows data or a picture. */
const runnable = ['sh', 'ts', 'js', 'py']

/**
 * The examples of every guide. Above each stands a comment, one of:
 *
 *     <!-- run: NAME; after: GUIDE/NAME; needs: COMMAND; expect: TEXT; expect: TEXT -->
 *     <!-- start: NAME; expect: TEXT -->
 *     <!-- skip: REASON -->
 *
 * Throws an Error that names the guide and the line of a block without one.
 */
export function readExamples(): Example[] {
  return Object.entries(guideFiles).flatMap(([guide, file]) => {
    const text = readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')
    const blocks = [...text.matchAll(/(?:^<!-- (.+) -->\n)?^```(\w+)\n([\s\S]*?)^```$/gm)]
    return blocks
      .filter(([, , language = '']) => runnable.includes(language))
      .map(({ 1: comment, 2: language = '', 3: code = '', index }) => {
        const line = text.slice(0, index).split('\n').length
        if (comment === undefined) throw new Error(`${file}:${line}: say above the example how it is run.`)
        return { language, code, ...markOf(comment, guide, `${file}:${line}`) }
      })
  })
}

function markOf(comment: string, guide: string, place: string): Omit<Example, 'language' | 'code'> {
  const fields = comment.split('; ').map((field) => /^(\w+): (.+)$/.exec(field)?.slice(1) ?? ['', field])
  const [kind = '', name = ''] = fields[0] ?? []
  const values = (key: string) => fields.filter(([one]) => one === key).map(([, value = '']) => value)
  if (kind !== 'run' && kind !== 'start' && kind !== 'skip') throw new Error(`${place}: unknown mark "${comment}".`)
  return {
    id: kind === 'skip' ? place : `${guide}/${name}`,
    kind,
    reason: kind === 'skip' ? name : '',
    after: values('after')[0] ?? null,
    needs: values('needs')[0] ?? null,
    expect: values('expect'),
  }
}
