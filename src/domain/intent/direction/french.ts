import { grammarOf } from './grammar.ts'

export const french = grammarOf(
  'fr',
  {
    sell: 'vends, vendre, vend, vendez, vendant, vendais, vende, vendons, vendrais, liquide, liquider, débarrasse de, débarrasser de, débarrasse moi de, revends, revendre, cède, céder',
    swap: 'échange, échanger, échangez, echange, echanger, échangeant, échangeais, convertis, convertir, convertissez, convertissant, convertit, change, changer, changez, changeant, troque, troquer, swap, swappe, swapper, swape, bascule, basculer, passe, passer, transforme, transformer, conversion de, permute, permuter, transfère en',
    sold: 'échangés, échangé, convertis en, converti, vendus, vendu, changés',
    pay: 'claquer, claque, miser, mise, balancer, paie, payer, paye, payez, payant, paierais, dépense, dépenser, depense, dépensant, utilise, utiliser, utilisant, utilisez, investis, investir, investissez, investissant, mets, mettre, mettez, donne, donner, donnes, prends, prendre, prenez, place, placer, consacre, consacrer, débourser, débourse, emploie, employer, sors, je donne, donnant, offre, offrir',
    buy: 'achète, achete, acheter, achètes, achetez, achetant, achèterais, achetons, acquérir, acquiers, procure moi, procurer, me procurer, achète - moi, achetez - moi, rachète, racheter, commande, commander, prends moi, achetais',
    get: 'reçois, recois, recevoir, recevrai, recevrais, reçoit, obtiens, obtenir, obtient, obtiendrais, obtiendrai, obtiens - je, aurais, aurai, avoir, veux, voudrais, vouloir, aimerais avoir, souhaite, désire, donne - moi, donne moi, donnez - moi, donnez moi, me donne, me donnes, me donnez, me donnerait, me donnerais, me donnent, on me donne, tirer, toucher, touche, toucherais, récupère, récupérer, récupérerais, puis avoir, peux avoir, aurais - je, reçois - je, recevrais - je, percevoir, puis - je avoir, aurai - je, recevrai - je, touche - je, toucherais - je, gagne, voulons, recevons, trouve - moi',
    need: "faut, faudrait, ai besoin de, besoin de, besoin d', besoin, nécessite, ai besoin, me faut, il me faut, me faudrait, il me faudrait, il faut, faut - il, faudrait - il, aurais besoin, me faut - il",
    own: "ai, possède, détiens, j'ai, ai actuellement",
    cost: 'coûte, coûtent, coute, coutent, coûter, coûterait, coûteraient, me coûte, me coûtent, me coûteraient, coûtera',
    yield:
      'rapportent, rapporte, rapporteraient, me rapportent, équivalent, équivaut, équivalent à, équivaut à, représentent, représente, donnent, rapporteront, feraient',
    be: 'est, sont, font, fait, vaut, valent, serait, seraient, vaudraient, est - ce, ça fait, valent actuellement, font actuellement, vaudrait',
    move: 'envoie, envoyer, envoyez, transfère, transférer, transfere, dépose, déposer, retire, retirer, prête, prêter, staker, stake, bridge, bridger',
    to: 'à, a, vers, jusqu à',
    for: 'pour, en échange de, en contrepartie de, par',
    against: 'contre',
    from: "piocher dans, pioche dans, puise dans, puiser dans, en prenant sur, depuis, à partir de, à partir d', de mes, de mon, de nos, avec mes, payé avec, payés avec, payant avec, payer avec, payé en, payer en, payant en, payable en, paye avec, paie avec, je paie avec, je paye avec, je paie en, au moyen de, grâce à, financé par, en utilisant, au prix de, sur mes, réglé en, réglés en, réglé avec, je règle en, je règle avec",
    with: 'avec, via',
    in: 'en, dans',
    of: "de, d', du, des, d",
    worth:
      "d'une valeur de, pour une valeur de, d' une valeur de, d' un montant de, à hauteur de, d'un montant de, l' équivalent de, une valeur de, d une valeur de",
    how: 'combien, quelle quantité, quelle quantité de, quel montant, quel montant de, cb, cmb',
    quote:
      'cotation, cote, devis, prix, cours, taux, taux de change, tarif, cotation de, estimation, valeur, conversion',
    not: "annule, annuler, annulez, ne, n', pas, jamais, sans, ni, sauf, n",
    cut: "et, si, quand, lorsque, que, qu', parce, mais, puis, alors, ensuite, ou, donc, s', en vendant moi, afin",
    mine: 'mes, mon, ma, nos, notre',
    noise:
      "slippage, bps, pool, pools, jvoudrais, jveux, ça me, ca me, ca, ben, du coup, direct, genre, s'il te plaît, s'il vous plaît, s' il te plaît, s' il vous plaît, s il te plait, s' il te plait, s' il vous plait, stp, svp, je, j', j, tu, vous, il, elle, on, nous, me, m', te, t', se, moi, toi, lui, le, la, les, l', l, un, une, ce, c', c, cela, ça, ces, cet, cette, y, peux, peut, peux - tu, pouvez, pouvez - vous, pourrais, pourrais - tu, pourriez, pourriez - vous, puis, puis - je, maintenant, aujourd'hui, aujourd hui, tout de suite, immédiatement, rapidement, vite, bonjour, salut, bonsoir, merci, allez, vas - y, vas y, d'accord, ok, oui, environ, à peu près, autour, exactement, au total, total, tout, tous, toutes, toute, plus, seulement, juste, encore, quel, quelle, quels, quelles, quoi, comment, dis, dis - moi, dis moi, dites - moi, dites moi, dire, savoir, aimerais, aimerais savoir, voudrais savoir, veux savoir, je veux savoir, montre, montre - moi, montrer, calcule, calculer, calcule - moi, faire, fais, va, vais, aller, aide, aide - moi, aidez - moi, aider, actuel, actuelle, actuellement, en ce moment, pour le moment, du marché, au marché, au cours actuel, au taux actuel, au prix du marché, au cours du marché, jetons, jeton, tokens, token, pièces, unités, portefeuille, de mon portefeuille, dans mon portefeuille, bot, trident, quelques, un peu de, un peu, des, ci, là, possible, dès que possible, directement, vraiment, peut - être, être, bien, très, volontiers, envie de, ai envie de, j'ai envie de, envie, permet, permets, donc là, - je, - tu, - il, - on, - moi, - t, -, t - on, hein, dois, devrais, doit, on me, d'abord, lequel, cher, ami, combien ça, autant, maximum, minimum, pour moi, pour nous, qu'est, est - ce que, est ce que, est - ce qu', qu' est - ce que, qu' est - ce qu'",
  },
  {
    numbers:
      'un demi 1/2, une demie 1/2, demi 1/2, demie 1/2, un 1, deux 2, trois 3, quatre 4, cinq 5, six 6, sept 7, huit 8, neuf 9, dix 10, vingt 20, cinquante 50, cent 100, mille 1000',
    shares: 'la moitié de mes 1/2, la moitié de mon 1/2, la moitié des 1/2, tous mes 1/1, tout mon 1/1, toutes mes 1/1',
  },
)
