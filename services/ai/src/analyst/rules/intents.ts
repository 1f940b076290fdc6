import { type PreparedKind, preparedArgs, preparedKinds } from '@castellan/contracts';
import type { Window } from './question.ts';

type Intent = {
  /**
   * Words that mean it when all of a phrase are asked; the longest phrase that is asked counts. The words are those of the
   * vocabulary.
   */
  phrases: readonly string[];
  /** Times its figures are given for; without any it is about the present, or about a time of its own. */
  windows?: readonly Window[];
  /** What it says reaches ahead (a due time, a simulation), so that it may be asked in the future tense. */
  isAhead?: true;
};

const listed = (phrases: string): readonly string[] => phrases.split(',').map((phrase) => phrase.trim());

const always = ['h24', 'd7', 'd30', 'd90', 'since_inception', 'current'] as const;
const month = ['d30', 'current'] as const;
const now = ['current'] as const;

/** What the chat can answer, the more particular before the more general: of two that fit alike the first is taken. */
export const intents = {
  self: { phrases: listed('yourself') },
  help: { phrases: listed('help') },
  compare: { phrases: listed('compare, compare last, compare performance'), windows: ['d7', 'd30'] },
  apy: {
    phrases: listed('apy annual, apy, apy compare, apy holder, apy net, apy last, annual return, annual'),
    windows: ['current', 'd7', 'd30', 'd90', 'since_inception'],
  },
  gross_apy: {
    phrases: listed('apy gross, apy fee, apy fee cost, apy gross net, fee drag, return gross, return fee cost'),
    windows: ['d7', 'd30', 'd90', 'since_inception', 'current'],
  },
  return: {
    phrases: listed('return, return holder, return net, return last, twr, twr return'),
    windows: ['d7', 'd30', 'd90', 'since_inception', 'current'],
  },
  apr: { phrases: listed('apr, apr return'), windows: month },
  benchmark: {
    phrases: listed('benchmark, benchmark return, benchmark return compare, benchmark compare'),
    windows: month,
  },
  sources: {
    phrases: listed(`
      source, allocation, source best apy, best apy, source allocation, source apy, source return,
      source asset, source asset own, source holder, source best, source best return, allocation last,
      source apy own, source list`),
    windows: now,
  },
  source_share: {
    phrases: listed(`
      onesource, onesource allocation, onesource share, onesource own, onesource tvl,
      onesource share asset, onesource asset, onesource value`),
    windows: now,
  },
  source_apy: { phrases: listed('onesource apy, onesource return, onesource apr, onesource source apy'), windows: now },
  idle: { phrases: listed('idle, idle drag, idle asset, idle share, idle drag share, idle tvl'), windows: now },
  concentration: {
    phrases: listed(`
      concentration, concentration allocation, concentration source, effective source,
      concentration share, concentration risk`),
    windows: now,
  },
  top_holders: {
    phrases: listed(`
      large holder, large holder own, large holder share, large share, large holder own share,
      large holder own tvl, concentration holder, holder share`),
    windows: now,
  },
  calculated: {
    phrases: listed(`
      divergence, calculated price, calculated, calculated price divergence, calculated price distance,
      calculated price accepted, calculated price distance accepted, calculated pps`),
    windows: now,
  },
  what_if: {
    phrases: listed(`
      whatif, whatif price, whatif price update, whatif calculated price update, whatif next price,
      whatif next price pause, calculated price accepted update, next price accepted, whatif pps`),
    isAhead: true,
  },
  bankrun: {
    phrases: listed(`
      bankrun large, bankrun redeem, bankrun holder redeem, bankrun shortfall, bankrun, bankrun holder,
      bankrun large holder, whatif redeem, whatif holder redeem, whatif large holder redeem,
      large holder redeem, shortfall redeem, large holder redeem hour, large holder redeem hour shortfall,
      bankrun large hour, large redeem`),
    isAhead: true,
  },
  coverage: {
    phrases: listed('coverage, coverage holder, coverage large holder, coverage large'),
    windows: now,
    isAhead: true,
  },
  liquidity: {
    phrases: listed(`
      liquidity, redeem liquidity, liquidity hour, liquidity asset, redeem hour, liquidity share,
      coverage liquidity, coverage hour`),
    windows: now,
  },
  redemptions: {
    phrases: listed(`
      redeem pending, redeem queue, queue, oldest redeem, oldest redeem pending, redeem wait,
      holder redeem wait, redeem pending wait, wait, redeem pending queue, redeem late`),
    windows: month,
  },
  deposits: {
    phrases: listed(`
      deposit, average deposit, median deposit, average deposit tvl, deposit tvl, deposit large,
      deposit value, average deposit value`),
    windows: month,
  },
  withdrawals: { phrases: listed('redeem, redeem value, redeem holder'), windows: month },
  net_flow: {
    phrases: listed(`
      flow, flow net, deposit redeem, deposit net, flow deposit, flow deposit redeem, flow value`),
    windows: ['h24', 'd7', 'd30'],
  },
  tvl_change: {
    phrases: listed(`
      tvl change, tvl driver, tvl change driver, tvl change price, tvl change driver price, change driver,
      tvl price, tvl change deposit, tvl change apy, tvl change flow, asset change`),
    windows: ['d7', 'd30'],
  },
  tvl: { phrases: listed('tvl, tvl asset, tvl value'), windows: now },
  hwm: { phrases: listed('hwm, hwm distance, hwm price distance, hwm pps, hwm pps distance'), windows: now },
  below_hwm: {
    phrases: listed('hwm below, hwm holder share below, hwm share, hwm share below, hwm holder'),
    windows: now,
  },
  pending_fee: {
    phrases: listed(`
      fee pending, fee pending skim, perffee pending, fee skim, skim, hwm profit, hwm profit distance,
      profit, perffee skim, fee taken due, skim driver, fee driver taken, return fee pending,
      return fee pending skim, perffee fee pending`),
    windows: now,
    isAhead: true,
  },
  fees_taken: {
    phrases: listed(`
      fee perffee recipient, perffee taken, perffee recipient, perffee taken recipient,
      perffee taken protocol, entry fee recipient, fee recipient, perffee fee recipient,
      fee taken recipient, perffee fee taken, fee taken, fee protocol, perffee protocol, entry fee taken,
      fee taken return, fee taken perffee, perffee fee protocol, fee taken protocol, fee value`),
    windows: ['since_inception', 'current'],
  },
  fee_change: {
    phrases: listed(`
      fee proposed, fee change proposed, fee proposed pending, fee change proposed pending,
      perffee change, perffee proposed, fee change, fee pending change, fee change entry,
      fee pending update`),
    isAhead: true,
  },
  fee_terms: {
    phrases: listed('fee, entry fee, perffee, perffee fee, perffee share, return fee, fee share, entry'),
    windows: now,
  },
  asset_price: {
    phrases: listed(`
      price symbol, price symbol value, symbol value, price asset, price value, asset price value`),
    windows: now,
  },
  price_age: {
    phrases: listed(`
      pps late, pps stale, last price late, stale, price stale, late, price late, price late driver,
      price stale driver, price update late, status price, price update stale`),
    windows: now,
  },
  last_price: {
    phrases: listed('last price, last price update, price update, last update, pps update, pps last update'),
    windows: now,
  },
  expiry: { phrases: listed('expire, price expire, pps expire, price stale expire'), windows: now, isAhead: true },
  next_price: {
    phrases: listed(`
      next price, next price due, price due, next update, next price update, due, next pps, next pps due`),
    isAhead: true,
  },
  cadence: {
    phrases: listed(`
      cadence, cadence price, cadence price update, longest cadence, longest cadence price update,
      cadence update, price cadence average`),
    windows: month,
  },
  deviation: {
    phrases: listed(`
      deviation threshold distance, deviation distance, deviation, deviation threshold, threshold,
      price threshold`),
    windows: now,
  },
  pps: {
    phrases: listed(`
      pps share, pps share pending fee, pps pending fee share, price share, price share value, pps value,
      pps, price, pps net, pps pending fee, pps fee net, pps gross, accepted price`),
    windows: now,
  },
  status: {
    phrases: listed('status happen, status own, pause, status, pause driver, pause status, status late'),
    windows: now,
  },
  risk: {
    phrases: listed(`
      risk, risk score, score, risk driver, risk score driver, score driver, risk score change, risk best,
      risk large, risk longest`),
    windows: now,
  },
  drawdown: {
    phrases: listed(`
      drawdown, longest drawdown, last drawdown, drawdown driver, last drawdown driver, drawdown start,
      last drawdown start, drawdown recover, last drawdown recover taken, last drawdown recover, recover,
      drawdown longest, drawdown large`),
    windows: month,
  },
  underwater: { phrases: listed('underwater, underwater share'), windows: month },
  volatility: {
    phrases: listed('volatility, volatility annual, volatility price, volatility return, volatility apy'),
    windows: month,
  },
  sharpe: { phrases: listed('sharpe, sharpe return'), windows: now },
  churn: {
    phrases: listed(`
      redeem churn, churn last, churn, churn holder, came, came holder, came churn, churn redeem,
      holder change, came redeem, holder redeem, churn came holder`),
    windows: ['d7', 'd30'],
  },
  retention: {
    phrases: listed('retention, holder retention, asset retention, share retention, retention own'),
    windows: ['d7', 'd30'],
  },
  active: { phrases: listed('active wallet, active holder'), windows: ['h24', 'd7', 'd30'] },
  holders: {
    phrases: listed('holder, holder ever, holder own, holder wallet'),
    windows: ['current', 'since_inception'],
  },
  upkeep_cost: {
    phrases: listed(`
      upkeep cost, price update cost, update cost, upkeep update cost, upkeep price update cost,
      price cost`),
    windows: now,
  },
  upkeep: {
    phrases: listed(`
      upkeep balance last, upkeep balance empty, upkeep redeem, upkeep, runway, upkeep runway,
      upkeep last, upkeep balance, upkeep empty, upkeep runway worst, runway worst, upkeep topup, topup,
      upkeep runway last, upkeep due, upkeep pending`),
    isAhead: true,
    windows: now,
  },
  gas: {
    phrases: listed(`
      gas, gas average, gas average transaction, gas transaction, gas cost, gas cost transaction,
      gas cost average transaction`),
    windows: month,
  },
  slippage: { phrases: listed('slippage, slippage average, slippage longest'), windows: month },
  transactions: { phrases: listed('transaction, last transaction'), windows: month },
  my_role: { phrases: listed('role'), windows: now },
  managers: {
    phrases: listed(`
      manager fee change, manager fee, manager pause, manager skim, manager source, manager source change,
      manager change fee, secondary manager role, primary manager role, manager fee taken,
      manager fee skim, manager, primary manager, secondary manager, manager wallet, manager role,
      role list, role holder, manager role list, primary, secondary, role own, fee change manager,
      primary manager wallet, manager list`),
    windows: now,
  },
  viewonly: {
    phrases: listed('viewonly, viewonly role, viewonly role holder, viewonly holder, viewonly holder role own'),
    windows: now,
  },
  manager_change: {
    phrases: listed(`
      manager proposed, manager change proposed, primary manager proposed,
      primary manager change proposed, manager change pending, primary manager pending, manager pending,
      primary manager change pending`),
    isAhead: true,
  },
  validators: {
    phrases: listed(`
      validator, transmission, validator update, validator silent, silent, last transmission,
      last transmission validator, validator late, validator status, transmission validator,
      validator list`),
    windows: now,
  },
  timeline: {
    phrases: listed(`
      happen, last happen, last active, active, last change, happen list, change, manager active,
      happen change`),
    windows: always,
  },
  my_vaults: {
    phrases: listed('vaults, list vaults, vaults tvl, vaults role, vaults return, vaults apy'),
    windows: now,
  },
  prepare: {
    phrases: listed(`
      prepare, prepare fee, prepare skim, prepare fee skim, prepare change, prepare pause,
      prepare skim redeem`),
    isAhead: true,
  },
  summary: { phrases: listed('summary, summary status'), windows: always },
  created: { phrases: listed('create, create last'), windows: ['current', 'since_inception'] },
} as const satisfies Readonly<Record<string, Intent>>;
export type IntentName = keyof typeof intents;

/** What is asked often and is no figure of this analyst, with the reason; recognised so that it is not taken for another. */
export const unanswered: readonly { phrases: readonly string[]; reason: string }[] = [
  {
    phrases: listed('manager change, primary manager change'),
    reason: 'I know who the managers are, and not since when. The timeline lists changes of roles.',
  },
  {
    phrases: listed('holder wallet, large holder wallet, large wallet, holder wallet list'),
    reason: 'I know how much the largest holders have, and not who they are. The holders page lists them.',
  },
  {
    phrases: listed('gas validator, gas manager, gas holder, gas coverage validator'),
    reason: 'I know what gas cost in all, and not by who paid for it. The operations page splits it.',
  },
];

const kindWords = (kind: PreparedKind): string[] => kind.split('_').map((word) => word.replace(/s$/, ''));

/** The kind of change whose words all occur in the question; the longest name first. */
export function kindIn(text: string): PreparedKind | null {
  const lower = text.toLowerCase();
  const byLength = [...preparedKinds].sort((a, b) => b.length - a.length);
  return byLength.find((kind) => kindWords(kind).every((word) => new RegExp(`\\b${word}`).test(lower))) ?? null;
}

/** Whether a change needs no more than its name. */
export const needsNothing = (kind: PreparedKind): boolean => preparedArgs[kind].safeParse({}).success;
