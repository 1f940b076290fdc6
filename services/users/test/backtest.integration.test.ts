import { type Alert, alertRuleIds, type BacktestAlertRule, type ResultOf } from '@castellan/contracts';
import { startTestStore, type TestStore } from '@castellan/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { recordRecovered, recordSignal, recordStale } from '../src/alerts/evaluator/signals.ts';
import { plainAlert } from '../src/alerts/records/adapters/alert-records.mongo.ts';
import { backtestAlertRule, setAlertRule } from '../src/alerts/rules/use-cases/alert-rules.ts';
import { type AlertScene, observation, openAlertScene } from './alerts-scene.ts';
import { addTo, chain_id, primary, rollBack, stranger, strategy, vault, vault_address, viewer } from './scene.ts';

/** Five days in which the live evaluator has reason to open every rule of the catalogue; then each rule is back-tested over them. */

let store: TestStore;
let scene: AlertScene;
let live: Alert[];

const start = Date.UTC(2026, 0, 1) / 1000;
const HOUR = 3_600;
type Act = () => unknown;
const deps = () => ({ ...scene, now: () => new Date(scene.world.now) });

/** What happens in the vault's contracts at an hour after the start. */
const at = (hours: number) => {
  const after = hours * HOUR;
  const on =
    (contract: string) =>
    (name: string, args: Record<string, unknown> = {}) =>
      addTo(scene.fake, after, { name, contract, args: { strategy, ...args }, from: primary });
  return {
    chain: on('aggregator'),
    ofStrategy: on('strategy'),
    report: () => on('aggregator')('PPSUpdated', { pps: '1000000', timestamp: `${start + after}` }),
    seen: (priceHours: number, state: Record<string, unknown> = {}) =>
      addTo(scene.fake, after, observation({ last_update_timestamp: `${start + priceHours * HOUR}`, ...state })),
  };
};

const balances = (balance: string) => [{ wallet_address: viewer, balance }];
const nodes = (status: string) => [{ index: 1, node_id: 'oracle-1', status, transmitter_address: viewer }];
const wealth = `${10n ** 18n}`;
const signal = (kind: 'strategy' | 'automation' | 'mandate', state: 'ok' | 'failing') =>
  recordSignal(scene)({ id: `${kind}:${state}`, chain_id, vault_address, kind, subject: '7', state, detail: 'Slip.' });
const node = (id: string) =>
  ({ id, chain_id, strategy_address: strategy, node_id: 'oracle-1', node_index: 1 }) as never;
const transmissions = (successes: number) => {
  scene.world.transmissions = Array.from({ length: 20 }, (_, n) => ({ status: n < successes ? 'success' : 'failure' }));
};
const queue = (hours: number, name: string, count: number) => {
  for (let n = 0; n < count; n += 1) at(hours).ofStrategy(name, { controller: `0x${n}` });
};
const propose = (hours: number) => {
  const effectiveTime = `${start + 200 * HOUR}`;
  at(hours).chain('PrimaryManagerChangeProposed', { newManager: stranger, effectiveTime });
  at(hours).chain('StrategyHooksRootUpdateProposed', { root: '0x01', effectiveTime });
  at(hours).ofStrategy('VaultFeeConfigProposed', { performanceFeeBps: 1, managementFeeBps: 2, effectiveTime });
  at(hours).chain('UpkeepWithdrawalProposed', { amount: '5', effectiveTime });
};
const decide = (hours: number) => {
  at(hours).chain('PrimaryManagerChangeCancelled');
  at(hours).chain('StrategyHooksRootUpdated');
  at(hours).ofStrategy('VaultFeeConfigUpdated');
  at(hours).chain('UpkeepWithdrawalCancelled');
};
const switchRefusals = (version: number, enabled: boolean) =>
  setAlertRule(deps())({ ...vault, rule_id: 'price_check_failed', version, enabled }, scene.call(primary));
const spend = (hours: number, balance: string) => {
  at(hours).report();
  at(hours).chain('UpkeepSpent', { amount: '100', balance });
};

const script: readonly (readonly [number, Act])[] = [
  [2, () => at(2).chain('StrategyPaused')],
  [14, () => at(14).chain('StrategyUnpaused')],
  [17, () => at(17).report()],
  [20, () => at(20).seen(17, { upkeep_balance: '1' })],
  [40, () => at(40).seen(17, { upkeep_balance: '1', calculated_pps: '1200000' })],
  [42, () => at(42).report()],
  [43, () => at(43).seen(42)],
  [44, () => propose(44)],
  [46, () => decide(46)],
  [47, () => at(47).chain('StrategyCheckFailed', { reason: 'HIGH_PPS_DEVIATION' })],
  [48, () => at(48).report()],
  [49, () => queue(49, 'RedeemRequestPlaced', 12)],
  [50, () => queue(50, 'RedeemClaimable', 12)],
  [51, () => at(51).chain('StrategyHooksRootVetoStatusChanged', { vetoed: true })],
  [52, () => at(52).chain('StrategyHooksRootVetoStatusChanged', { vetoed: false })],
  [
    53,
    () => {
      scene.world.readings = {
        pause_proof: { ok: false, is_old: false, reason: 'NO_GAS' },
        keeper: null,
        balances: balances('1'),
      };
      scene.world.nodes = nodes('silent');
      scene.world.services = ['vaults'];
      transmissions(10);
      return Promise.all([
        signal('strategy', 'failing'),
        signal('automation', 'failing'),
        signal('mandate', 'failing'),
      ]);
    },
  ],
  [53.05, () => recordStale(scene)(node('s1'))],
  [54, () => transmissions(18)],
  [
    55,
    () => {
      scene.world.readings = {
        pause_proof: { ok: true, is_old: false, reason: null },
        keeper: null,
        balances: balances(wealth),
      };
      scene.world.nodes = nodes('ok');
      scene.world.services = ['vaults', 'keeper'];
      transmissions(20);
      return Promise.all([signal('strategy', 'ok'), signal('automation', 'ok'), signal('mandate', 'ok')]);
    },
  ],
  [56, () => recordRecovered(scene)(node('s2'))],
  // What managers set is part of the history: the same queue fires now, of a size that did not before.
  [
    57,
    () =>
      setAlertRule(deps())(
        { ...vault, rule_id: 'redemption_queue', version: 0, thresholds: { pending_requests: 3 }, for_seconds: 600 },
        scene.call(primary),
      ),
  ],
  [58, () => queue(58, 'RedeemRequestPlaced', 5)],
  [59, () => queue(59, 'RedeemClaimable', 5)],
  // And a rule that is off finds nothing.
  [59.5, () => switchRefusals(0, false)],
  [59.8, () => at(59.8).chain('StrategyCheckFailed', { reason: 'QUORUM' })],
  [60, () => spend(60, '500')],
  [61, () => switchRefusals(1, true)],
  [72, () => spend(72, '400')],
  [85, () => spend(85, '130')],
  [86, () => at(86).seen(85, { upkeep_balance: '100000' })],
  // A pause that a reorganisation takes back.
  [88, () => at(88).chain('StrategyPaused')],
  [89, () => rollBack(scene.fake, 88 * HOUR)],
  [100, () => at(100).report()],
];

beforeAll(async () => {
  store = await startTestStore();
  scene = await openAlertScene(store);
  scene.created();
  at(0).seen(0);
  scene.world.nodes = nodes('ok');
  scene.world.readings = {
    pause_proof: { ok: true, is_old: false, reason: null },
    keeper: null,
    balances: balances(wealth),
  };
  transmissions(20);
  const evaluator = scene.evaluator();
  const goTo = async (hours: number) => {
    scene.world.now = (start + hours * HOUR) * 1000;
    scene.world.indexedTime = new Date(scene.world.now).toISOString();
    await scene.settle(evaluator);
  };
  await goTo(0);
  for (const [hours, act] of script) {
    await act();
    await goTo(hours);
    // Again a little later: most rules want their condition to hold for a while.
    await goTo(hours + 0.2);
  }
  live = (await scene.alerts.alerts.find({}).sort({ opened_at: 1, subject: 1 }).toArray()).map(plainAlert);
});
afterAll(async () => {
  await scene.mongo.close();
  await store.stop();
});

type Episode = ResultOf<typeof BacktestAlertRule>['episodes'][number];
const shown = (all: readonly (Alert | Episode)[]) =>
  all
    .map(({ opened_at, resolved_at, subject, title, message }) => ({ opened_at, resolved_at, subject, title, message }))
    .sort((left, right) => `${left.opened_at}${left.subject}`.localeCompare(`${right.opened_at}${right.subject}`));

// Over the catalogue, so that a rule that is added fails here until the history gives it a reason.
test.each(alertRuleIds)('behavior: a back-test of %s is what the live evaluator did', async (rule_id) => {
  const did = live.filter((alert) => alert.rule_id === rule_id);
  expect(did.length).toBeGreaterThan(0);
  expect(did.every(({ is_replayed }) => !is_replayed)).toBe(true);
  const { episodes, fired } = await backtestAlertRule(deps())({ ...vault, rule_id }, scene.call(primary));
  expect(fired).toBe(did.length);
  expect(shown(episodes)).toEqual(shown(did));
});

test('behavior: a rule that was off did nothing, and a trial of other settings says what it would have done', async () => {
  const rule = { ...vault, rule_id: 'price_check_failed' as const };
  const { fired } = await backtestAlertRule(deps())(rule, scene.call(primary));
  const trial = await backtestAlertRule(deps())({ ...rule, settings: { for_seconds: 0 } }, scene.call(primary));
  expect([fired, trial.fired, trial.settings.enabled]).toEqual([1, 2, true]);
});

test('behavior: the live evaluator sends those that a back-test counts as notified', async () => {
  const sent = await scene.alerts.events.find({ event_type: { $in: ['alert.opened', 'alert.unmuted'] } }).toArray();
  for (const rule_id of alertRuleIds) {
    const { notified } = await backtestAlertRule(deps())({ ...vault, rule_id }, scene.call(primary));
    const alerts = new Set(sent.flatMap(({ data: { alert } }) => (alert?.rule_id === rule_id ? alert.alert_id : [])));
    expect([rule_id, notified]).toEqual([rule_id, alerts.size]);
  }
});
