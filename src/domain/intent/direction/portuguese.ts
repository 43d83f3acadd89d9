import { grammarOf } from './grammar.ts'

export const portuguese = grammarOf(
  'pt',
  {
    sell: 'vende, vender, vendo, venda, vendes, vendendo, vendesse, venderia, liquida, liquidar, liquide, desfazer de, me desfazer de, vendam, vendamos, venda - me, vende - me',
    swap: 'virar, vira, vire, transforme, troca, trocar, troco, troque, trocando, trocasse, trocamos, converte, converter, converta, converto, convertendo, convertesse, permuta, permutar, cambia, cambiar, câmbio de, passa, passar, passe, swap, swapa, swapar, transforma, transformar, transforme, mude, mudar, muda, troca - me, trocarmos, trocar - me',
    sold: 'trocados, trocado, convertidos, convertido, vendidos, vendido',
    pay: 'bota, botar, joga, jogar, colocar, paga, pagar, pago, pague, pagando, pagaria, gasta, gastar, gasto, gaste, gastando, gastaria, usa, usar, use, uso, usando, investe, investir, invista, invisto, investindo, coloca, colocar, coloque, põe, pôr, dou, dar, entrego, entregar, pega, pegue, pegar, utiliza, utilizar, utilize, aplica, aplicar, aplique, ofereço, desembolsar, tira, mete, meter, preciso pagar, preciso gastar, preciso dar',
    buy: 'arruma, me arruma, arrumar, me arranja, me vê, compra, comprar, compro, compre, comprando, compraria, compra - me, compre - me, me compra, me compre, adquira, adquirir, adquiro, adquire, arranja, arranjar, arranja - me, arranje, comprarmos, compras, comprem, comprasse',
    get: 'recebo, receber, receberia, recebe, receberei, receba, obtenho, obter, obteria, obterei, ganho, ganharia, ganhar, me dão, me dá, me dás, me dariam, me dê, dá - me, dê - me, dão - me, dá me, quero, queria, quereria, gostaria de ter, gostaria de receber, desejo, consigo, conseguiria, conseguir, consigo ter, teria, terei, tiro, tiraria, tirar, levo, levaria, fico com, ficaria com, me rendem, me dariam, pego em, quero ter, dão, dariam, sobra, recebemos, vou receber, me entrega',
    need: 'preciso, precisaria, preciso de, precisaria de, precisamos de, necessito, necessito de, são precisos, é preciso, é necessário, são necessários, precisava, precisava de, precisar',
    own: 'tenho, possuo, detenho',
    cost: 'custa, custam, custaria, custariam, me custa, me custam, me custariam, me custaria, sai por, saem por, sai a',
    yield:
      'rendem, rende, equivalem, equivale, equivalem a, equivale a, correspondem, corresponde a, correspondem a, renderiam',
    be: 'são, é, seriam, seria, valem, vale, dá, está, estão, valeriam, valeria, dariam em',
    move: 'envia, enviar, envie, manda, mandar, mande, transfere, transferir, transfira, deposita, depositar, retira, retirar, empresta, emprestar, saca, sacar',
    to: 'p /, a, para, pra, pro, até',
    for: 'por, em troca de, pelos, pelo, pela',
    against: 'contra',
    from: 'tirando do, tirando da, sacando do, saindo do, saindo dos, desde, dos meus, do meu, das minhas, da minha, a partir de, pagando com, pago com, paga com, pague com, pagar com, pagos com, pagando em, pago em, pagar em, pague em, pagável em, mediante, através de, financiado com, financiado por, à custa de, utilizando, com os meus, tirando dos, pagarei com, pagaria com, tirando de, tirado dos',
    with: 'com, via',
    in: 'em',
    of: 'de, do, dos, da, das',
    worth:
      'no valor de, num valor de, em um valor de, no montante de, o equivalente a, equivalente a, avaliado em, avaliados em, na quantia de',
    how: 'quanto, quantos, quanta, quantas, qto, qtos, qual a quantidade de, que quantidade de',
    quote:
      'cotação, cotacao, cota, cotar, preço, preco, orçamento, taxa, taxa de câmbio, valor, estimativa, câmbio, cote',
    not: 'cancela, cancelar, cancele, anula, não, nao, nunca, jamais, nem, sem, exceto, salvo',
    cut: 'e, se, quando, que, porque, mas, depois, então, ou, enquanto, aí',
    mine: 'meus, meu, minha, minhas, nossos',
    noise:
      'slippage, bps, pool, pools, pra mim, para mim, pra gente, tenho de, tenho que, teria de, teria que, é preciso pagar, por favor, pf, pfv, pfvr, favor, me, te, se, lhe, eu, tu, você, voce, vc, nós, a gente, o, os, as, um, uma, uns, umas, já, agora, agora mesmo, hoje, olá, ola, oi, bom, boa, dia, tarde, noite, obrigado, obrigada, valeu, pode, podes, poderia, podias, posso, podemos, poderias, podia, gostaria, gostaria de, gostava, gostava de, gostaria de saber, quero saber, queria saber, quero que, queria que, vou, vai, vamos, ajuda, ajude, ajuda - me, ajude - me, ajudar, me ajuda, me ajude a, cerca de, aproximadamente, mais ou menos, exatamente, tudo, todo, todos, toda, todas, total, no total, ao todo, mais, menos, só, somente, apenas, qual, quais, como, diz, diga, diga - me, diz - me, me diz, me diga, dizer, saber, mostra, mostre, mostrar, calcula, calcule, calcular, fazer, faz, faça, faço, rápido, rapidamente, logo, diretamente, imediatamente, mercado, a mercado, a preço de mercado, ao preço atual, ao preço de mercado, no câmbio atual, na cotação atual, neste momento, no momento, de momento, atualmente, atual, hoje em dia, tokens, token, moedas, moeda, unidades, carteira, da minha carteira, da carteira, na minha carteira, bot, trident, amigo, cara, isso, isto, esse, este, esta, essa, eles, ok, okay, sim, talvez, possível, assim que possível, um pouco de, uns quantos, máximo, mínimo, né, tá, aqui, ali, lá, interessa, interessado, com isso, por isso, por eles, por elas, com eles, deseja, desejaria, vontade, vontade de, deu, tipo, ver, deixa, deixe, bora, -',
  },
  {
    numbers:
      'meio 1/2, meia 1/2, um 1, dois 2, duas 2, três 3, quatro 4, cinco 5, seis 6, sete 7, oito 8, nove 9, dez 10, vinte 20, cinquenta 50, cem 100, mil 1000, quinhentos 500',
    shares:
      'metade dos meus 1/2, metade do meu 1/2, a metade dos meus 1/2, metade das minhas 1/2, todos os meus 1/1, todo o meu 1/1, todas as minhas 1/1, todo meu 1/1, todos meus 1/1',
  },
)
