import { grammarOf } from './grammar.ts'

export const german = grammarOf(
  'de',
  {
    sell: 'verkaufe, verkauf, verkaufen, verkaufst, verkauft, veräußere, veräußern, abstoßen, loswerden, losschlagen, verscherbeln, verscherbel, werde los, stoße, verkaufte',
    swap: 'tausche, tausch, tauschen, tauscht, umtauschen, eintauschen, einzutauschen, umzutauschen, zu tauschen, wechsle, wechsel, wechseln, wechsele, umwandeln, umzuwandeln, wandle, wandel, konvertiere, konvertieren, konvertier, swappe, swap, swappen, swapp, schichte, umschichten, eintausche, umtausche, wandele',
    sold: 'getauscht, umgetauscht, eingetauscht, gewechselt, umgewandelt, konvertiert, geswappt',
    pay: 'zahle, zahlen, zahl, bezahle, bezahlen, bezahl, gib, gebe, geben, ausgeben, auszugeben, investiere, investieren, stecke, stecken, nimm, nehmen, hergeben, hinlegen, aufwenden, verwende, verwenden, nutze, nutzen, benutze, setze, setzen, opfere, hinblättern, einsetzen, anlegen, lege, anzulegen',
    buy: 'kaufe, kauf, kaufen, kaufst, kauft, erwerbe, erwerben, besorge, besorg, besorgen, hole, hol, holen, zulegen, zu kaufen, zukaufen, beschaffe, beschaffen, erwirb, gekauft, ordere, ordern, einkaufen',
    get: 'mach, mache, machen, mach mir, bekomme, bekommen, bekommt, bekäme, bekomm, kriege, kriegen, krieg, krieg ich, erhalte, erhalten, erhielte, gibt es, gäbe es, gib mir, geben sie mir, gibst du mir, gibt man mir, springen raus, kommen raus, kommen heraus, rausbekommen, herausbekommen, hätte gern, hätte gerne, haben, hätte ich gern, möchte haben, will haben, rausholen, will ich, möchte ich, zu bekommen, zu erhalten, will, möchte, wünsche mir, wollen, springt raus, kommt raus, bekommst, rauskriegen',
    need: 'brauche, brauchen, braucht, benötige, benötigen, bräuchte, benötigt',
    own: 'habe, besitze, halte, hab',
    cost: 'kostet, kosten, kosten mich, kostet mich, würden kosten',
    yield: 'bringen, bringt, ergeben, ergibt, bringen mir, bringt mir, entsprechen, entspricht, bringen ein',
    be: 'ist, sind, wären, wäre, macht das',
    move: 'sende, senden, schicke, schick, schicken, überweise, überweisen, transferiere, transferieren, bridge, bridgen, stake, staken, verleihe, verleihen, hinterlege, einzahlen, auszahlen',
    to: 'nach, zu, hin zu',
    for: "fürn, für'n, für, fuer, im austausch für, im tausch für",
    against: 'gegen, im tausch gegen, im austausch gegen',
    from: 'aus, von meinen, von meinem, von meiner, aus meinen, aus meinem, mithilfe von, mittels, durch verkauf von, durch den verkauf von, bezahlt mit, zahle mit, bezahle mit, zahlen mit, bezahlen mit, zahlbar in, bezahlt in, finanziert mit, zahl mit, ich zahle in, zahle in, bezahle in, auf kosten von, anhand von, gezahlt in',
    with: 'mit, per, via',
    in: 'in, im',
    of: 'von, an',
    worth: 'im wert von, im gegenwert von, in höhe von, wert von',
    how: 'wie viel, wie viele, wieviel, wieviele, wievel, wie vile',
    what: 'was',
    quote:
      'kurs, preis, quote, angebot, wechselkurs, umrechnung, umrechnungskurs, notierung, kursangebot, preisangebot',
    not: 'storniere, stornieren, abbrechen, abbruch, widerrufe, nicht, kein, keine, keinen, nie, niemals, ohne, außer, statt',
    cut: 'und, wenn, falls, dass, um, damit, weil, aber, sobald, dann, oder, indem, so, daraus, davon',
    mine: 'meine, meinen, meiner, meinem, mein, unsere',
    noise:
      'slippage, bps, pool, pools, lass mal, mal eben, kurz, kurzerhand, gerne mal, komplett, direkt mal, schon, so, nochmal, bitte mal, dafür, hierfür, bitte, ich, du, mir, mich, uns, wir, man, sie, es, das, die, der, den, dem, ein, eine, einen, einem, einer, würde, würdest, würden, könnte, muss, müsste, musst, müssen, darf, dürfte, könnten, könntest, kannst, kann, können, gern, gerne, mal, doch, jetzt, gerade, heute, sofort, gleich, schnell, direkt, etwa, ungefähr, circa, ca, rund, genau, insgesamt, alle, alles, ganze, hallo, hi, hey, moin, servus, guten, tag, morgen, danke, und zwar, derzeit, aktuell, aktuelle, aktuellen, aktueller, momentan, im moment, zurzeit, zum aktuellen kurs, zum marktpreis, zum kurs, welche, welchen, wie, sag, sage, sagen, zeig, zeige, zeigen, nenn, nenne, rechne, berechne, berechnen, wissen, wüsste, wüsste gern, hilf, helfen, brauche ich nicht, lass, lasse, lassen, lasst, soll, sollen, sollte, mag, werde, werden, wird, wert, um ein, um zu, aus dem, noch, nur, etwas, paar, ja, ok, okay, also, mehr, auf, raus, heraus, ab, ein paar, um, los, her, weg, bot, trident, kumpel, auf dem markt, in meinem wallet, aus meinem wallet, wallet, stück, coins, token, tokens, sozusagen, eigentlich, vielleicht, eventuell, zu, dir, ihr, ihnen, für mich, für uns, so viel, mindestens, höchstens, wohl, denn, damit',
  },
  {
    numbers:
      'ein halber 1/2, einen halben 1/2, ein halbes 1/2, eine halbe 1/2, einem halben 1/2, halb 1/2, ein 1, eine 1, eineinhalb 3/2, halben 1/2, halber 1/2, halbe 1/2, halbes 1/2, einen 1, zwei 2, drei 3, vier 4, fünf 5, sechs 6, sieben 7, acht 8, neun 9, zehn 10, zwanzig 20, fünfzig 50, hundert 100, tausend 1000, anderthalb 3/2',
    shares:
      'die hälfte meiner 1/2, die hälfte meines 1/2, die hälfte von meinen 1/2, die hälfte der 1/2, alle meine 1/1, all meine 1/1, meine ganzen 1/1, meine gesamten 1/1, mein ganzes 1/1, sämtliche 1/1',
  },
  true,
)
