import { type Intent, intent, month, now } from './intent.ts';
import { holdersAndWork } from './intents-operations.ts';

const returns = { windows: ['current', 'd7', 'd30', 'd90', 'since_inception'] } as const;
const present = { windows: now } as const;
const ahead = { windows: now, isAhead: true } as const;

/** What the chat can answer, the more particular before the more general: of two that fit alike the first is taken. */
export const intents = {
  self: intent('yourself', '', {}),
  help: intent('ability', '', {}),
  compare: intent('compare, compare return, compare summary', 'last happen status own', { windows: ['d7', 'd30'] }),
  apy: intent(
    'apy annual, apy, annual return, annual',
    'apy net holder last compare number distance below change taken',
    returns,
  ),
  gross_apy: intent(
    'apy gross, apy fee, apy fee cost, gross net, gross, fee drag, return gross, return fee cost, fee cost, fee cost holder',
    'apy net compare return holder share cost last whatif',
    returns,
  ),
  return: intent(
    'return, return net, twr, twr return, pps change, profit return, profit',
    'holder last number compare net pps change price own',
    returns,
  ),
  apr: intent('apr, apr return', 'number last net', { windows: month }),
  benchmark: intent(
    'benchmark, benchmark return, benchmark compare',
    'return compare apy last distance own holder symbol number asset',
    { windows: month },
  ),
  sources: intent(
    `source, allocation, source best apy, best apy, source allocation, source apy, source return, source own, source best,
     source best return, source large, allocation large, protocol own, protocol asset, protocol large, protocol allocation,
     asset where, money where, apy driver, return driver, large position, position, apy where, return where`,
    'apy return asset own last where best share money howmany large source allocation protocol best symbol driver rank',
    present,
  ),
  empty_sources: intent('source not, source empty, source idle', 'own asset howmany money last empty', present),
  source_share: intent(
    'onesource, onesource allocation, onesource share, onesource own, onesource tvl, onesource asset, onesource value',
    'allocation share own tvl asset value money symbol howmany position number',
    present,
  ),
  source_apy: intent('onesource apy, onesource apr, onesource source apy', 'return last number', present),
  idle: intent(
    'idle, idle drag, idle share, cash drag, cash share, cash own, cash asset, cash idle',
    'cash asset share tvl value own drag money symbol number howmany source',
    present,
  ),
  concentration: intent(
    'concentration, concentration source, effective source, concentration allocation',
    'allocation source share risk number asset howmany effective score last',
    present,
  ),
  top_holders: intent(
    'large holder, large holder own, large holder share, large share, large own, holder dominant, large holder dominant, concentration holder, holder share',
    'own share tvl concentration asset money symbol risk last supply',
    present,
  ),
  calculated: intent(
    'divergence, calculated price, calculated, calculated pps, price divergence',
    'price pps value distance accepted divergence calculated compare own number last',
    present,
  ),
  what_if: intent(
    `whatif price, whatif update, whatif update threshold, whatif price threshold, whatif next, whatif calculated price, whatif price update, whatif calculated price update, whatif next price, next price pause,
     calculated price accepted update, next price accepted, next update accepted, whatif pps, next price change`,
    'calculated price pps update next pause accepted change threshold deviation validator',
    ahead,
  ),
  bankrun: intent(
    `bankrun large, bankrun redeem, bankrun holder redeem, bankrun shortfall, bankrun, bankrun holder, bankrun large holder,
     whatif redeem, whatif holder redeem, whatif large holder redeem, large holder redeem, large holder churn, shortfall redeem,
     large redeem, coverage bankrun, bankrun large hour`,
    'hour asset money cash liquidity coverage shortfall redeem holder large own whatif churn bankrun',
    { windows: ['h24', ...now], isAhead: true, isPresent: true },
  ),
  coverage: intent(
    'coverage, coverage holder, coverage large holder, coverage large, coverage redeem',
    'liquidity holder large redeem whatif asset money cash own share number hour ladder',
    { ...ahead, isPresent: true },
  ),
  liquidity: intent(
    'liquidity, redeem liquidity, liquidity hour, liquidity asset, redeem hour, liquidity share, coverage hour, ladder, speed redeem, speed cash, speed liquidity, howlong cash',
    'redeem asset share hour tvl coverage churn holder money cash symbol liquidity ladder own howmany day idle',
    ahead,
  ),
  redemptions: intent(
    `redeem pending, redeem queue, howmany holder redeem queue, howmany holder redeem pending, queue, oldest redeem, oldest redeem pending, redeem wait, holder redeem wait,
     redeem pending wait, wait, redeem late, redeem howlong, holder pending redeem, oldest, coverage queue, liquidity queue, cash queue, redeem fulfilled, fulfilled`,
    'redeem asset value holder money cash not symbol howmany queue pending howlong taken average median longest liquidity coverage oldest stale last who share wait late fulfilled',
    { windows: month },
  ),
  deposits: intent(
    'deposit, average deposit, median deposit',
    'average median compare value asset symbol howmany money tvl',
    {
      windows: month,
    },
  ),
  withdrawals: intent('redeem', 'value asset money symbol howmany taken last holder', { windows: month }),
  net_flow: intent(
    'flow, flow net, deposit redeem, deposit net, flow deposit, flow deposit redeem, money came',
    'value asset holder money cash symbol deposit redeem net last compare number',
    { windows: ['h24', 'd7', 'd30'] },
  ),
  tvl_change: intent(
    `tvl change, tvl driver, tvl change driver, tvl change price, tvl price, tvl change deposit, tvl change apy, tvl change flow,
     asset change, tvl change where, change driver, tvl compare, tvl compare driver`,
    'asset value driver apy deposit redeem flow price where money number holder last symbol return',
    { windows: ['h24', 'd7', 'd30'] },
  ),
  tvl: intent(
    'tvl, tvl asset, tvl value, asset value, money, money own, asset own',
    'asset value symbol own number distance below money howmany net',
    present,
  ),
  hwm_moved: intent(
    'hwm change, hwm last change, hwm when, hwm when change, hwm update, hwm last update, hwm last',
    'last when change driver howmany',
    {},
  ),
  hwm: intent(
    'hwm, hwm distance, hwm pps, hwm underwater',
    'where distance price pps below underwater compare number last peak return fee',
    present,
  ),
  below_hwm: intent(
    'hwm below holder, hwm below share, hwm below deposit, hwm share, hwm holder',
    'below holder share deposit money taken fee own supply',
    present,
  ),
  pending_fee: intent(
    `fee pending, fee pending skim, perffee pending, fee skim, skim, hwm profit, perffee skim, fee taken due, skim driver,
     fee driver taken, return fee pending, return fee pending skim, skim profit, skim when`,
    'asset symbol number not driver when perffee distance profit fee liquidity pending status money',
    ahead,
  ),
  fees_taken: intent(
    `fee recipient, perffee recipient, perffee taken, perffee taken recipient, perffee taken protocol, fee taken, fee protocol,
     perffee protocol, entry fee taken, entry fee recipient, fee taken return, fee value, fee where, fee sofar, perffee sofar, entry fee sofar`,
    'perffee fee protocol recipient entry taken until value asset symbol money where share number howmany last',
    { windows: ['since_inception', 'current'] },
  ),
  fee_change: intent(
    `fee proposed, fee change proposed, perffee change, perffee proposed, fee change, fee pending change, fee pending proposed,
     fee change entry, fee pending update, fee timelock`,
    'pending change proposed entry perffee last when update next timelock new not until',
    { isAhead: true },
  ),
  fee_terms: intent(
    'fee, entry fee, perffee, perffee share, entry, entry deposit, fee deposit, taken deposit, manager fee, manager fee taken',
    'share holder number deposit profit value net perffee entry tvl symbol came redeem new',
    present,
  ),
  asset_price: intent(
    'price symbol, price symbol value, symbol value, price asset, asset price value',
    'value last',
    present,
  ),
  ...holdersAndWork,
} as const satisfies Readonly<Record<string, Intent>>;
export type IntentName = keyof typeof intents;
