/** What a swap does, in amounts with their symbols. */
export type Deal = { sold: string; received: string; least: string }

/** The line that says what a quote does, in the languages of the intent's grammars. */
const lines: Readonly<Record<string, (deal: Deal) => string>> = {
  en: ({ sold, received, least }) => `You sell ${sold}, you receive about ${received}, at least ${least}.`,
  de: ({ sold, received, least }) => `Du verkaufst ${sold}, du erhältst etwa ${received}, mindestens ${least}.`,
  es: ({ sold, received, least }) => `Vendes ${sold}, recibes aproximadamente ${received}, al menos ${least}.`,
  fr: ({ sold, received, least }) => `Tu vends ${sold}, tu reçois environ ${received}, au moins ${least}.`,
  pt: ({ sold, received, least }) => `Você vende ${sold}, recebe cerca de ${received}, pelo menos ${least}.`,
  it: ({ sold, received, least }) => `Vendi ${sold}, ricevi circa ${received}, almeno ${least}.`,
}

/** The line in English, and in the language of the asker where that is another one. */
export function dealLines(deal: Deal, language: string | null): string {
  const own = language === null || language === 'en' ? undefined : lines[language]
  return [lines.en, own].flatMap((line) => (line === undefined ? [] : [line(deal)])).join(' ')
}
