import { grammarOf } from './grammar.ts'

export const italian = grammarOf(
  'it',
  {
    sell: 'vendi, vendere, vendo, vende, venda, vendendo, vendessi, venderei, vendimi, liquida, liquidare, liquido, sbarazzati di, sbarazzarmi di, disfarmi di, liberami di, vendiamo, venderne, cedi, cedere, cedo',
    swap: 'scambia, scambiare, scambio, scambiami, scambiando, scambiassi, scambi, cambia, cambiare, cambio, cambiami, cambiando, cambiassi, converti, convertire, converto, convertimi, convertendo, convertissi, permuta, permutare, trasforma, trasformare, passa, passare, swap, swappa, swappare, swappami, sposta, spostare, sposto, barattare, baratta, conversione di, cambierei, scambierei',
    sold: 'scambiati, scambiato, convertiti, convertito, venduti, venduto, cambiati',
    pay: 'buttare, butta, puntare, punto, paga, pagare, pago, pagando, pagherei, pagherò, spendi, spendere, spendo, spendendo, spenderei, usa, usare, uso, usando, utilizza, utilizzare, utilizzo, investi, investire, investo, investendo, metti, mettere, metto, dai via, do, dare, dia, prendi, impiega, impiegare, sborsare, offro, consegno, cedendo, tira fuori, dò',
    buy: 'compra, comprare, compro, comprami, comprando, comprerei, acquista, acquistare, acquisto, acquistando, acquistami, acquisterei, procurami, procurare, procurarmi, prendimi, compri, acquisti, comprassi, compriamo, ordina, comprarmi',
    get: 'incassare, portare a casa, ritrovarmi con, ricevo, ricevere, riceverei, riceverò, ricevi, ottengo, ottenere, otterrei, otterrò, mi danno, mi dai, mi dà, mi da, mi dia, mi darebbero, mi daresti, mi dareste, mi darete, dammi, datemi, mi dia, voglio, vorrei, desidero, prendo, prenderei, ricavo, ricavare, ricaverei, avrei, avrò, avere, incasso, incasserei, mi spettano, mi fruttano, porto a casa, mi tornano, mi ritrovo, si ottengono, si ricevono, danno, darebbero, guadagno, mi arrivano, mi escono, ci faccio, vogliamo, riceverne',
    need: 'serve, servono, mi serve, mi servono, mi servirebbero, ho bisogno di, avrei bisogno di, ho bisogno, bisogno di, bisogna, occorrono, mi occorrono, necessito, necessito di, ci vogliono, ci vorrebbero, servirebbero, mi occorre, occorre',
    own: 'ho, possiedo, detengo, tengo',
    cost: 'costa, costano, costerebbe, costerebbero, mi costa, mi costano, mi costerebbero, mi costerebbe, vengono a costare',
    yield:
      'rendono, rende, equivalgono, equivale, equivalgono a, equivale a, corrispondono a, corrisponde a, renderebbero, corrispondono',
    be: 'sono, è, sarebbero, sarebbe, valgono, vale, fanno, varrebbero, fa, varrebbe, sta, stanno',
    move: 'invia, inviare, invio, manda, mandare, trasferisci, trasferire, deposita, depositare, preleva, prelevare, ritira, ritirare, presta, prestare',
    to: 'a, ad, verso',
    for: 'x, per, in cambio di, al posto di',
    against: 'contro',
    from: 'pagali con, pagalo con, paga pure con, dal, dai miei, dal mio, dalle, dei miei, del mio, dalla, a partire da, pagando con, pago con, paga con, pagato con, pagati con, pagare con, pagando in, pago in, pagare in, pagato in, pagabile in, tramite, mediante, attraverso, finanziato con, usando i miei, utilizzando, a spese di, da, pagherei con, pagherò con, con i miei, attingendo da, pagandolo con, pagandoli con',
    with: 'coi, con, via',
    in: 'su, sul, in',
    of: 'di, del, dei, degli, delle, della',
    worth:
      'per un valore di, del valore di, dal valore di, per un importo di, pari a, per un controvalore di, per un totale di, un controvalore di, per il valore di, un valore di, controvalore di',
    how: 'quanto, quanti, quanta, quante, qnt, qnti, che quantità di, quale quantità di, che importo di',
    quote: 'quotazione, quota, quotami, quotare, prezzo, preventivo, tasso, tasso di cambio, valore, stima, corso',
    not: 'annulla, annullare, cancella, cancellare, non, mai, senza, né, nessun, nessuno, tranne, eccetto',
    cut: 'e, ed, se, quando, che, perché, ma, poi, allora, quindi, o, mentre, così',
    mine: 'miei, mio, mia, mie, nostri, i miei, il mio',
    noise:
      "slippage, bps, pool, pools, pure, scalali, scalalo, prelevali, pagali, eventualmente, per favore, per piacere, perfavore, ti prego, grazie, mi, ti, si, ci, ne, io, tu, lei, noi, voi, lo, la, le, i, gli, il, un, uno, una, l', adesso, ora, subito, oggi, ciao, salve, buongiorno, buonasera, ehi, puoi, può, potresti, potrebbe, posso, possiamo, potrei, poter, vorrei sapere, voglio sapere, mi piacerebbe, piacerebbe, mi piacerebbe sapere, aiuto, aiutami, aiutami a, mi aiuti, mi aiuti a, circa, più o meno, all'incirca, intorno a, esattamente, tutto, tutti, tutte, tutta, totale, in totale, in tutto, più, meno, solo, soltanto, quale, quali, cosa, che cosa, come, dimmi, dirmi, mi dica, mi dici, sapere, mostra, mostrami, mostrare, calcola, calcolare, calcolami, fare, fai, fammi, facciamo, faccia, veloce, velocemente, direttamente, immediatamente, mercato, al mercato, a mercato, al prezzo di mercato, al prezzo attuale, al cambio attuale, al tasso attuale, in questo momento, al momento, attualmente, attuale, token, tokens, monete, moneta, gettoni, unità, portafoglio, dal mio portafoglio, dal portafoglio, nel mio portafoglio, bot, trident, amico, questo, questi, quello, quelli, questa, essi, loro, ok, okay, sì, forse, possibile, appena possibile, prima possibile, il prima possibile, un po' di, un po, qualche, massimo, minimo, qui, lì, ecco, interessa, mi interessa, in cambio, per essi, con quello, desidererei, intenzione, intenzione di, ho intenzione di, avrei voglia di, voglia di, devo, dovrei, deve, vediamo, vedere, dai, forza, gentilmente, cortesemente, vorrei che, voglio che, vado, andare",
  },
  {
    numbers:
      'mezzo 1/2, mezza 1/2, un 1, uno 1, due 2, tre 3, quattro 4, cinque 5, sei 6, sette 7, otto 8, nove 9, dieci 10, venti 20, cinquanta 50, cento 100, mille 1000, cinquecento 500',
    shares:
      'la metà dei miei 1/2, metà dei miei 1/2, la metà del mio 1/2, metà del mio 1/2, tutti i miei 1/1, tutto il mio 1/1, tutti gli 1/1',
  },
)
