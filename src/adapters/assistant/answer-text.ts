import { extractReasoningMiddleware, type LanguageModel, wrapLanguageModel } from 'ai'

/** A model whose thoughts, which some write into the answer between tags, are reasoning and no text. */
export function withoutThoughts(model: Exclude<LanguageModel, string>): LanguageModel {
  return wrapLanguageModel({ model, middleware: extractReasoningMiddleware({ tagName: 'think' }) })
}

/** A whole text without thoughts that were not closed, as where it reached its length. The middleware leaves them. */
export function withoutOpenThoughts(text: string): string {
  return text.replace(/<think>.*$/s, '').trim()
}

/** Joins the halves of characters that a model wrote in two pieces. A half that stays alone is none. */
export async function* wholeCharacters(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let half = ''
  for await (const text of texts) {
    const all = half + text
    half = /[\uD800-\uDBFF]$/.exec(all)?.[0] ?? ''
    const whole = all.slice(0, all.length - half.length).toWellFormed()
    if (whole !== '') yield whole
  }
}
