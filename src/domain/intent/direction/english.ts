import { grammarOf } from './grammar.ts'

export const english = grammarOf(
  'en',
  {
    sell: 'cut, cutting, cut down, slash, disposing of, get shot of, be rid of, let go of, letting go of, parting with, hand off, offloading, say goodbye to, sell off, selling off, cashing in, rid myself of, close out, sell order for, sell order of, sell order, sell, sells, selling, dump, dumping, unload, unloading, offload, liquidate, liquidating, get rid of, getting rid of, cash out, cash in, cashing out, dispose of, exit, get out of, getting out of, part with, ditch, reduce, trim',
    swap: 'make it, make that, make this, wrap, wrapping, unwrap, unwrapping, hop, hopping, port, cross over, dump it into, drop, dropping, swap, swaps, swapping, swop, swapp, convert, converting, conversion of, exchange, exchanging, change, changing, turn, turning, trade, trading, switch, switching, flip, flipping, rotate, move, moving, shift, bring, replace, transform, go from, roll',
    sold: 'sold, swapped, converted, exchanged, changed, turned, traded, switched, flipped, rotated, moved',
    pay: 'giving, give away, giving away, giving up, ape, aping, parted with, yeet, chuck, chucking, drop it into, allocate, allocating, takes, deploy, deploying, put down, sink, lay out, part ways with, shell out, fork over, cough up, spend, spending, use, using up, put, putting, invest, investing, give, i give, take, taking, give you, give up, it take, it takes, throw, commit, offer, offering, i part with, handing over, hand over',
    buy: 'stack, pick me up, load up on, accumulate, get into, buying into, top up on, buy order for, buy order of, buy order, order for, order of, order to buy, buy, buys, buying, purchase, purchasing, acquire, acquiring, grab, grabbing, snag, cop, order, bought, pick up, picking up, scoop, stock up on',
    get: "make me, get hold of, lay my hands on, come back, come out with, get back, getting back, receive back, buy me, pull out, pull, walk off with, wind up with, land me, bag, pocket, be given, end up having, wish for, would love, fancy, keen on, interested in, walk away with, come away with, walk out with, lemme get, hook me up with, sort me out with, score, snatch, wanna, get, gets, getting, receive, receiving, received, obtain, obtaining, want, wants, wanting, give me, gimme, gives me, get me, got for, end up with, i'll take, i will take, we'll take, i'd take, be left with, looking for, fetch me, have for, hand me, expect",
    need: 'need, needs, needed, require, required, it require, have to have',
    own: "have, i've got, i got, own, hold, holding, i've, sitting on, my bag of, there are, there is, here are, here is, here's",
    cost: 'run me, running me, set me back, setting me back, cost me, cost, costs, costing, go for, going for, sell for, trade for',
    yield:
      'yield, yields, bring me, net me, earn me, return, fetch, buys me, translate to, translates to, come to, amount to, equal, equals, make',
    be: "is, are, be, 's, was, would be, come out at, comes out at, is worth, are worth, be worth",
    move: 'send, sending, transfer, transferring, stake, staking, unstake, restake, deposit, depositing, lend, lending, withdraw, withdrawing, bridge, bridging, supply, repay, borrow, tip, gift, forward, wire, airdrop, mint, burn',
    to: 'go into, going into, over into, out into, across into, for into, so that it becomes, and make it, becoming, become, ending up as, end up as, and hold, and return, to, into, towards, toward, over to, across to, onto, in to, and receive, and get, and take, 2 get',
    for: 'for, in exchange for, in return for, in place of, 4, fr',
    against: 'vs, against',
    from: "off my, from out of, paying using, out of pocket in, to be paid in, to be paid with, to be paid from, and pay with, and pay in, i pay in, i pay with, i'll pay with, i'll pay in, ill pay with, i will pay with, i will pay in, paid using, charge it to, charge to, take it from, take it out of, taking it from, taking it out of, pull it from, pulled from, deducted from, deduct it from, from selling, fund it with, fund it from, financed by, financed with, coming out of, out of the, from, out of, outta, outa, off, using, paying with, paying in, pay with, pay in, paid with, paid in, pay by, paid by, payable in, funded by, funded with, funded from, paid for with, paid from, pay from, paying from, by using, by selling off, by way of, at the expense of, in exchange of, covered by, with money from, settled in, taken from, coming from, drawn from, charged to",
    with: 'with, w, via',
    in: 'in, on',
    of: 'of',
    worth: 'worth, valued at, to the value of, with a value of, in the amount of',
    how: 'what quantity of, which amount of, how big an amount of, how much, how many, how mch, howmuch, wat amount of, what amount of, how mny',
    what: "what, what's, whats, wat",
    quote:
      'quote, quotes, quotation, price, prices, rate, rates, estimate, figure, figures, value, number, numbers, exchange rate, price check, market rate, conversion',
    not: "avoid, cannot, can't, stop, don t, do nt, shouldn't, shouldnt, couldn't, wouldn't, didn't, doesn't, isn't, aren't, ain't, wasn't, haven't, hasn't, refuse, refuse to, nobody, never mind, nevermind, forget it, forget that, forget about it, nope, nah, instead of, rather than, scrap that, hold off, no way, no longer, hardly, cancel, undo, revert, abort, not, don't, dont, do not, never, no, won't, without, nor, neither",
    cut: "and, then, so, because, but, as, while, that, ',', by selling, by swapping, by spending",
    it: 'it, them',
    mine: 'my, mine, our',
    except:
      'all but, all except, everything but, everything except, but keep, leaving, leave, minus, less, except, excluding, apart from, save for',
    unclear:
      'sell me, sells me, selling me, sold me, buy my, buys my, from me, off me, or, already, yesterday, last week, last month, last year, fee, fees, mean, means, meaning, meant, why, vice versa, other way, other way round, the other way, opposite, reverse, maybe later, versus, either, whichever, about to have, used to',
    if: 'if, when, whenever, once, as soon as, until, after, provided, provided that, assuming that, in case',
    settle: 'pay, pays, paying',
    noise:
      "confirm, and confirm, risk, its risk, the risk, check its risk, check the risk, assess, assess its risk, is it safe, safe, safely, risky, preview, simulate, simulation, as soon as possible, if you want, if that is ok, if you like, when possible, when you get a chance, when you have a moment, when you have time, if it is possible, after all, once again, once more, at once, whatever, rn, quick like, some of, enough, sufficient, sure thing, kind sir, pretty please, real quick, atm, tbh, ty, tysm, good morning, good evening, good afternoon, morning, evening, afternoon, greetings, dear assistant, assistant, today pls, worth my while, no rush, when you can, if you can, if possible, if you could, if you would, if you please, if you don't mind, whenever you can, as i said, of course, plain, regular, normal, actual, to me, to us, exactly that, equivalent, straightaway, straight away, at once, for a change, my man, dude, yo bro, sis, the whole, whole, entire, entirety, entirely, using the best route, best route, best price, at best price, at the best price, at the best rate, best rate, at current rates, at current price, at current prices, at the current price, at the current rate, at today's rate, at the going rate, going rate, quickly please, in all, why not, no more than, not more than, don't pay more than, do not pay more than, no problem, slippage, tolerance, max, maximum, slip, bps, impact, price impact, pool, pools, lemme, fyi, actually, basically, honestly, literally, for my friend, for a friend, for my wife, for my husband, for my brother, for my sister, for my mom, for my dad, set up, set, create, arrange, execute, prepare, start, open, place, submit, a, an, the, some, any, of my, please, pls, plz, kindly, hey, hi, hello, yo, ok, okay, i, i'd, i'm, i'll, im, id, ill, we, we'd, you, u, me, us, it, its, it's, this, these, those, like, would, wud, would like, love, could, can, may, might, shall, will, should, must, let, let's, lets, help, help me, do, does, did, done, just, now, right now, today, currently, at the moment, at this moment, quickly, quick, asap, about, around, roughly, approximately, approx, exactly, at most, at least, best, total, total of, current, market, which, tell, tell me, show, show me, know, wondering, thinking, going to, gonna, able, possible, possibly, all, each, one, thanks, thank you, thx, cheers, bro, mate, there, here, out, back, up, over, for me, for us, for you, at, coins, coin, tokens, token, units, unit, wallet, account, order, get get, via the, buddy, friend, sir, go, go ahead, ahead, maybe, perhaps, really, only, more, extra, additional, full, amount, go ahead and, dear, trident, bot, to be, able to, check, calculate, compute, curious, say, hypothetically, suppose, assume, assuming, imagine, straight, directly, immediately, instantly, much appreciated, sure, well, then i, market order, in total, from my wallet, from the wallet, on the market, in my wallet, at market, at market price, for a moment, for now, for today, for the moment, today please, in one go",
  },
  {
    numbers: 'half 1/2',
    shares: 'half my 1/2',
    tails: 'and a half 1/2',
  },
)
