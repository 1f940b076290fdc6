import { always, intent, month, now } from './intent.ts';

const present = { windows: now } as const;
const ahead = { windows: now, isAhead: true } as const;

/** Intents on the price, risk, holders, upkeep, roles and the work on a vault. */
export const holdersAndWork = {
  price_age: intent(
    `pps late, pps stale, last price late, stale, price stale, late, price late, price late driver, price stale driver,
     price update late, status price, price update stale, price pending, price silent, pps status, price update driver`,
    'last status update pps price next accepted validator number late',
    present,
  ),
  last_price: intent(
    `last price, last price update, price update, last update, pps update, pps last update, when price, when price change, when last price change, when pps, last pps, validator last price, when validator price, when validator last price, when validator update, when validator last update,
     when price update, when last price, when last update, update`,
    'last price update when pps accepted validator',
    present,
  ),
  expiry: intent(
    'until when price, until price, until when pps, until pps, expire, price expire, pps expire, price stale expire, when price stale, when stale',
    'price pps when howlong stale last accepted next until proposed',
    ahead,
  ),
  next_price: intent(
    `next price, next price due, price due, next update, next price update, due, next pps, next pps due, when next`,
    'price pps due update when next validator until howlong',
    { isAhead: true },
  ),
  cadence: intent(
    'cadence, longest cadence',
    'price pps update average median longest last validator howmany hour day',
    {
      windows: month,
    },
  ),
  deviation: intent(
    'divergence threshold, divergence pause, price divergence pause, change pause, price change pause, deviation, deviation threshold, deviation distance, threshold, price threshold, deviation pause',
    'threshold price pps distance divergence status active number update pause accepted whatif change permitted cadence',
    present,
  ),
  pps: intent(
    `pps share, pps pending fee share, price share, price share value, pps value, pps, price, pps net, pps pending fee, pps gross,
     accepted price`,
    'share value net fee pending number accepted price pps last symbol compare',
    present,
  ),
  status: intent(
    'status, status happen, status own, pause, status pause',
    'happen own driver late status active',
    present,
  ),
  risk: intent(
    'risk, risk score, score, risk driver, risk change, risk best',
    'risk score driver last compare number large share asset best longest distance below change floor',
    present,
  ),
  drawdown: intent(
    `drawdown, drawdown driver, drawdown recover, recover, drawdown start, lose, pps change driver, price change driver,
     drawdown howlong, drawdown pps, drawdown price`,
    'longest worst last large price pps recover start driver howlong when number distance peak taken money share',
    { windows: month },
  ),
  underwater: intent(
    'underwater, below peak, underwater share, underwater howlong, pps below peak',
    'share howlong howmany price pps last below peak day number cost driver',
    { windows: month },
  ),
  volatility: intent('volatility, volatility annual', 'price pps return apy number annual last day net', {
    windows: ['h24', ...month],
  }),
  sharpe: intent('sharpe', 'return number last risk', { windows: month }),
  churn: intent(
    `churn, churn holder, came, came holder, new, new holder, cameback, holder change, lose holder, churn came holder,
     holder came lose`,
    'last holder came cameback new not lose churn howmany who pending',
    { windows: ['d7', 'd30'] },
  ),
  retention: intent(
    'retention, holder retention, asset retention, holder tenure share, howmany holder tenure',
    'holder asset share own last howmany tenure',
    {
      windows: ['d7', 'd30'],
    },
  ),
  active: intent('active wallet, active holder', 'howmany last holder wallet', { windows: ['h24', 'd7', 'd30'] }),
  holders: intent('holder, holder ever, holder ever deposit', 'own ever howmany wallet last', {
    windows: ['current', 'since_inception'],
  }),
  upkeep_cost: intent(
    'upkeep cost, upkeep update, upkeep price update, price update cost, update cost, price cost, pps cost, pps update cost, validator update cost',
    'upkeep update price pps next last symbol average validator number',
    present,
  ),
  upkeep: intent(
    `upkeep, runway, topup, upkeep balance, upkeep empty, upkeep runway, upkeep redeem, upkeep topup, runway worst, upkeep due,
     upkeep pending, upkeep howlong, upkeep threshold, upkeep status`,
    'balance last empty runway worst topup redeem due pending when howlong howmany day money next price update stale status own longest coverage driver upkeep active until pause proposed',
    ahead,
  ),
  gas_payer: intent(
    `gas role, role gas coverage, gas keeper, gas validator, gas manager, gas holder, gas who, gas coverage, gas payer, gas deposit, gas coverage who,
     gas coverage validator, gas holder coverage, keeper cost, keeper gas cost`,
    'cost coverage share who last native value transaction howmany taken keeper validator manager holder',
    { windows: month },
  ),
  gas: intent(
    'gas, gas average, gas transaction, gas cost',
    'average median cost transaction native value last taken howmany',
    {
      windows: month,
    },
  ),
  slippage: intent('slippage', 'average longest last rebalance deposit redeem cost taken', { windows: month }),
  transactions: intent('transaction, transaction last', 'howmany last', { windows: month }),
  my_role: intent('role', 'own status', present),
  managers: intent(
    `manager, manager may, primary manager, secondary manager, role holder, primary, secondary, role own, manager role,
     secondary manager role, primary manager role, who role, who manager, wallet manager, role wallet, who primary, who secondary,
     howmany role, manager may fee change, manager may pause, manager may skim, manager may source change`,
    'who wallet role own howmany primary secondary status may',
    present,
  ),
  who_may: intent(
    'manager may',
    'fee perffee pause skim source change redeem taken proposed update upkeep idle allocation rebalance manager role entry price hook root topup deposit asset money',
    present,
  ),
  viewonly: intent('viewonly, viewonly role, viewonly holder', 'role holder own howmany who wallet', present),
  manager_change: intent(
    `manager proposed, manager change proposed, primary manager proposed, primary manager change proposed, manager change pending,
     primary manager pending, manager pending, primary manager change pending, next manager, new manager proposed, new primary manager proposed`,
    'primary change who when last next new not pending proposed timelock until',
    { isAhead: true },
  ),
  root: intent(
    'root, root proposed, root pending, root change proposed, hook root proposed, hook root, hook proposed, root status, hook pending',
    'hook new not proposed pending change status timelock when next last until',
    { isAhead: true },
  ),
  proposals: intent(
    'proposed, pending proposed, change pending, timelock, pending timelock, proposed timelock, proposed change, timelock change',
    'last happen when status howmany pending next new not change own until queue',
    { isAhead: true },
  ),
  validators: intent(
    `validator, transmission, validator update, validator silent, silent, last transmission, last transmission validator,
     validator late, validator status, transmission validator, validator active`,
    'last update late status silent price pps active transmission who churn',
    present,
  ),
  timeline: intent(
    'happen, last happen, last active, active, last change, change, happen change',
    'last status active when',
    {
      windows: always,
    },
  ),
  my_vaults: intent(
    'vaults, vaults tvl, vaults role, vaults return, vaults apy, vaults best',
    'tvl role return apy own compare best howmany money asset manager primary',
    present,
  ),
  prepare: intent(
    'prepare, prepare fee, prepare skim, prepare fee skim, prepare change, prepare pause, prepare skim redeem',
    'perffee',
    {
      isAhead: true,
    },
  ),
  summary: intent('summary, summary status', 'last status number', { windows: always }),
  created: intent('create, create last', 'when howlong last stale start', { windows: ['current', 'since_inception'] }),
} as const;
