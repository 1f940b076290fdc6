import { type Alert, alertRuleIds } from '@castellan/contracts';
import { onStoreCommand, type RecordWith } from '@castellan/service-kit';
import { startTestStore, type TestStore } from '@castellan/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { recordSignal, recordStale } from '../src/alerts/evaluator/signals.ts';
import { Journal } from '../src/alerts/journal/adapters/journal.mongo.ts';
import { alertIdOf, plainAlert } from '../src/alerts/records/adapters/alert-records.mongo.ts';
import { acknowledgeAlert, resolveAlert } from '../src/alerts/records/use-cases/change-alerts.ts';
import { listAlertEvents, listAlerts } from '../src/alerts/records/use-cases/read-alerts.ts';
import { backtestAlertRule, listAlertRules, setAlertRule } from '../src/alerts/rules/use-cases/alert-rules.ts';
import { AuditLog } from '../src/audit/adapters/audit-log.mongo.ts';
import { type AlertScene, observation, openAlertScene } from './alerts-scene.ts';
import {
  addTo,
  chain_id,
  otherVault,
  primary,
  rollBack,
  stranger,
  strategy,
  vault,
  vault_address,
  viewer,
} from './scene.ts';

let store: TestStore;
let scene: AlertScene;

beforeAll(async () => {
  store = await startTestStore();
});
afterAll(() => store.stop());
beforeEach(async () => {
  scene = await openAlertScene(store);
});
afterEach(() => scene.mongo.close());

/** A change of the strategy at a second after the start of the chain, which is its block as well. */
const happens = (after: number, name: string, args: Record<string, unknown> = {}) =>
  addTo(scene.fake, after, { name, args: { strategy, ...args }, from: primary });
const seen = (after: number, state: Record<string, unknown> = {}) => addTo(scene.fake, after, observation(state));

const stored = async (): Promise<Alert[]> =>
  (await scene.alerts.alerts.find({}).sort({ opened_at: 1, rule_id: 1 }).toArray()).map(plainAlert);
const sent = async () =>
  (await scene.alerts.events.find({}).sort({ sequence: 1 }).toArray()).map(
    ({ sequence, event_type, data }) => `${sequence} ${event_type} ${data.alert?.rule_id}`,
  );
const deps = () => ({ ...scene, now: () => new Date(scene.world.now) });

/** A vault that is watched and well. */
async function watched() {
  scene.created();
  seen(0);
  const evaluator = scene.evaluator();
  await scene.settle(evaluator);
  return evaluator;
}

describe('the evaluator', () => {
  test('default: opens, sends and resolves, each once, with a row for each change', async () => {
    const evaluator = await watched();
    happens(100, 'StrategyPaused');
    await scene.settle(evaluator);
    happens(200, 'StrategyUnpaused');
    seen(200);
    await scene.settle(evaluator);
    await scene.settle(evaluator);
    expect(await stored()).toEqual([
      expect.objectContaining({
        alert_id: alertIdOf(chain_id, vault_address.toLowerCase(), 1),
        rule_id: 'vault_paused',
        severity: 'critical',
        status: 'resolved',
        vault_name: 'USDC Core',
        opened_at: '2026-01-01T00:01:40.000Z',
        resolved_at: '2026-01-01T00:03:20.000Z',
        block_number: 100,
        is_replayed: false,
        runbook_url: 'docs/runbooks/alerts.md#vault_paused',
      }),
    ]);
    expect(await sent()).toEqual(['1 alert.opened vault_paused', '2 alert.resolved vault_paused']);
    const rows = await scene.storedRows();
    expect(rows.filter(({ category }) => category === 'alert').map(({ action_type }) => action_type)).toEqual([
      'alert_opened',
      'alert_resolved',
    ]);
    const published = (await scene.outbox.published()).map(({ event, data }) => {
      const { kind, status } = data as { kind?: string; status?: string };
      return [event, kind ?? status];
    });
    expect(published).toEqual([
      ['vault_updated', 'alert'],
      ['alert_changed', 'active'],
      ['vault_updated', 'alert'],
      ['alert_changed', 'resolved'],
    ]);
  });

  test('behavior: history is stored and not sent, but what it left open is', async () => {
    scene.created();
    seen(0);
    happens(100, 'StrategyPaused');
    happens(200, 'StrategyUnpaused');
    seen(200);
    happens(300, 'StrategyPaused');
    await scene.settle(scene.evaluator());
    expect((await stored()).map(({ status, is_replayed }) => [status, is_replayed])).toEqual([
      ['resolved', true],
      ['active', false],
    ]);
    expect(await sent()).toEqual(['1 alert.opened vault_paused']);
  });

  test('behavior: a log that ends is no present while the indexer is behind the chain', async () => {
    scene.created();
    seen(0);
    scene.world.lagSeconds = 3 * 86_400;
    const evaluator = scene.evaluator();
    await evaluator.step(chain_id);
    happens(100, 'StrategyPaused');
    await evaluator.step(chain_id);
    scene.world.lagSeconds = null;
    await evaluator.step(chain_id);
    expect(await sent()).toEqual([]);
    happens(200, 'StrategyUnpaused');
    seen(200);
    scene.world.lagSeconds = 2;
    await scene.settle(evaluator);
    expect(await sent()).toEqual([]);
    expect((await stored()).map(({ is_replayed }) => is_replayed)).toEqual([true]);
  });

  test('behavior: a muted alert is stored with its reason, sent to nobody, and counted apart', async () => {
    const evaluator = await watched();
    happens(100, 'StrategyPaused');
    seen(86_400, { is_paused: true });
    await scene.settle(evaluator);
    const stale = (await stored()).find(({ rule_id }) => rule_id === 'pps_staleness_critical');
    expect(stale?.inhibited_by).toMatchObject({ rule_id: 'vault_paused', effect: 'mute' });
    expect(await sent()).toEqual(['1 alert.opened vault_paused']);
    const { counts, alerts } = await listAlerts(deps())({ status: 'active', limit: 100 }, scene.call(primary));
    expect(counts.by_status).toEqual({ active: 1, acknowledged: 0, resolved: 0, muted: 2 });
    expect(alerts).toHaveLength(counts.by_status.active);
    const [{ chain_id, vault_address, severity }] = alerts as [Alert];
    const none = { critical: 0, warning: 0, info: 0 };
    expect(counts.by_vault).toEqual([{ chain_id, vault_address, ...none, [severity]: 1, acknowledged: 0 }]);
  });

  test.each(['before its row', 'before the commit'])(
    'behavior: killed %s, a change leaves nothing; what was changed before it is complete, once and in order',
    async (point) => {
      const expected = ['1 alert.opened vault_paused', '2 alert.resolved vault_paused', '3 alert.opened upkeep_empty'];
      const evaluator = await watched();
      await evaluator.stop();
      happens(100, 'StrategyPaused');
      happens(200, 'StrategyUnpaused');
      seen(200);
      seen(300, { upkeep_balance: '1' });
      const rows = async () => (await scene.storedRows()).filter(({ category }) => category === 'alert');
      for (let survives = 0; survives < expected.length; survives += 1) {
        let left = survives;
        const auditLog = new AuditLog(scene.collections);
        auditLog.append = (row, session) =>
          point === 'before its row' && left === 0
            ? Promise.reject(new Error('killed'))
            : scene.auditLog.append(row, session);
        const recordWith: RecordWith = async (events, write) => {
          const isKilled = point === 'before the commit' && left === 0;
          const result = await (isKilled ? scene.outbox.killed : scene.outbox).recordWith(events, write);
          left -= 1;
          return result;
        };
        await expect(scene.evaluator({ auditLog, outbox: { recordWith } }).step(chain_id)).rejects.toThrow('killed');
        expect(await sent()).toEqual(expected.slice(0, survives));
        expect([await rows(), await scene.outbox.published()].map(({ length }) => length)).toEqual([
          survives,
          2 * survives,
        ]);
        expect(await stored()).toHaveLength(Math.min(survives, 1));
        await scene.mongo.collection('leases').deleteMany({});
      }
      await scene.settle(scene.evaluator());
      expect(await sent()).toEqual(expected);
      expect((await stored()).map(({ rule_id, status }) => `${rule_id} ${status}`)).toEqual([
        'vault_paused resolved',
        'upkeep_empty active',
      ]);
      expect(await rows()).toHaveLength(3);
    },
  );

  test('behavior: one process judges at a time', async () => {
    await watched();
    happens(100, 'StrategyPaused');
    await scene.evaluator().step(chain_id);
    expect(await stored()).toEqual([]);
  });

  test('behavior: time alone opens an alert, once the chain says it passed', async () => {
    const evaluator = await watched();
    scene.world.indexedTime = new Date(Date.UTC(2026, 0, 1, 13)).toISOString();
    await scene.settle(evaluator);
    expect((await stored()).map(({ rule_id, opened_at }) => [rule_id, opened_at])).toEqual([
      ['pps_staleness_warning', '2026-01-01T12:00:00.000Z'],
    ]);
  });

  test('behavior: readings, signals and nodes are facts; the same message twice is one', async () => {
    const evaluator = await watched();
    await scene.settle(evaluator);
    scene.world.nodes = [{ index: 3, node_id: 'oracle-3', status: 'silent', transmitter_address: viewer }];
    scene.world.readings = {
      pause_proof: { ok: false, is_old: false, reason: 'NO_GAS' },
      keeper: null,
      balances: [{ wallet_address: viewer, balance: '1234567' }],
    };
    scene.world.transmissions = Array.from({ length: 10 }, () => ({ status: 'failure' }));
    scene.world.services = ['vaults'];
    const signal = {
      id: 's1',
      chain_id,
      vault_address,
      kind: 'strategy',
      subject: '7',
      state: 'failing',
      detail: 'Slippage.',
    } as const;
    for (let twice = 0; twice < 2; twice += 1) {
      await recordSignal(scene)(signal);
      const said = { id: 'n1', chain_id, strategy_address: strategy, node_id: 'oracle-3', node_index: 3 };
      await recordStale(scene)(said as never);
    }
    await scene.settle(evaluator);
    scene.world.indexedTime = new Date(Date.UTC(2026, 0, 1, 0, 20)).toISOString();
    await scene.settle(evaluator);
    expect((await stored()).map(({ rule_id, subject }) => `${rule_id} ${subject}`).sort()).toEqual([
      `low_gas wallet:${viewer}`,
      'node_down node:3',
      'node_price_stale node:3',
      'pause_proof_failing vault',
      'service_down service:keeper',
      'strategy_error strategy:7',
      'success_rate_critical vault',
      'success_rate_low vault',
    ]);
    const items = await scene.journal.after({ chain_id, vault: vault_address.toLowerCase() }, 0);
    expect(
      items.flatMap(({ events }) => events).filter(({ type }) => type === 'signal' || type === 'node_price'),
    ).toHaveLength(2);
  });

  test('behavior: a step without news reads the clock alone, and what another process stored is judged by the next', async () => {
    const evaluator = await watched();
    await evaluator.step(chain_id);
    const asked: string[] = [];
    onStoreCommand(scene.mongo, ({ name, command }) => asked.push(`${command[name]}`));
    await evaluator.step(chain_id);
    expect(asked).toEqual(['leases', 'alert_clocks']);
    const elsewhere = { ...scene, journal: new Journal(scene.alerts) };
    const signal = { id: 's1', chain_id, vault_address, kind: 'strategy', subject: '7', detail: 'Slippage.' } as const;
    await recordSignal(elsewhere)({ ...signal, state: 'failing' });
    await evaluator.step(chain_id);
    await evaluator.step(chain_id);
    expect((await scene.journal.after({ chain_id, vault: vault_address.toLowerCase() }, 0)).at(-1)?.n).toBe(
      (await scene.engine()).after_n,
    );
    asked.length = 0;
    await evaluator.step(chain_id);
    expect(asked).toEqual(['leases', 'alert_clocks']);
  });

  test('behavior: of the keeper it says that it is the keeper, where the vault admits it', async () => {
    const evaluator = await watched();
    await scene.settle(evaluator);
    const balance = '1234567';
    const messages = async () => (await stored()).map(({ rule_id, message }) => `${rule_id}: ${message}`);
    const poor = (keeper: string) => ({ pause_proof: null, keeper, balances: [{ wallet_address: keeper, balance }] });
    scene.world.readings = poor(stranger);
    scene.world.now += 600_000;
    await scene.settle(evaluator);
    expect(await messages()).toEqual([]);
    scene.world.readings = poor(primary);
    scene.world.now += 600_000;
    await scene.settle(evaluator);
    scene.world.indexedTime = new Date(Date.UTC(2026, 0, 1, 0, 20)).toISOString();
    await scene.settle(evaluator);
    expect(await messages()).toEqual([`low_gas: The keeper ${primary} has 0.0000 of the native coin left for gas.`]);
  });

  test('behavior: a rolled back pause ends its alert', async () => {
    const evaluator = await watched();
    happens(100, 'StrategyPaused');
    await scene.settle(evaluator);
    rollBack(scene.fake, 100);
    await scene.settle(evaluator);
    expect((await stored()).map(({ status }) => status)).toEqual(['resolved']);
  });

  test('behavior: says how long nobody judged', async () => {
    await watched();
    scene.world.now += 90_000;
    expect(await scene.registry.metrics()).toContain(
      `alerts_evaluation_age_seconds{chain_id="${chain_id}",service="test"} 90`,
    );
  });
});

describe('people', () => {
  const open = async () => {
    const evaluator = await watched();
    happens(100, 'StrategyPaused');
    await scene.settle(evaluator);
    return { evaluator, id: alertIdOf(chain_id, vault_address.toLowerCase(), 1) };
  };

  test('default: acknowledge with a note, then resolve; each is sent and audited with who did it', async () => {
    const { id } = await open();
    const acknowledged = await acknowledgeAlert(deps())({ id, note: 'On it.' }, scene.call(primary));
    expect(acknowledged).toMatchObject({ status: 'acknowledged', acknowledged_by: primary, note: 'On it.' });
    await acknowledgeAlert(deps())({ id }, scene.call(primary));
    await resolveAlert(deps())({ id }, scene.call(primary));
    expect(await sent()).toEqual([
      '1 alert.opened vault_paused',
      '2 alert.acknowledged vault_paused',
      '3 alert.resolved vault_paused',
    ]);
    const { actor_wallet, action_type } = (await scene.storedRows()).at(-1) ?? {};
    expect([actor_wallet, action_type]).toEqual([primary, 'alert_resolved']);
  });

  test('behavior: what is acknowledged stays among the counts of its vault until it is over', async () => {
    const { id } = await open();
    const counted = async () => {
      const { counts } = await listAlerts(deps())({ limit: 100 }, scene.call(primary));
      return counts.by_vault.map(({ critical, acknowledged }) => ({ critical, acknowledged }));
    };
    expect(await counted()).toEqual([{ critical: 1, acknowledged: 0 }]);
    await acknowledgeAlert(deps())({ id }, scene.call(primary));
    expect(await counted()).toEqual([{ critical: 0, acknowledged: 1 }]);
    await resolveAlert(deps())({ id }, scene.call(primary));
    expect(await counted()).toEqual([]);
  });

  test('behavior: killed before the commit, an acknowledgement leaves nothing; the next one makes all of it', async () => {
    const { id } = await open();
    const acknowledge = (outbox: { recordWith: RecordWith }) =>
      acknowledgeAlert({ ...deps(), outbox })({ id }, scene.call(primary));
    await expect(acknowledge(scene.outbox.killed)).rejects.toThrow('killed');
    expect(await sent()).toEqual(['1 alert.opened vault_paused']);
    expect(await stored()).toMatchObject([{ status: 'active', version: 1 }]);
    await acknowledge(scene.outbox);
    expect(await sent()).toEqual(['1 alert.opened vault_paused', '2 alert.acknowledged vault_paused']);
    expect((await scene.storedRows()).at(-1)).toMatchObject({ action_type: 'alert_acknowledged' });
    expect(await scene.outbox.published()).toHaveLength(4);
  });

  test('behavior: closed by hand it stays closed until the condition ends and comes back', async () => {
    const { id, evaluator } = await open();
    await resolveAlert(deps())({ id }, scene.call(primary));
    seen(200, { is_paused: true });
    await scene.settle(evaluator);
    happens(300, 'StrategyUnpaused');
    seen(300);
    await scene.settle(evaluator);
    happens(400, 'StrategyPaused');
    await scene.settle(evaluator);
    expect((await stored()).map(({ status, resolved_by }) => [status, resolved_by])).toEqual([
      ['resolved', primary],
      ['active', null],
    ]);
    expect((await sent()).filter((event) => event.includes('resolved'))).toHaveLength(1);
  });

  test('error: a stranger, an unknown alert, and acknowledging what is resolved', async () => {
    const { id } = await open();
    await expect(acknowledgeAlert(deps())({ id }, scene.call(stranger))).rejects.toMatchObject({
      code: 'ROLE_REQUIRED',
    });
    await expect(resolveAlert(deps())({ id: 'al_0' }, scene.call(primary))).rejects.toMatchObject({
      code: 'ALERT_NOT_FOUND',
    });
    await resolveAlert(deps())({ id }, scene.call(primary));
    await expect(acknowledgeAlert(deps())({ id }, scene.call(primary))).rejects.toMatchObject({
      code: 'ALERT_RESOLVED',
    });
  });

  test('behavior: a token for another vault sees and counts nothing of this one', async () => {
    await open();
    const bound = scene.call(primary, { chain_id, vault_address: otherVault });
    const { total, counts } = await listAlerts(deps())({ limit: 100 }, bound);
    expect([total, counts.total]).toEqual([0, 0]);
    await expect(listAlerts(deps())({ ...vault, limit: 100 }, bound)).rejects.toMatchObject({ code: 'ROLE_REQUIRED' });
  });

  test('default: events after a sequence, for who lost some', async () => {
    const { id } = await open();
    await acknowledgeAlert(deps())({ id }, scene.call(primary));
    const answer = await listAlertEvents(deps())({ ...vault, after_sequence: 1, limit: 1 }, scene.call(primary));
    expect(answer).toMatchObject({
      head_sequence: 2,
      has_more: false,
      events: [{ sequence: 2, event_type: 'alert.acknowledged' }],
    });
  });
});

describe('rules', () => {
  test('behavior: thresholds count from the next judgement, and a stale version is refused', async () => {
    const evaluator = await watched();
    const set = {
      ...vault,
      rule_id: 'pps_staleness_warning' as const,
      version: 0,
      thresholds: { remaining_share: 0.9 },
      owner: 'Night desk',
    };
    expect(await setAlertRule(deps())(set, scene.call(primary))).toMatchObject({ version: 1, updated_by: primary });
    await expect(setAlertRule(deps())(set, scene.call(primary))).rejects.toMatchObject({
      code: 'VERSION_CONFLICT',
      data: { current: { version: 1 } },
    });
    await expect(
      setAlertRule(deps())({ ...set, version: 1, thresholds: { nonsense: 1 } }, scene.call(primary)),
    ).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    await expect(setAlertRule(deps())({ ...set, version: 1 }, scene.call(stranger))).rejects.toMatchObject({
      code: 'ROLE_REQUIRED',
    });
    scene.world.indexedTime = new Date(Date.UTC(2026, 0, 1, 3)).toISOString();
    await scene.settle(evaluator);
    expect(await stored()).toEqual([
      expect.objectContaining({ rule_id: 'pps_staleness_warning', owner: 'Night desk' }),
    ]);
    const { rules } = await listAlertRules(deps())(vault, scene.call(primary));
    expect(rules.map(({ rule_id }) => rule_id)).toEqual([...alertRuleIds]);
  });

  test('behavior: switched off it opens nothing', async () => {
    const evaluator = await watched();
    await setAlertRule(deps())({ ...vault, rule_id: 'vault_paused', version: 0, enabled: false }, scene.call(primary));
    await scene.settle(evaluator);
    happens(100, 'StrategyPaused');
    await scene.settle(evaluator);
    expect([await stored(), await sent()]).toEqual([[], []]);
  });

  test('behavior: many at once set one rule: one wins', async () => {
    await watched();
    const attempts = Array.from({ length: 5 }, (_, n) =>
      setAlertRule(deps())(
        { ...vault, rule_id: 'low_gas', version: 0, thresholds: { balance_wei: n } },
        scene.call(primary),
      ),
    );
    const outcomes = await Promise.allSettled(attempts);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('error: a back-test whose range is reversed', async () => {
    await watched();
    const range = { from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' };
    await expect(
      backtestAlertRule(deps())({ ...vault, rule_id: 'low_gas', ...range }, scene.call(primary)),
    ).rejects.toMatchObject({ code: 'RANGE_REVERSED' });
  });
});
