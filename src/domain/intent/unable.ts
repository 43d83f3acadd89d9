/** What a text asks for that the gateway cannot do; it must never be taken for a swap at once. */
export type Unable = 'stop_loss' | 'limit' | 'condition' | 'schedule' | 'bridge' | 'transfer'

/** Characters of a text that are read. */
const mostCharacters = 20_000

/** One of the words, whole, of any language. */
const word = (...words: string[]) => `(?<![\\p{L}\\p{N}])(?:${words.join('|')})(?![\\p{L}\\p{N}])`
/** Up to sixty characters between two parts of one sentence. */
const near = '(?:[^.?!;]{0,60}?)'

const moves = word(
  'drops?|falls?|dips?|hits?|reach(?:es)?|rises?|climbs?|crash(?:es)?|goes|gets to|trades (?:at|below|above)|is at|below|under|above|over|touches|breaks',
  'fällt|steigt|sinkt|erreicht|unter|über|klettert|auf \\d[\\d.,]* (?:steigt|fällt)|rutscht|knackt',
  'baja|baje|sube|suba|(?<!me )cae|caiga|llega|llegue|alcanza|alcance|supera|supere|toca|toque|por debajo|por encima|esté|rompe',
  'tombe|baisse|descend|monte|atteint|dépasse|passe|chute|touche|sous|au-dessus|en dessous',
  'cair|cai|caia|subir|sobe|chegar|chega|atingir|atinge|descer|desce|passar|passa|baixar|baixa|abaixo|acima|bater|bate|estiver',
  'scende|scenda|sale|salga|raggiunge|raggiunga|arriva|arrivi|supera|superi|tocca|tocchi|cala|cali|sotto|sopra|crolla',
)
const whens = word(
  'when|whenever|once|if|as soon as|should|until|unless|in case',
  'wenn|falls|sobald|sollte|ab wann',
  'cuando|si|en cuanto|apenas|una vez que|tan pronto como|siempre que',
  'quand|lorsque|si|dès que|dès qu|une fois que|aussitôt que',
  'quando|se|assim que|logo que|caso|mal',
  'quando|se|appena|non appena|qualora|nel caso',
)
const days =
  'mondays?|tuesdays?|wednesdays?|thursdays?|fridays?|saturdays?|sundays?|montags?|dienstags?|mittwochs?|donnerstags?|freitags?|samstags?|sonntags?|lunes|martes|miércoles|jueves|viernes|sábados?|domingos?|lundis?|mardis?|mercredis?|jeudis?|vendredis?|samedis?|dimanches?|segundas?|terças?|quartas?|quintas?|sextas?|lunedì|martedì|mercoledì|giovedì|venerdì|sabato|domenica'

const patterns: readonly [Unable, RegExp][] = (
  [
    [
      'stop_loss',
      `stop[\\s-]?loss|stop[\\s-]?order|trailing[\\s-]stop|take[\\s-]?profit|stoploss|stop de pérdidas|verlustbegrenzung`,
    ],
    [
      'limit',
      [
        word(
          'limit[\\s-]?(?:order|buy|sell|price|preis|kauf|verkauf)s?',
          'limit(?:order|preis|kauf)?s?(?! slippage)',
          'orden(?:es)? l[ií]mite',
          'ordres? (?:à cours )?limit[eé]',
          'ordini? (?:con )?limite?',
          'ordem limit(?:e|ada)',
          'límite',
          'limitada',
          'limite',
        ),
        `${word('buy|sell|swap|purchase|dump')}${near}(?:${word('at')}|@)\\s*\\$?\\d(?![\\d.,]*\\s*(?:%|bps|percent|slippage))`,
      ].join('|'),
    ],
    ['limit', '^\\s*(?:at|@|a|à|zu|bei)\\s*\\$?\\d'],
    ['condition', `${whens}${near}${moves}`],
    [
      'schedule',
      [
        word(
          'remind|alert me|let me know|schedul\\p{L}*|recuérdame|recordame|lembra|lembre|ricordami|rappelle|erinnere|in the (?:morning|evening|afternoon)|this (?:morning|evening|afternoon|week|weekend|month)|in (?:january|february|march|april|may|june|july|august|september|october|november|december)|hoje (?:de|à) (?:tarde|noite)|de noite|um dia|questa sera|di sera|à \\d+ ?h',
        ),
        word(
          'daily|weekly|monthly|hourly|dca|dollar[\\s-]cost|recurring|tomorrow|tonight|later|at midnight|at noon|per (?:day|week|month|hour)|in (?:an?|a few|half an|\\d+) (?:min(?:ute)?s?|hours?|days?|weeks?)|every \\d+ (?:minutes|hours|days|weeks)|next (?:week|month|monday|friday)|in \\d+ (?:minutes|hours|days|weeks)',
        ),
        word(
          `(?:every|each|jeden|jede|jedes|cada|chaque|ogni|toda|todo|todos los|todas las|todos os|todas as|tous les|toutes les|tutti i|tutte le)(?: \\p{L}+)? (?:days?|weeks?|months?|hours?|mornings?|nights?|tag|woche|monat|stunde|morgen|abend|días?|semanas?|mes(?:es)?|horas?|mañanas?|jours?|semaines?|mois|heures?|matins?|dias?|mês|manhãs?|giorn[oi]|settiman[ae]|mes[ei]|or[ae]|mattin[ae]|${days})`,
        ),
        word(`(?:every|each|jeden|cada|chaque|ogni|toda|tous les|todos los|todas as|immer|on) (?:${days})`),
        word(
          'jeden (?:ersten|letzten|\\d+\\.)|täglich|wöchentlich|monatlich|stündlich|diariamente|semanalmente|mensualmente|mensalmente|a diario|quotidiennement|quotidien|hebdomadaire|mensuel|automatiquement chaque|quotidianamente|settimanalmente|mensilmente|(?<!por la )mañana|(?<!guten )(?<!jeden )morgen(?! früh)|später|heute (?:abend|nacht)|más tarde|luego más tarde|esta (?:tarde|noche)|plus tard|ce soir|cette nuit|mais tarde|hoje à noite|esta noite|più tardi|stasera|stanotte|amanha|demain|amanhã|domani|sparplan|nächste woche|nächsten (?:monat|montag)',
        ),
      ].join('|'),
    ],
    [
      'bridge',
      [
        word('bridge|bridging|bridged|bridgen|bridgea|bridger|brücke|puentea|puentear|puente|passerelle|ponte'),
        `${word('to|onto|over to|auf|nach|zu|a|hacia|vers|sur|para|pra|verso|su')} (?:(?:the|la|il|le|das|red|rede|rete|réseau|netzwerk|network|chain) ){0,2}${word('arbitrum|optimism|polygon|solana|mainnet|avalanche|bsc|base|linea|zksync|scroll')}`,
      ].join('|'),
    ],
  ] as const
).map(([kind, source]): [Unable, RegExp] => [kind, new RegExp(source, 'iu')])

/** The first thing in a text that the gateway cannot do; null where there is none. Transfers are not here: their verbs tell them. */
export function unableIn(text: string): Unable | null {
  const read = text.slice(0, mostCharacters).replaceAll('’', "'")
  return patterns.find(([, pattern]) => pattern.test(read))?.[0] ?? null
}

const sentences: Record<Unable, string> = {
  stop_loss: 'I cannot place stop-loss or take-profit orders: every swap is made at once, at the price of the moment.',
  limit: 'I cannot place limit orders: every swap is made at once, at the price of the moment.',
  condition: 'I cannot wait for a price or an event: every swap is made at once, at the price of the moment.',
  schedule: 'I cannot trade later or repeat a trade: every swap is made at once.',
  bridge: 'I cannot move tokens to another chain: I swap tokens on one chain.',
  transfer: 'I cannot send, stake or lend tokens: I swap them within your own wallet.',
}

/** Says what the gateway cannot do, and what it can instead. */
export function unableText(kind: Unable): string {
  const instead =
    kind === 'bridge'
      ? 'The guide of the bridge shows how to move ether between the chains here.'
      : kind === 'transfer'
        ? 'Export the wallet to use it elsewhere, or ask for a swap, for example "swap 1 WETH to USDC".'
        : 'Ask for a price and a quote when you want to trade, for example "swap 1 WETH to USDC".'
  return `${sentences[kind]} Nothing is quoted. ${instead}`
}
