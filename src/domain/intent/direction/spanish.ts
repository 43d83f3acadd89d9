import { grammarOf } from './grammar.ts'

export const spanish = grammarOf(
  'es',
  {
    sell: 'vende, vender, vendo, vendes, véndeme, vendeme, vendiera, vendiendo, vendería, liquida, liquidar, deshazte de, deshacerme de, vendan, venda, venderme, vendamos, vendí',
    swap: 'cambia, cambiar, cambio, cambiame, cámbiame, cambiarme, cambiando, cambiara, cambiamos, cambie, convierte, convertir, convierteme, conviérteme, convierto, convirtiendo, intercambia, intercambiar, intercambio, canjea, canjear, canjeo, pasa, pasar, pásame, pasame, paso, swapea, swapear, swap, swapeame, transforma, transformar, permuta, permutar, mueve, mover, trocar',
    sold: 'cambiados, cambiado, convertidos, convertido, vendidos, vendido',
    pay: 'paga, pagar, pago, pagando, pagaría, gasta, gastar, gasto, gastando, gastaría, usa, usar, uso, usando, invierte, invertir, invierto, invirtiendo, pon, poner, pongo, mete, meter, da, doy, dar, entrego, entregar, toma, utiliza, utilizar, emplea, emplear, destina, destinar, ofrezco',
    buy: 'me alcanza, me alcanzan, alcanza para, puedo adquirir, compra, comprar, compro, cómprame, comprame, compraría, comprando, comprarme, compre, adquiere, adquirir, adquiero, consigue, conseguir, consígueme, consigueme, consigo, hazte con, hacerme con, compras, comprara, compremos',
    get: 'quedarme con, me quedo con, me quedaría con, hacerme de, recibo, recibir, recibiría, recibe, reciba, recibiré, obtengo, obtener, obtendría, obtendré, me dan, me das, me da, me darían, me darán, me darías, nos dan, dame, deme, quiero, quisiera, querría, deseo, saco, sacaría, sacar, sacaré, tendría, tendré, conseguiría, me llevo, me llevaría, me quedan, me tocan, me entregan, se reciben, me salen, dan, darían, consigo yo, me quedarían, se obtienen, obtenga, me llegan, me caen',
    need: 'necesito, necesitaría, necesito yo, necesitamos, hace falta, hacen falta, me hacen falta, me hace falta, se necesitan, necesitar, preciso',
    own: 'tengo, poseo, mantengo',
    cost: 'cuesta, cuestan, costaría, costarían, cuesta comprar, me cuestan, me cuesta, me costarían, me costaría, valdrían para comprar',
    yield: 'equivalen, equivale, equivalen a, equivale a, rinden, dan por, rendirían, suponen',
    be: 'son, es, serían, sería, valen, vale, está, están, valdrían, valdría, hay',
    move: 'envía, envia, enviar, envíale, envío, manda, mandar, mándale, transfiere, transferir, deposita, depositar, retira, retirar, presta, prestar, stakea, stakear, puentea',
    to: 'a, hacia, hasta tener',
    for: 'x, por, a cambio de, para',
    against: 'contra, frente a',
    from: 'págalos con, págalo con, págala con, págame con, pagándome con, que salgan de, sacándolos de, descontándolos de, descuéntalos de, desde, de mis, de mi, de los, de nuestros, usando mis, pagando con, pago con, paga con, pagado con, pagados con, pagar con, pagando en, pago en, pagaré con, pagadero en, a partir de, mediante, vía, financiado con, a costa de, utilizando, con cargo a, sacándolo de, sacado de, sacados de, pagaría con, pagándolo con, pagándolos con, pagamos con',
    with: 'con',
    in: 'en',
    of: 'de, del',
    worth:
      'por valor de, por un valor de, por importe de, con un valor de, valorado en, valorados en, equivalente a, equivalentes a, el valor de',
    how: 'cuánto, cuántos, cuánta, cuántas, cuanto, cuantos, cuanta, cuantas, qué cantidad, que cantidad, qué cantidad de, que cantidad de',
    quote:
      'cotización, cotizacion, cotiza, cotizar, cotízame, cotizame, precio, presupuesto, tipo de cambio, tasa, tasa de cambio, oferta, valor, estimación, cálculo',
    not: 'cancela, cancelar, anula, anular, deshaz, no, nunca, jamás, ni, sin, excepto, salvo',
    cut: 'y, e, si, cuando, que, porque, pero, luego, entonces, o, mientras, después, y luego, para comprar yo',
    mine: 'mis, mi, nuestros, nuestro',
    noise:
      'slippage, bps, pool, pools, tengo que, hay que, tendría que, tendré que, por favor, porfa, porfavor, me, te, le, lo, los, las, la, el, un, una, unos, unas, se, su, yo, tú, tu, usted, nos, ya, ahora, ahora mismo, hoy, hola, buenas, buenos, días, tardes, oye, puedes, podrías, puede, podría, podrian, puedo, podemos, favor, gracias, gustaría, gustaria, me gustaría, quiero saber, quisiera saber, quiero que, ayuda, ayúdame, ayudame, voy a, vas a, va a, vamos a, necesito saber, necesito que, cerca de, unos cuantos, aproximadamente, alrededor de, más o menos, exactamente, todo, todos, todas, total, en total, más, menos, solo, sólo, qué, cuál, cuáles, cual, cómo, como, dime, decirme, dígame, saber, muéstrame, muestra, mostrar, calcula, calcular, hacer, haz, hazme, haga, hago, tal, bien, vale la, rápido, rápidamente, directamente, inmediatamente, mercado, a mercado, a precio de mercado, al precio actual, al cambio, al cambio actual, en este momento, de momento, actualmente, actual, tokens, token, monedas, moneda, unidades, cartera, de mi cartera, de la cartera, en mi cartera, billetera, mi billetera, de mi billetera, bot, trident, amigo, así, eso, esto, esta, este, ese, esos, estos, ellos, ello, al, ok, okay, sí, quizás, tan, pronto, posible, cuanto antes, lo antes posible, enseguida, un poco de, algo de, cosa de, máximo, mínimo, ganas, de, interesa, me interesa, apetece, de ellos, hace, por ellos, por eso, a ver, ver, venga, anda, deja, puedas, quieres, quiere, desearía, estaría',
  },
  {
    numbers:
      'un medio 1/2, medio 1/2, media 1/2, un 1, uno 1, dos 2, tres 3, cuatro 4, cinco 5, seis 6, siete 7, ocho 8, nueve 9, diez 10, veinte 20, cincuenta 50, cien 100, mil 1000, quinientos 500, doscientos 200',
    shares:
      'la mitad de mis 1/2, la mitad de mi 1/2, la mitad de los 1/2, la mitad del 1/2, todos mis 1/1, todo mi 1/1, todas mis 1/1',
  },
)
