import {
  extractReasoningMiddleware,
  type LanguageModel,
  type LanguageModelMiddleware,
  type ModelMessage,
  wrapLanguageModel,
} from 'ai'

/** Marks reasoning that a server sends in a field of its own. */
const ofField = { trident: { ofField: true } }

const markReasoning: LanguageModelMiddleware = {
  wrapStream: async ({ doStream }) => {
    const { stream, ...rest } = await doStream()
    type Part = typeof stream extends ReadableStream<infer T> ? T : never
    const marks = new TransformStream<Part, Part>({
      transform(part, controller) {
        const isStart = part.type === 'reasoning-start'
        controller.enqueue(isStart ? { ...part, providerMetadata: { ...part.providerMetadata, ...ofField } } : part)
      },
    })
    return { ...rest, stream: stream.pipeThrough(marks) }
  },
}

/** A model whose thoughts, which some write into the answer between tags, are reasoning and no text. */
export function withoutThoughts(model: Exclude<LanguageModel, string>): LanguageModel {
  return wrapLanguageModel({ model, middleware: [extractReasoningMiddleware({ tagName: 'think' }), markReasoning] })
}

/**
 * A message as the model receives it back: without thoughts from between tags, for its server knows no field for them.
 * Reasoning that a server sends in a field of its own it may want back.
 */
export function sentBack(message: ModelMessage): ModelMessage {
  if (message.role !== 'assistant' || typeof message.content === 'string') return message
  const content = message.content.filter(
    (part) => part.type !== 'reasoning' || part.providerOptions?.trident !== undefined,
  )
  return { ...message, content }
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
