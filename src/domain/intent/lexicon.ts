import { stemOf } from './reading/words.ts'

/**
 * Words of about the same meaning, by that meaning. The classifier learns from the group as well as from the word, so it
 * understands words that no training sentence has.
 */
const groups: Record<string, string> = {
  swap: 'swap swapping swop exchange convert conversion interchange change switch flip turn transform replace substitute trade rotate reallocate rebalance transmute cambia tausche échange',
  buy: 'buy purchase acquire buying accumulate stack cop snag scoop procure obtain long ape invest invested aping yolo snipe compra comprar kaufe acheter achète kupit grab load',
  sell: 'sell selling dump offload unload liquidate ditch dispose exit unwind shed divest jettison sold cashout short vende vender verkaufe vends slash trim rid',
  place:
    'put throw pour plough plow park sweep drop toss chuck stick sink allocate funnel pump inject commit roll sling move shift transfer migrate reinvest deploy devote',
  pay: 'send pay wire bridge deposit withdraw stake unstake lend borrow repay supply redeem wrap unwrap claim topup fund remit restake',
  order:
    'execute proceed submit order fill place initiate trigger perform confirm authorize authorise instruct process enact complete implement carry finalize finalise approve',
  get: 'get grab fetch pick gimme give hand bring obtain receive yield return net collect land earn make',
  spend: 'spend use using spending paying pay funded',
  urgent: 'now immediately asap quickly instantly already right away pronto rn straight',
  share:
    'half third quarter all everything entire whole rest remaining lot bag bags stack position holdings stash pile fifth tenth max',
  quote:
    'quote quotation requote estimate quoted indicative bid ask offer ballpark preview simulate simulation pricing price-check appraise appraisal offer offers quotes presupuesto cotización angebot devis',
  price:
    'price prices priced pricey cost costs costing worth value valued valuation rate rates ratio ticker expensive cheap market-price equivalent precio prix preis kostet cuesta coûte vale cuánto cuanto combien quanto wieviel',
  outcome:
    'proceeds output outcome receive received result yield fetch bring arrive amount payout return net take-home realise realize come comes end obtain',
  quantity: 'much many sum total number figure amount',
  fee: 'fee fees gas slippage impact spread commission charge charges tax taxes',
  risk: 'risk risks risky riskier riskiest danger dangers dangerous unsafe hazard hazardous perilous threat threats threatening exposure exposed overexposed gamble downside worst hairy precarious riesgo risque risiko riskant peligroso vulnerable vulnerability vulnerabilities unsound',
  folly: 'stupid crazy insane foolish regret reckless dumb nuts mad unwise silly idiotic foolhardy rash',
  unproven: 'unaudited unknown unproven untested obscure anonymous unheard newborn unvetted unfamiliar',
  present: 'today tonight currently',
  safe: 'safe safer safest safely safety secure security trust trustworthy trusted reliable legit legitimate legitimacy genuine reputable sound safeguard solvent insured audited doxxed verified seguro sicher sûr sicuro credible authentic honest clean protected',
  scam: 'scam scams scammy scammed scammer rug rugs rugged rugpull honeypot honeypots fraud fraudulent fraudster ponzi pyramid phishing drainer drain drained hack hacked hacks hacker exploit exploits exploited fake counterfeit bogus malicious malware trap traps trapped backdoor backdoors shady sketchy dodgy fishy sus suspicious suspect suspected shill shilled rekt wrecked swindle con sham crooked steal stolen thief thieves theft cheat cheated dishonest estafa arnaque betrug truffa manipulated manipulation spoofed wash fud burned burnt robbed lure bait',
  control:
    'owner ownership renounce renounced deployer dev devs developer developers team admin admins creator creators insider insiders minting mint freeze frozen blacklist blacklisted pause upgradeable proxy honeypot locked lock unlock unlocked burned multisig whitelist privileged permissions powers revoke',
  whale:
    'whale whales holders holder concentration concentrated dumping sandwich sandwiched mev frontrun frontrunning liquidated liquidation depeg depegs depegged peg slashed slashing insolvent insolvency collapse crash implode default bankrupt bankruptcy volatile volatility',
  worry:
    'worried worry worries worrying concerned concern concerns afraid scared nervous fear fears anxious uneasy careful cautious caution beware wary warn warning avoid flags flag alarm alarming doubt doubts skeptical sceptical suspicious hesitant paranoid trouble protect harm hurt lose losing loss',
  vet: 'check vet assess assessment assessing evaluate audit scan screen inspect verify examine diligence review scrutinize scrutinise probe test sanity',
  research:
    'research researching investigate explore study studying analyze analyse analysis analyzing analytics explain explanation describe compare comparison summarize summarise summary overview report briefing brief rundown breakdown lowdown primer memo dig outline elaborate recap digest insights insight learn understand teach educate inform background intro introduction guide dossier writeup synopsis gist skinny scoop 411 dive lookup discover identify list rank track monitor survey compile',
  market:
    'tvl apy apr yield yields volume volumes liquidity pool pools protocol protocols market markets trend trends trending news history historical chart fundamentals tokenomics supply marketcap cap dominance narrative ecosystem adoption growth revenue metrics stats statistics data statistic users transactions activity sentiment outlook forecast prediction performance performing performed perform gainers movers sector defi lending staking validators governance roadmap updates update developments dex dexes bull bear bullish bearish rally correlation landscape opportunities farming interest rewards returns rollup rollups l2 l2s amm amms stablecoins inflation competitors airdrop block blocks',
  hold: 'portfolio balance balances holdings positions position pnl profit profits gains wallet wallets account hold holding own owned owning networth assets gained winnings losses',
  happen:
    'happened happening happen latest lately recently recent yesterday week month year quarter overnight since past last trending doing going new',
  opinion:
    'should opinion think thoughts view take recommend worthwhile advise advice believe bullish undervalued overvalued promising potential',
  what: 'what whats wat wut que qué quoi was cos which who whose where when why how',
  would: "would will could can might may 'd shall wouldnt",
  suppose: 'if suppose supposing assuming assume hypothetically say imagine were before without dry',
  show: 'show tell see know display view find pull look give let wonder wondering curious idea check',
  want: 'want wanna need like love gonna going looking decided ready wish prefer rather intend plan planning let lets please pls kindly help',
  consider: 'thinking considering consider might may about maybe planning tempted contemplating',
  greet:
    'hello hi hey hiya howdy yo gm gn greetings hola hallo bonjour ciao salut morning evening afternoon night bye goodbye cya welcome namaste',
  thanks:
    'thanks thank thx ty cheers appreciate gracias danke merci obrigado grazie awesome cool nice great perfect good well',
  self: 'you your yourself youre bot assistant ai human',
  joke: 'joke story poem song sing dance movie book recipe cook weather football game play music pizza cat dog dogs cats boyfriend girlfriend president capital world war planet planets moon paris london rome email letter essay code python translate alarm timer flight hotel restaurant coffee dinner lunch house car birthday christmas sport sports animal bread eggs smoking doctor',
}

const byStem = new Map<string, string[]>()
for (const [name, words] of Object.entries(groups))
  for (const stem of words.split(' ').map(stemOf)) byStem.set(stem, [...new Set([...(byStem.get(stem) ?? []), name])])

/** The groups of the stem of a word; most words have none. */
export function groupsOf(stem: string): readonly string[] {
  return byStem.get(stem) ?? []
}

/** The stems of all words of the groups. */
export const lexiconStems: ReadonlySet<string> = new Set(byStem.keys())
