import { commonWords } from './common-words.ts';

/** The words that intents are made of, each with what people write for it. Endings are found without being listed. */
const synonyms: Readonly<Record<string, string>> = {
  apy: 'apy yield interest rate',
  return:
    'return returns make makes earn earns earned made performance perform performing gain gains roi perf income earnings profitable',
  benchmark: 'benchmark excess outperform underperform beat alpha hurdle',
  tvl: 'tvl aum size',
  annual: 'annual annualised annualized yearly',
  driver:
    'driver drive drives driving drove driven why cause reason reasons explain because contribute contributor factor component push responsible attribute led stem',
  change:
    'change changing growth grow grew grown rise rose risen increase drop dropped fall fell fallen decline decrease shrink shrank move moved movement develop development evolve jump jumped trend shift decrease improve improvement worsen deteriorate raise replace appreciate appreciation reduce reset',
  flow: 'flow inflow outflow netflow',
  deposit: 'deposit subscription subscriptions subscribe ticket contribution',
  redeem: 'redeem redemption withdraw withdrawn withdrew withdrawal exit payout unwind drain',
  average: 'average avg mean normal',
  median: 'median typical',
  pps: 'pps',
  accepted: 'accepted chain official stored posted',
  price: 'price pricing',
  late: 'late overdue delay tardy timely',
  stale: 'stale fresh freshness outdated old age aged ageing aging',
  update: 'update report reporting post publish submit refresh tick release',
  last: 'last latest newest recent lately recently',
  expire: 'expire expiry expiration usable valid validity lapse',
  cadence: 'cadence often frequency frequently frequent interval gap rhythm pace schedule spacing regular regularly',
  longest: 'longest max maximum deepest worst',
  calculated: 'calculated calculate calc computed compute offchain fair theoretical',
  divergence: 'divergence diverge deviate difference differ mismatch discrepancy',
  deviation: 'deviation',
  threshold: 'threshold guard trip trips tripped trigger triggered',
  distance: 'distance far above room headroom away close near exceed',
  status:
    'status state working operational operation healthy health live problem issue trouble wrong functional function alive',
  pause:
    'pause paused pausing unpause unpaused resume lift halt halted freeze frozen suspend suspended disabled closed stop stopped',
  fee: 'fee charge commission expense deduct deduction',
  perffee: 'perffee',
  entry: 'entry management mgmt',
  pending:
    'pending accrue accrued accumulated waiting unpaid unskimmed outstanding skimmable open unprocessed unfulfilled awaiting unsettled',
  proposed: 'proposed proposal propose scheduled timelocked',
  timelock: 'timelock',
  skim: 'skim skimmed skimming crystallise crystallize harvest',
  taken: 'taken take took collected collect paid receive received revenue',
  protocol: 'protocol',
  recipient: 'recipient beneficiary',
  profit: 'profit',
  inprofit: 'inprofit unrealised unrealized realised realized pnl',
  risk: 'risk risky riskiest riskiness danger dangerous safe safety secure threat hazard vulnerable',
  score: 'score rating',
  drawdown: 'drawdown dip loss losses slump setback crash plunge pullback',
  lose: 'lose lost losing',
  recover: 'recover recovery regain rebound bounce',
  start: 'start started begin began begun',
  underwater: 'underwater',
  peak: 'peak',
  level:
    'level high low strong weak good bad deep elevated small tiny huge heavy positive negative decent bigger smaller',
  volatility:
    'volatility volatile vol swing swings fluctuate fluctuation stable stability bumpy choppy wobbly jumpy erratic steady smooth variance variability vary unstable',
  sharpe: 'sharpe',
  concentration: 'concentration concentrated hhi diversified diversification diversify',
  effective: 'effective',
  holder:
    'holder depositor investor user lp lps people wallets client customer participant member shareholder account backer owner',
  large: 'large largest biggest big top major main',
  share: 'share percentage percent fraction proportion portion',
  own: 'own hold held holding control possess',
  source: 'source strategy strategies venue pool market platform underlying',
  position: 'position',
  allocation:
    'allocation allocated allocate deployed invested exposure exposed weights weight spread split distribution distribute composition mix portfolio',
  best: 'best highest carry carries',
  idle: 'idle undeployed uninvested unallocated unused dormant unproductive',
  cash: 'cash',
  liquidity: 'liquidity liquid instant instantly immediately immediate available withdrawable redeemable payable',
  ladder: 'ladder',
  coverage: 'coverage cover pay survive withstand handle honour honor meet afford repay solvent solvency',
  hour: 'hour',
  dominant: 'dominant dominance dominate',
  queue: 'queue queued backlog',
  fulfilled: 'fulfilled fulfil fulfill processed settled settle',
  wait: 'wait',
  oldest: 'oldest',
  bankrun: 'bankrun simulate simulation simulator panic',
  shortfall: 'shortfall',
  churn: 'churn left quit gone leave leaving leaver departed departure attrition',
  came: 'came joined join enter entered newcomer arrival',
  new: 'new',
  not: 'not no none nothing never without neither zero nobody noone',
  sofar: 'sofar',
  cameback: 'cameback reactivated',
  retention: 'retention retain loyal sticky stickiness',
  asset: 'asset token coin currency',
  money: 'money funds capital',
  active: 'active activity',
  ever: 'ever unique lifetime distinct',
  upkeep: 'upkeep underfunded',
  runway: 'runway lasts',
  empty: 'empty deplete depleted exhaust exhausted',
  worst: 'worst',
  topup: 'topup refill add fill replenish reload',
  cost: 'cost bill costing burn burnt spend spent eat eaten eats consume',
  balance: 'balance',
  gas: 'gas',
  native: 'eth ether',
  slippage: 'slippage',
  rebalance: 'rebalance rebalances rebalancing',
  transaction: 'transaction tx txs txn txns',
  manager: 'manager curator admin operator strategist',
  primary: 'primary',
  secondary: 'secondary secondaries',
  role: 'role permission access rights privilege',
  viewonly: 'viewonly viewers',
  wallet: 'wallet address addresses name names identity',
  validator: 'validator node oracle signer reporter',
  transmission: 'transmission round',
  silent: 'silent miss missing offline online lag unresponsive quiet respond responsive unreachable dead',
  happen: 'happen happened happening event history timeline',
  vaults: 'vaults',
  compare: 'compare comparison versus vs against relative better worse higher lower',
  summary:
    'summary summarise summarize overview brief briefing recap rundown snapshot digest highlights highlight gist',
  prepare: 'prepare calldata',
  create: 'create creation',
  gross: 'gross',
  drag: 'drag',
  apr: 'apr',
  net: 'net',
  value: 'worth dollars usd',
  hwm: 'hwm',
  next: 'next nxt upcoming',
  due: 'due expected deadline',
  below: 'below under beneath',
  root: 'root merkle',
  hook: 'hook',
  who: 'who whose whom',
  when: 'when date',
  speed: 'speed quickly fast faster quick swiftly rapid rapidly slow slowly',
  until: 'until till',
  may: 'may',
  permitted: 'permitted allowed limit cap capped minimum',
  rank: 'rank ranking sort order',
  supply: 'supply',
  floor: 'floor',
  where: 'where',
  howlong: 'howlong',
  howmany: 'howmany',
  day: 'day',
  yourself: 'yourself',
  ability: 'ability',
  whatif: 'whatif would if hypothetically',
  twr: 'twr',
  payer: 'payer',
  powers: 'powers',
  alert: 'alert alarm warning firing incident notification',
  audit: 'audit auditor',
  keeper: 'keeper executor bot',
  rule: 'rule automation',
  cohort: 'cohort',
  var: 'var scenario depeg sortino calmar beta',
  fail: 'fail failed failure revert reverted unsuccessful error errors',
  quorum: 'quorum signed sign signatures consensus',
  dispersion: 'dispersion disagree agree',
  tenure: 'tenure stay stays',
  lock: 'lock locked unlocked',
  multisig: 'multisig eoa',
};

const canonicals = new Map<string, string>(
  Object.entries(synonyms).flatMap(([word, said]) =>
    [word, ...said.split(' ')].map((one): [string, string] => [one, word]),
  ),
);

/** What a word may be an inflection of: `withdrawals`, `skimmed`, `charging`. */
function stemsOf(word: string): string[] {
  const bare = word.replace(/'s$|'$/, '');
  const found = [bare];
  const without = (ending: RegExp, ...instead: string[]) => {
    const stem = bare.replace(ending, '');
    if (stem !== bare && stem.length > 2)
      found.push(...instead.map((end) => `${stem}${end}`), stem.replace(/(.)\1$/, '$1'));
  };
  without(/s$/, '');
  without(/es$/, '');
  without(/ies$/, 'y');
  without(/ed$/, '', 'e');
  without(/ing$/, '', 'e');
  return found;
}

/** The word the intents know this one by; empty for a word without a meaning of its own, undefined for an unknown one. */
export function canonicalOf(word: string): string | undefined {
  if (canonicals.has(word)) return canonicals.get(word);
  if (commonWords.has(word)) return '';
  const stem = stemsOf(word).find((one) => canonicals.has(one));
  if (stem !== undefined) return canonicals.get(stem);
  return stemsOf(word).some((one) => commonWords.has(one)) ? '' : undefined;
}

type Slip = 'replaced' | 'moved' | null;

/** How one word may be another with one letter that is wrong (`replaced`), or one missing, added or swapped with its neighbour (`moved`). */
function slipOf(one: string, other: string): Slip {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  if (long.length - short.length > 1) return null;
  let at = 0;
  while (at < short.length && short[at] === long[at]) at += 1;
  if (short.length < long.length) return short.slice(at) === long.slice(at + 1) ? 'moved' : null;
  const isSwapped =
    short[at] === long[at + 1] && short[at + 1] === long[at] && short.slice(at + 2) === long.slice(at + 2);
  if (isSwapped) return 'moved';
  return short.slice(at + 1) === long.slice(at + 1) ? 'replaced' : null;
}

/** Shorter words differ by one letter from too many others. */
const shortestSlip = 5;
const isLong = (known: string): boolean => known.length >= shortestSlip - 1;

/**
 * A known word that this one was probably meant to be. A common word is taken only for letters that are out of place: with a letter
 * replaced, too many names would read as one (`yearn`, `learn`).
 */
function meantBy(word: string): string | undefined {
  if (word.length < shortestSlip) return undefined;
  const meanings = [...canonicals.keys(), ...commonWords].filter(isLong);
  const near = (one: string, slip: Slip, among: readonly string[]) =>
    among.find((known) => slipOf(one, known) === slip);
  const [bare = word, stem] = stemsOf(word);
  for (const one of stem === undefined ? [bare] : [bare, stem]) {
    const known = near(one, 'moved', meanings) ?? near(one, 'replaced', [...canonicals.keys()].filter(isLong));
    if (known !== undefined) return known;
  }
  return undefined;
}

/** A text with unknown words spelled as they were probably meant. @param isName - Words that are right as they stand. */
export const respelled = (text: string, isName: (word: string) => boolean): string =>
  text.replaceAll(/\p{L}[\p{L}\p{N}']*/gu, (word) =>
    canonicalOf(word) !== undefined || isName(word) ? word : (meantBy(word) ?? word),
  );
