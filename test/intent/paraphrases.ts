/**
 * Requests for a swap in six languages, each with what it means: it is made from its meaning, so that the meaning is known.
 * Nothing here comes from the reader that it tests; the words of the two are written apart.
 */

/** What a request means: `amount` counts the sold or the bought token, as its units or, with `worth`, in USDC. */
export type Meaning = { sold: string; bought: string; amount: string; side: 'sold' | 'bought'; worth: boolean }

export type Paraphrase = { text: string; language: Language; meaning: Meaning }

export const languages = ['en', 'de', 'es', 'fr', 'pt', 'it'] as const
export type Language = (typeof languages)[number]

/**
 * Patterns by language and by what the amount counts. `S` is the sold token, `B` the bought one, `N` the amount; `[a|b|]`
 * is one of its parts. In `worth` the amount is one in USDC.
 */
type Patterns = { sold: readonly string[]; bought: readonly string[]; worth: readonly string[] }

const patterns: Record<Language, Patterns> = {
  en: {
    sold: [
      '[sell|dump|unload] N S for B',
      '[swap|convert|exchange|change|trade] N S [to|into|for] B',
      'turn N S into B',
      '[can you|could you please|please|pls|] [swap|convert] [my|] N S [to|into] B',
      'i [want|would like|wanna|need] to [swap|sell|trade] N S for B',
      'how [much|many] B [do i get|would i get|will i receive|can i get|do you give me] for N S?',
      'how much B would i get if i [sold|swapped|sell] N S',
      'for N S, how much B do i get?',
      'B for N S, what do i get',
      'B 4 N S, what do i get',
      'what is N S [worth|] in B?',
      'how much is N S in B',
      'how much B is N S',
      '[buy|get me|grab|purchase] B [with|using|for] N S',
      '[use|spend] N S to [buy|get] B',
      'spend N S on B',
      'pay N S for B',
      'from N S to B',
      'N S [to|into|->|=>|→|in] B',
      '[quote|price|rate]: N S [to|into] B',
      'B <- N S',
      'i have N S and want B',
      "i've got N S, [swap|convert] it to B",
      'i need B, take N S',
      'take N S and give me B',
      'sell N S and buy B',
      'quote for N S to B',
      'get me a quote for N S to B please',
      'how much B does N S buy?',
      'give me B for N S',
      'if i sell N S, how much B do i get?',
      'move N S into B',
    ],
    bought: [
      '[buy|purchase|acquire|grab] N B [with|using|for|from] [my|] S',
      '[buy|get] me N B with S',
      'i [need|want] N B, [pay with|paid from|paying with|take] S',
      'i want to buy N B with S',
      'how much S do i need [for|to buy|to get] N B?',
      'how much S [does|would] N B cost?',
      'what does N B cost in S?',
      'how many S do i have to pay to get N B',
      'sell S for N B',
      'swap S [for|to|into] N B',
      'sell some S to get N B',
      'N B [out of|outta|from] my S',
      'use S to buy N B',
      'S -> N B',
      'N B <- S',
      'i want N B for my S',
      'get N B from my S',
      'pay for N B with S',
    ],
    worth: [
      'buy N USDC worth of B with S',
      'sell N USDC worth of S for B',
      'swap N USDC worth of S to B',
      'i want N USDC worth of B for my S',
      'sell S worth N USDC for B',
      'buy B worth N USDC with S',
    ],
  },
  de: {
    sold: [
      '[verkaufe|verkauf] N S [für|gegen] B',
      '[tausche|tausch|wechsle] N S [in|gegen] B',
      '[kannst du|könntest du|würdest du] [bitte|] N S in B [tauschen|umtauschen|wechseln|umwandeln]',
      'ich [möchte|will|würde gern] N S [in|gegen] B tauschen',
      'ich [möchte|will] N S für B verkaufen',
      '[wie viel|wieviel|wie viele] B [bekomme|kriege|erhalte] ich für N S?',
      'wie viel B würde ich für N S bekommen',
      'für N S, wie viel B bekomme ich?',
      'wenn ich N S verkaufe, wie viel B bekomme ich?',
      'wie viel B bekomme ich, wenn ich N S [verkaufe|tausche]?',
      'was [bekomme|kriege] ich für N S in B?',
      'wie viel [sind|ist] N S in B?',
      'wie viel B sind N S wert?',
      '[kaufe|kauf] B [mit|für] N S',
      'kaufe für N S B',
      'ich will für N S B kaufen',
      'mit N S B kaufen',
      'nimm N S und kaufe B',
      'N S in B [umtauschen|tauschen|]',
      'N S [->|=>|→] B',
      'B <- N S',
      'gib mir B für N S',
      'ich habe N S und will B',
      'ich brauche B, nimm N S',
      'B für N S, was bekomme ich',
      'investiere N S in B',
      'gib N S für B aus',
      'zahle N S für B',
      'konvertiere [bitte|] N S zu B',
    ],
    bought: [
      '[kaufe|kauf|besorge] N B [mit|für] S',
      'kaufe N B mit meinen S',
      'ich möchte N B mit S kaufen',
      'ich brauche N B, [bezahle mit|nimm] S',
      'wie viel S [kosten|kostet] N B?',
      'wie viel S brauche ich für N B?',
      'wie viel S muss ich für N B [zahlen|ausgeben]?',
      'was kosten N B in S?',
      '[tausche|wechsle] S in N B',
      'verkaufe S für N B',
      'ich will N B aus meinen S',
      'N B <- S',
      'S -> N B',
      'hol mir N B mit S',
    ],
    worth: [
      'verkaufe S im Wert von N USDC für B',
      'kaufe B im Wert von N USDC mit S',
      'tausche S im Wert von N USDC in B',
    ],
  },
  es: {
    sold: [
      '[vende|véndeme] N S por B',
      '[cambia|convierte|intercambia|pasa] N S a B',
      '[cambia|canjea] N S por B',
      '[puedes|podrías] [cambiar|convertir] N S a B [por favor|]',
      'quiero [cambiar|vender|convertir] N S por B',
      'me gustaría cambiar N S por B',
      '[cuánto|cuanto|cuántos|cuantos] B [me dan|recibo|obtengo|recibiría] por N S?',
      '¿Cuántos B puedo comprar con N S?',
      'si vendo N S, ¿cuántos B recibo?',
      '¿cuántos B recibo si [vendo|cambio] N S?',
      'por N S, ¿cuántos B me dan?',
      '¿cuánto son N S en B?',
      '¿cuánto valen N S en B?',
      '[compra|cómprame] B con N S',
      'usa N S para comprar B',
      'gasta N S en B',
      'invierte N S en B',
      'tengo N S y quiero B',
      'necesito B, toma N S',
      'N S a B',
      'N S -> B',
      'B <- N S',
      'dame B por N S',
      'B por N S, ¿cuánto me dan?',
      'de N S a B',
      'cotiza N S a B',
    ],
    bought: [
      '[compra|cómprame|consigue] N B con S',
      'quiero comprar N B con [mis|] S',
      'compra N B pagando con S',
      'necesito N B, [paga con|usa|toma] S',
      '¿cuántos S cuestan N B?',
      '¿cuántos S necesito para [comprar|] N B?',
      '¿cuántos S tengo que pagar por N B?',
      '¿cuánto cuestan N B en S?',
      'vende S por N B',
      'cambia S por N B',
      'quiero N B a cambio de S',
      'dame N B por mis S',
      'N B <- S',
      'S -> N B',
    ],
    worth: ['vende S por valor de N USDC por B', 'compra B por valor de N USDC con S', 'compra N USDC de B con S'],
  },
  fr: {
    sold: [
      '[vends|vendre] N S [pour|contre] B',
      '[échange|change|troque] N S contre B',
      '[convertis|échange] N S en B',
      '[peux-tu|pouvez-vous] [échanger|convertir] N S en B [svp|s’il te plaît|]',
      'je [veux|voudrais|souhaite] [échanger|vendre] N S contre B',
      'combien de B [je reçois|je peux avoir|on me donne|j’obtiens] pour N S ?',
      'combien de B pour N S ?',
      "combien d'B pour N S ?",
      'si je vends N S, combien de B je reçois ?',
      'combien de B je reçois si je vends N S ?',
      'pour N S, combien de B ?',
      'combien [valent|font] N S en B ?',
      'combien vaut N S en B ?',
      '[achète|achète-moi] B avec N S',
      'achète B pour N S',
      'utilise N S pour acheter B',
      'dépense N S en B',
      'investis N S dans B',
      "j'ai N S et je veux B",
      "j'ai besoin de B, prends N S",
      'N S en B',
      'N S -> B',
      'B <- N S',
      'donne-moi B pour N S',
      'passe N S en B',
    ],
    bought: [
      '[achète|achète-moi|acheter] N B avec [mes|] S',
      'je [veux|voudrais] acheter N B avec S',
      'achète N B en payant avec S',
      "j'ai besoin de N B, [paie avec|prends|utilise] S",
      'combien de S coûtent N B ?',
      'combien de S me faut-il pour N B ?',
      'combien de S dois-je payer pour N B ?',
      'combien coûtent N B en S ?',
      'vends S pour N B',
      'échange S contre N B',
      'je veux N B en échange de S',
      'donne-moi N B contre mes S',
      'N B <- S',
      'S -> N B',
    ],
    worth: [
      'vends S pour une valeur de N USDC contre B',
      "achète B d'une valeur de N USDC avec S",
      'achète N USDC de B avec S',
    ],
  },
  pt: {
    sold: [
      '[vende|venda] N S por B',
      '[troca|troque|converte|converta] N S [por|para] B',
      '[podes|pode|poderia] [trocar|converter] N S [por|para] B [por favor|]',
      '[quero|gostaria de] [trocar|vender|converter] N S por B',
      '[quanto|quantos] B [recebo|me dão|obtenho|receberia|ganho] por N S?',
      'quantos B consigo comprar com N S?',
      'se eu vender N S, quantos B recebo?',
      'quantos B recebo se [vender|trocar] N S?',
      'por N S, quantos B recebo?',
      'quanto são N S em B?',
      'quanto valem N S em B?',
      '[compra|compre] B com N S',
      'usa N S para comprar B',
      '[gasta|investe] N S em B',
      'tenho N S e quero B',
      'preciso de B, usa N S',
      'N S para B',
      'N S -> B',
      'B <- N S',
      'me dá B por N S',
      'B por N S, quanto recebo?',
      'passa N S para B',
    ],
    bought: [
      '[compra|compre|me compra] N B com S',
      'quero comprar N B com [meus|] S',
      'compra N B pagando com S',
      'preciso de N B, [paga com|usa] S',
      'quantos S custam N B?',
      'quantos S preciso para [comprar|] N B?',
      'quantos S tenho de pagar por N B?',
      'quanto custam N B em S?',
      '[vende|troca] S por N B',
      'quero N B em troca de S',
      'me dá N B pelos meus S',
      'N B <- S',
      'S -> N B',
    ],
    worth: ['vende S no valor de N USDC por B', 'compra B no valor de N USDC com S', 'compra N USDC de B com S'],
  },
  it: {
    sold: [
      '[vendi|vendere] N S per B',
      '[scambia|cambia] N S [con|per] B',
      '[converti|cambia] N S in B',
      '[puoi|potresti] [convertire|cambiare] N S in B [per favore|]',
      '[voglio|vorrei] [scambiare|vendere|convertire] N S per B',
      '[quanto|quanti] B [ricevo|ottengo|mi danno|mi dai|riceverei] per N S?',
      'quanti B posso comprare con N S?',
      'se vendo N S, quanti B ricevo?',
      'quanti B ricevo se [vendo|scambio] N S?',
      'per N S, quanti B ricevo?',
      'quanto [fanno|valgono] N S in B?',
      '[compra|comprami|acquista] B con N S',
      'usa N S per comprare B',
      '[spendi|investi] N S in B',
      'ho N S e voglio B',
      'mi serve B, prendi N S',
      'N S in B',
      'N S -> B',
      'B <- N S',
      'dammi B per N S',
      'B per N S, quanto ricevo?',
    ],
    bought: [
      '[compra|comprami|acquista] N B con [i miei|] S',
      '[voglio|vorrei] comprare N B con S',
      'compra N B pagando con S',
      'mi servono N B, [paga con|usa] S',
      'quanti S costano N B?',
      'quanti S mi servono per [comprare|] N B?',
      'quanti S devo pagare per N B?',
      'quanto costano N B in S?',
      'vendi S per N B',
      'scambia S con N B',
      'voglio N B in cambio di S',
      'dammi N B per i miei S',
      'N B <- S',
      'S -> N B',
    ],
    worth: ['vendi S per un valore di N USDC per B', 'compra B del valore di N USDC con S', 'compra N USDC di B con S'],
  },
}

/** Names by which people call the tokens of the vocabulary. */
const names: Record<string, readonly string[]> = {
  ETH: ['ETH', 'eth', 'Eth', 'ether'],
  WETH: ['WETH', 'weth'],
  USDC: ['USDC', 'usdc'],
  WBTC: ['WBTC', 'wbtc', 'bitcoin'],
}

export type Random = () => number

function pick<T>(random: Random, items: readonly T[]): T {
  return items[Math.floor(random() * items.length)] as T // there is at least one
}

/** An amount as text of its language, with its value. No amount is ambiguous in its language. */
function amountIn(random: Random, language: Language): { text: string; value: string } {
  const comma = language !== 'en'
  const point = comma ? ',' : '.'
  const group = comma ? '.' : ','
  const [a, b, c] = [1, 2, 3].map(() => 1 + Math.floor(random() * 9)) as [number, number, number]
  return pick(random, [
    { text: `${a}`, value: `${a}` },
    { text: `${a}${b}`, value: `${a}${b}` },
    { text: `${a}00`, value: `${a}00` },
    { text: `0${point}${a}`, value: `0.${a}` },
    { text: `0.${a}`, value: `0.${a}` },
    { text: `0${point}${a}${b}${c}`, value: `0.${a}${b}${c}` },
    { text: `${a}${point}${b}`, value: `${a}.${b}` },
    { text: `${a}${point}${b}${c}`, value: `${a}.${b}${c}` },
    { text: `${a}${group}500${point}${b}${c}`, value: `${a}500.${b}${c}` },
    { text: `${a} 500`, value: `${a}500` },
    { text: `${a}'500`, value: `${a}500` },
    { text: `${a}k`, value: `${a}000` },
    ...(language === 'en' ? [{ text: `${a},500`, value: `${a}500` }] : []),
  ])
}

/** The longer words that a typo may hit. */
const mayBeMistyped = /^\p{L}{6,}$/u

/** Swaps two neighbouring letters inside a word. */
function mistyped(random: Random, text: string): string {
  const words = text.split(' ')
  const places = words.flatMap((word, at) => (mayBeMistyped.test(word) ? [at] : []))
  if (places.length === 0) return text
  const at = pick(random, places)
  const word = words[at] ?? ''
  const from = 1 + Math.floor(random() * (word.length - 3))
  words[at] = `${word.slice(0, from)}${word[from + 1]}${word[from]}${word.slice(from + 2)}`
  return words.join(' ')
}

/** One request and its meaning. */
export function paraphrase(random: Random): Paraphrase {
  const language = pick(random, languages)
  const kind = pick(random, ['sold', 'sold', 'sold', 'bought', 'bought', 'worth'] as const)
  const [sold, bought] = pick(random, [
    ['ETH', 'USDC'],
    ['USDC', 'ETH'],
    ['WETH', 'USDC'],
    ['USDC', 'WETH'],
    ['WBTC', 'USDC'],
    ['USDC', 'WBTC'],
    ['ETH', 'WBTC'],
    ['WBTC', 'ETH'],
  ] as const)
  const usable = kind === 'worth' && (sold === 'USDC' || bought === 'USDC') ? 'sold' : kind
  const pattern = pick(random, patterns[language][usable])
  const { text: amount, value } = amountIn(random, language)
  const written: Record<string, string> = {
    S: pick(random, names[sold] ?? []),
    B: pick(random, names[bought] ?? []),
    N: amount,
  }
  const chosen = pattern.replace(/\[([^\]]*)\]/g, (_whole, parts: string) => pick(random, parts.split('|')))
  const worded = random() < 0.1 ? mistyped(random, chosen) : chosen
  const plain = worded.replace(/(?<![\p{L}\p{N}])([SBN])(?![\p{L}\p{N}])/gu, (name) => written[name] ?? name)
  const text = random() < 0.2 ? plain.charAt(0).toUpperCase() + plain.slice(1) : plain
  const side =
    usable === 'worth'
      ? /N USDC (worth of|de|di) B|B (worth|im|por|d'|no|del)/.test(pattern)
        ? 'bought'
        : 'sold'
      : usable
  return {
    text: text.replaceAll(/ +/g, ' ').trim(),
    language,
    meaning: { sold, bought, amount: value, side, worth: usable === 'worth' },
  }
}
