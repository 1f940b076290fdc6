/** Expressions of several words, as the one word the intents know them by. Read before anything else. */
export const expressions: readonly (readonly [RegExp, string])[] = [
  [/\bso far\b/g, ''],
  [/\b(?:be )?(?:paid|pay) out at once\b|\bat once\b(?= *\W*$)/g, 'liquidity'],
  [/\bperf(?:ormance)? fees?\b/g, 'perffee'],
  [
    /\b(?:anyone|anybody|holders?|depositors?|people|lps?|users?|investors?) (?:leave|left|leaving|exit(?:ed)?|quit)\b/g,
    'churn',
  ],
  [/\b(?:is|are) left\b/g, 'balance'],
  [
    /\b(?:who(?: is|'s| are)?|which) (?:the |our )?(?:(?:largest|biggest|top) )?(?=(?:holder|depositor|investor|lp|whale)s?\b)/g,
    'wallet ',
  ],
  [/\bwho (?:can|may|could|is allowed to|has the right to)\b/g, 'manager'],
  [
    /\bwhen (?:did|was) (?:the|this|our) vault (?:launch|start|begin|created|launched|deployed|set up)(?:ed)?\b/g,
    'create',
  ],
  [/\bhow (?:big|large)\b/g, 'tvl'],
  [
    /\b(?:can|may|could) (?:the |our |we |i )?(?:perf(?:ormance)? )?(?:fees? )?(?:be )?(?:taken|take|skim(?:med)?|collect(?:ed)?)\b/g,
    'skim',
  ],
  [/\bhigh[- ]?water[- ]?mark\b/g, 'hwm'],
  [/\bprice per share\b|\bshare price\b|\bnet asset value\b|\bnav\b/g, 'pps'],
  [/\bassets? under management\b|\btotal (?:assets|value(?: locked)?)\b/g, 'tvl'],
  [/\bdraw[- ]downs?\b/g, 'drawdown'],
  [/\bunder[- ]?water\b|\bin (?:the red|loss)\b|\btime in loss\b/g, 'underwater'],
  [/\bbank[- ]run\b|\b(?:a|the) run\b|\brun simulat(?:ion|or)\b|\bstress[- ]test\b/g, 'bankrun'],
  [/\bview[- ]only\b|\bread[- ]only\b/g, 'viewonly'],
  [/\btime[- ]weighted\b/g, 'twr'],
  [/\btop(?:ping)?[- ]up\b/g, 'topup'],
  [/\bpull(?:s|ed|ing)? (?:out|(?:their|the) money)\b|\bcash(?:es|ed|ing)? out\b/g, 'redeem'],
  [/\bwhat[- ]if\b|\bwhat would happen if\b|\bwhat happens if\b/g, 'whatif'],
  [/\bon[- ]time\b/g, 'late'],
  [/\bon[- ]?chain\b/g, 'accepted'],
  [/\bbefore fees\b/g, 'gross'],
  [/\b(?:after|net of) fees\b/g, ''],
  [/\bworst[- ]case\b/g, 'worst'],
  [/\b(?:mone?y|cash|funds?) (?:leaves?|left|go out|went out|come in|came in)\b/g, 'flow'],
  [/\bset(?:up| up)\b/g, 'create'],
  [/\b(?:ran?|runs?|running) out\b/g, 'empty'],
  [/\bwho (?:runs?|manages?)\b|\bwho(?:'s| is) (?:running|managing)\b/g, 'manager'],
  [/\bwho are you\b|\bwhat are you\b|\bare you (?:an? )?(?:ai|llm|gpt|model|bot|human|person)\b/g, 'yourself'],
  [/\bwhat can you (?:do|answer|tell)\b|\bwhat (?:can|could|may) i ask\b/g, 'help'],
  [
    /\btell me about (?:this|the) vault\b|\bin short\b|\btl;?dr\b|\bhow(?:'s| is) (?:the|this|our) vault(?: doing)?\b/g,
    'summary',
  ],
  [/\bwhat (?:has )?happened\b|\bwhat(?:'s| is) new\b|\bwhat changed\b/g, 'happen'],
  [/\bwhere(?:'s| is| are) (?:the|our|its) (?:money|assets|funds|cash)\b/g, 'allocation'],
  [/\b(?:have|has|had|did|do|does|is|are|was|were|could|would|ca|wo)n'?t\b/g, ''],
];

const synonyms: Readonly<Record<string, string>> = {
  apy: 'apy yield yields yielding interest',
  return: 'return returns make earn earns earned made performance perform performing',
  benchmark: 'benchmark excess outperform outperforming beat beating hodl',
  tvl: 'tvl aum size',
  annual: 'annual annualised annualized yearly',
  driver: 'driver drive drives driving drove driven why cause caused explain explains because',
  change: 'change changed changes changing growth grow grew grown rise rose increase increased',
  flow: 'flow flows inflow inflows outflow outflows netflow',
  deposit: 'deposit deposits deposited subscription subscriptions ticket',
  redeem:
    'redeem redeems redeemed redemption redemptions withdraw withdraws withdrawn withdrawal withdrawals exit exits leave',
  average: 'average avg mean',
  median: 'median typical',
  pps: 'pps',
  price: 'price prices pricing',
  late: 'late overdue delayed delay',
  stale: 'stale fresh outdated old',
  update: 'update updates updated report reports reported reporting',
  last: 'last latest newest recent lately recently',
  expire: 'expire expires expiry expiration usable',
  cadence: 'cadence often frequency frequently interval gap',
  longest: 'longest max maximum deepest worst',
  calculated: 'calculated computed offchain',
  divergence: 'divergence diverge deviate difference apart off',
  deviation: 'deviation',
  threshold: 'threshold guard limit',
  distance: 'distance far above',
  status: 'status state working ok okay operational operation healthy live',
  pause: 'pause paused pauses pausing unpaused',
  fee: 'fee fees charge charges carry',
  perffee: 'perf perffee',
  entry: 'entry management mgmt',
  pending: 'pending accrued waiting waits unpaid unskimmed outstanding skimmable',
  proposed: 'proposed proposal proposals propose',
  skim: 'skim skimmed skimming skims',
  taken: 'taken take took collected paid',
  protocol: 'protocol',
  recipient: 'recipient',
  profit: 'profit profits',
  risk: 'risk risks risky riskiness danger dangerous safe safety',
  score: 'score level rating',
  drawdown: 'drawdown drawdowns dip loss losses',
  recover: 'recover recovers recovered recovery',
  start: 'start started begin began',
  underwater: 'underwater',
  volatility: 'volatility volatile vol',
  sharpe: 'sharpe',
  concentration: 'concentration concentrated hhi diversified diversification',
  effective: 'effective',
  holder: 'holder holders depositor depositors investor investors user users lp lps whale whales people wallets',
  large: 'large largest biggest big top',
  share: 'share shares percentage percent',
  own: 'own owns owned hold holds held',
  source: 'source sources strategy strategies venue venues pool pools',
  allocation: 'allocation allocations allocated deployed exposure exposures weights',
  best: 'best highest carry carries',
  idle: 'idle undeployed uninvested unallocated cash',
  liquidity: 'liquidity liquid instant instantly immediately immediate',
  coverage: 'coverage cover covered pay',
  hour: 'hour',
  queue: 'queue queued stuck',
  wait: 'wait waited',
  oldest: 'oldest',
  bankrun: 'bankrun run simulate simulation',
  shortfall: 'shortfall',
  churn: 'churn churned left lost lose gone quit',
  came: 'came joined new',
  retention: 'retention retained retain',
  asset: 'asset assets',
  active: 'active activity',
  ever: 'ever unique lifetime',
  upkeep: 'upkeep',
  runway: 'runway lasts',
  empty: 'empty',
  worst: 'worst',
  topup: 'topup refill',
  cost: 'cost costs costing burn burned burnt spend spent',
  balance: 'balance',
  gas: 'gas',
  slippage: 'slippage',
  transaction: 'transaction transactions tx txs',
  manager: 'manager managers curator curators admin operator',
  primary: 'primary main',
  secondary: 'secondary secondaries',
  role: 'role roles permission permissions access',
  viewonly: 'viewonly viewers',
  wallet: 'wallet address addresses name names',
  validator: 'validator validators node nodes oracle oracles signer signers quorum',
  transmission: 'transmission transmissions',
  silent: 'silent missing offline online',
  happen: 'happen happened event events history timeline',
  vaults: 'vaults',
  list: 'list',
  compare: 'compare compared comparison versus vs against',
  summary: 'summary summarise summarize overview brief briefing doing',
  prepare: 'prepare calldata',
  create: 'create created creation age',
  gross: 'gross',
  drag: 'drag',
  apr: 'apr',
  net: 'net',
  value: 'value worth dollars usd',
  hwm: 'hwm',
  next: 'next nxt upcoming',
  due: 'due expected',
  below: 'below under',
  yourself: 'yourself',
  help: 'help',
  whatif: 'whatif',
  twr: 'twr',
};

/** Words that carry no meaning of their own in a question about a vault. */
const fillers = `
a an the this that these those it its is are was were be been am do does did done has have had can could would may might must
i me my mine we us our ours you your yours everything nothing getting use used using ratio high low deep bad base request requests looking invested kindly curious wonder wondering question mate team guys folks morning sit sits stress test tests before earlier prior previous they them their he she who whose what whats what's which when whens when's where wheres
how hows how's much many long so to of in on at by for from with within into about over per and or but if as than then there here
please pls plz thanks thank thx hi hey hello ok quick quickly just only also still yet any anything some somebody anybody anyone
everyone everybody each every all both one ones up out down get gets got give gives giving show shows tell tells know see look need
want like right currently current now rn today teh hte vault vault's one's us dollar amount amounts figure figures number numbers
count total overall roughly approximately exactly actually really basically again more less most least very too term terms come
comes go goes went going happening let lets let's not no yes s re ve ll d t m period ago time times been being during since while
because go back bring sitting date once land lands
`
  .trim()
  .split(/\s+/);

const canonicals = new Map<string, string>(
  Object.entries(synonyms).flatMap(([word, said]) =>
    [word, ...said.split(' ')].map((one): [string, string] => [one, word]),
  ),
);
const fillerWords = new Set(fillers);

/** The word the intents know this one by; empty for a word without a meaning of its own, undefined for an unknown one. */
export function canonicalOf(word: string): string | undefined {
  return canonicals.get(word) ?? (fillerWords.has(word) ? '' : undefined);
}

/** True for two words that differ by one letter that is wrong, missing, added, or swapped with its neighbour. */
function isOneSlip(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  if (long.length - short.length > 1) return false;
  let at = 0;
  while (at < short.length && short[at] === long[at]) at += 1;
  if (short.length < long.length) return short.slice(at) === long.slice(at + 1);
  const isSwapped =
    short[at] === long[at + 1] && short[at + 1] === long[at] && short.slice(at + 2) === long.slice(at + 2);
  return short.slice(at + 1) === long.slice(at + 1) || isSwapped;
}

/** Shorter words differ by one letter from too many others. */
const shortestSlip = 5;

/** A known word that this one was probably meant to be. */
export function respelled(word: string): string | undefined {
  if (word.length < shortestSlip) return undefined;
  for (const [known, canonical] of canonicals)
    if (known.length >= shortestSlip - 1 && isOneSlip(word, known)) return canonical;
  return undefined;
}
