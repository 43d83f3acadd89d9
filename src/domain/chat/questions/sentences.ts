import { sentences } from '../../../../generated/intent/sentences.ts'
import type { Language } from '../../intent/question/word-list.ts'

/** The key of a sentence. */
export type Sentence = keyof typeof sentences.en

/** A sentence in a language, or in English where that language lacks it, with its values. */
export function say(language: Language, key: Sentence, values: Readonly<Record<string, string | number>> = {}): string {
  const own: Partial<Record<Sentence, string>> = sentences[language]
  return (own[key] ?? sentences.en[key]).replaceAll(/\{(\w+)\}/g, (_whole, name: string) => String(values[name] ?? '?'))
}

export function isSentence(key: string): key is Sentence {
  return key in sentences.en
}
