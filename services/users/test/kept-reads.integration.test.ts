import { GetVaultManagers } from '@castellan/contracts';
import { onStoreCommand } from '@castellan/service-kit';
import { anAddress, startTestStore, type TestStore } from '@castellan/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { grantViewOnly, revokeViewOnly, setDisplayName } from '../src/access/use-cases/change-access.ts';
import { listUsers } from '../src/access/use-cases/read-users.ts';
import type { AlertEvaluator } from '../src/alerts/evaluator/evaluator.ts';
import { AlertRecords } from '../src/alerts/records/adapters/alert-records.mongo.ts';
import { acknowledgeAlert } from '../src/alerts/records/use-cases/change-alerts.ts';
import { listAlerts } from '../src/alerts/records/use-cases/read-alerts.ts';
import { AuditLog } from '../src/audit/adapters/audit-log.mongo.ts';
import { AuditTail } from '../src/audit/adapters/audit-tail.ts';
import { listAudit } from '../src/audit/use-cases/read-audit.ts';
import { listTimeline } from '../src/audit/use-cases/read-timeline.ts';
import { type AlertScene, observation, openAlertScene } from './alerts-scene.ts';
import {
  addTo,
  callOf,
  openScene,
  otherVault,
  primary,
  type Scene,
  secondary,
  stranger,
  strategy,
  vault,
  viewer,
} from './scene.ts';

/** What is kept of reads, beside a second instance of the service that writes. */

let store: TestStore;
let scene: Scene;
let second: AuditLog;
let requests: string[];

beforeAll(async () => {
  store = await startTestStore();
});
afterAll(() => store.stop());
beforeEach(async () => {
  scene = await openScene(store);
  second = new AuditLog(scene.collections);
  requests = [];
  onStoreCommand(scene.mongo, ({ name, command }) => {
    requests.push(`${name} ${command[name]}`);
  });
});
afterEach(() => scene.mongo.close());

let rows = 0;
const write = (parts: object = {}, log: AuditLog = second) => {
  rows += 1;
  const about = { action_type: 'call_prepared', ...vault, actor_wallet: primary, details: {}, ...parts };
  const id = `row-${rows}`;
  const timestamp = new Date(Date.UTC(2026, 0, 1) + rows * 1000).toISOString();
  return log.append({ id, timestamp, category: 'call', tx_hash: null, request_id: null, ...about });
};
/** What the store is asked for meanwhile. */
async function asked(work: () => Promise<unknown>): Promise<string[]> {
  requests.length = 0;
  await work();
  return [...requests];
}
const endOfLog = 'find audit_log';

describe('the timeline', () => {
  const reader = () => {
    const list = listTimeline(scene);
    return () => list({ ...vault, limit: 100 }, callOf(primary));
  };

  test('default: what was read before takes one look at the end of the log, whatever other vaults and chains do', async () => {
    const list = reader();
    await write();
    const first = await list();
    await write({ vault_address: otherVault });
    await write({ vault_address: null, chain_id: 1, id: 'chain:1:9' });
    expect(await asked(async () => expect(await list()).toEqual(first))).toEqual([endOfLog]);
  });

  test('behavior: a row of the vault, one of its chain and a name are in the next answer', async () => {
    const list = reader();
    await write();
    expect((await list()).total).toBe(1);
    await write();
    expect((await list()).total).toBe(2);
    const ofChain = { vault_address: null, id: `chain:${vault.chain_id}:9`, action_type: 'validator_config_set' };
    await write({ ...ofChain, category: 'node' });
    expect((await list()).total).toBe(3);
    await setDisplayName(scene)({ wallet_address: primary, display_name: 'Ada' }, callOf(primary));
    expect((await list()).items.at(-1)?.actor?.display_name).toBe('Ada');
  });
});

describe('the audit log', () => {
  const reader = () => {
    const list = listAudit(scene);
    return (params: object = {}) => list({ ...vault, limit: 100, ...params }, callOf(primary));
  };

  test('default: a page that was read before takes one look at the end of the log', async () => {
    const list = reader();
    await write();
    const first = await list();
    await write({ vault_address: otherVault });
    expect(await asked(async () => expect(await list()).toEqual(first))).toEqual([endOfLog]);
  });

  test('behavior: the next question finds a row of another instance, with its type, counted without counting again', async () => {
    const list = reader();
    await write();
    await list();
    await list({ category: 'role' });
    await write({ action_type: 'strategy_paused' });
    const read = await asked(async () =>
      expect(await list()).toMatchObject({ total: 2, action_types: ['call_prepared', 'strategy_paused'] }),
    );
    expect(read).toEqual([endOfLog, endOfLog]);
    await write({ category: 'role' });
    expect(await list({ category: 'role' })).toMatchObject({ total: 1, logs: [{ category: 'role' }] });
    expect((await list()).total).toBe(3);
  });

  test('behavior: many rows of many readers at once count once', async () => {
    const list = reader();
    await list();
    const seen: number[] = [];
    for (let n = 1; n <= 5; n += 1) {
      await write();
      const pages = await Promise.all([list(), list({ limit: n }), list({ offset: 0 })]);
      seen.push(...pages.map(({ total }) => total));
    }
    expect(seen).toEqual([1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5]);
  });

  test('behavior: more rows than one read takes are all found', async () => {
    const list = reader();
    await list();
    await scene.collections.audit.insertMany(
      Array.from({ length: 1203 }, (_, n) => ({
        ...vault,
        seq: n + 1,
        hash: `${n}`,
        id: `${n}`,
        action_type: 'many',
      })) as never,
    );
    await list({ limit: 1 }).catch(() => undefined);
    expect((await list({ limit: 2 })).total).toBe(1203);
  });

  test('behavior: after the store was restored from before, nothing that is kept counts', async () => {
    const list = reader();
    for (let n = 0; n < 3; n += 1) await write();
    const { logs } = await list();
    await scene.collections.audit.deleteMany({ seq: { $gt: 1 } });
    expect(await list()).toMatchObject({ total: 1, logs: [{ seq: 1 }] });
    await write();
    await write();
    const after = await list();
    expect([after.total, after.logs[0]?.seq]).toEqual([3, 3]);
    expect(after.logs[0]?.hash).not.toBe(logs[0]?.hash);
  });

  test('behavior: a row that comes while the rows are counted is counted with the next question', async () => {
    await write();
    const counted = Promise.withResolvers<void>();
    const slow = Object.create(scene.collections.audit, {
      distinct: {
        value: (...args: Parameters<typeof scene.collections.audit.distinct>) =>
          counted.promise.then(() => scene.collections.audit.distinct(...args)),
      },
    });
    const tail = new AuditTail(slow);
    await tail.revisionOf([]);
    const counting = tail.summaryOf(vault);
    await write();
    await tail.revisionOf([]);
    counted.resolve();
    expect([(await counting).total, (await tail.summaryOf(vault)).total]).toEqual([1, 2]);
  });
});

describe('the users of a vault', () => {
  const reader = (wallet = primary) => {
    const list = listUsers(scene);
    return async () => {
      const { users } = await list({ ...vault, limit: 100 }, callOf(wallet));
      return users.map(({ user, roles }) => [user.wallet_address, user.display_name, roles[0]?.role]);
    };
  };
  /** Another instance of the service. */
  const writer = () => ({ ...scene, auditLog: second });

  test('default: read before, they take one look at the end of the log; a viewer`s grant is read each time', async () => {
    const [list, ofViewer] = [reader(), reader(viewer)];
    await grantViewOnly(writer())({ ...vault, wallet_address: viewer }, callOf(primary));
    const all = await list();
    expect(await ofViewer()).toEqual(all);
    await write({ vault_address: otherVault });
    await write({ vault_address: null, chain_id: null, action_type: 'signed_in' });
    expect(await asked(async () => expect(await list()).toEqual(all))).toEqual([endOfLog]);
    expect(await asked(ofViewer)).toEqual(['find view_only_grants', endOfLog]);
  });

  test('behavior: the next question sees what another instance granted, took back or named', async () => {
    const [list, ofViewer] = [reader(), reader(viewer)];
    const managers = [
      [primary, null, 'primary_manager'],
      [secondary, null, 'secondary_manager'],
    ];
    expect(await list()).toEqual(managers);
    await grantViewOnly(writer())({ ...vault, wallet_address: viewer }, callOf(primary));
    expect(await list()).toEqual([...managers, [viewer, null, 'view_only']]);
    await setDisplayName(writer())({ wallet_address: viewer, display_name: 'Own' }, callOf(viewer));
    expect(await list()).toEqual([...managers, [viewer, 'Own', 'view_only']]);
    await setDisplayName(writer())({ ...vault, wallet_address: viewer, display_name: 'Label' }, callOf(primary));
    expect(await ofViewer()).toEqual([...managers, [viewer, 'Label', 'view_only']]);
    await revokeViewOnly(writer())({ ...vault, wallet_address: viewer }, callOf(primary));
    expect(await list()).toEqual(managers);
    await expect(ofViewer()).rejects.toMatchObject({ code: 'ROLE_REQUIRED' });
  });

  test('behavior: managers are those of now', async () => {
    const list = listUsers(scene);
    const ask = async (first: string) => {
      const call = callOf(first);
      const managers = await call.callAction(GetVaultManagers, vault);
      const changed = { ...managers, primary: { ...managers.primary, wallet_address: first } };
      const callAction = (async () => changed) as unknown as typeof call.callAction;
      return (await list({ ...vault, limit: 100 }, { ...call, callAction })).users[0]?.user.wallet_address;
    };
    expect([await ask(primary), await ask(stranger)]).toEqual([primary, stranger]);
  });

  test('behavior: a page costs as much whether it has two people or six', async () => {
    const grants = Array.from({ length: 4 }, (_, n) => anAddress(1000 + n));
    for (const wallet_address of grants) await grantViewOnly(writer())({ ...vault, wallet_address }, callOf(primary));
    expect(await asked(reader())).toEqual([
      endOfLog,
      'find view_only_grants',
      'find display_names',
      'find people',
      // Those that were not seen before, the managers.
      'insert people',
      'insert people',
    ]);
  });
});

describe('the alerts', () => {
  let alerts: AlertScene;
  let other: AlertRecords;
  let evaluator: AlertEvaluator;
  const deps = () => ({ ...alerts, now: () => new Date(alerts.world.now) });
  const byOther = () => ({ ...deps(), records: other });
  const pause = async (block: number) => {
    addTo(alerts.fake, block, { name: 'StrategyPaused', args: { strategy }, from: primary });
    await alerts.settle(evaluator);
  };
  beforeEach(async () => {
    alerts = await openAlertScene(store);
    other = new AlertRecords(alerts.alerts);
    alerts.created();
    addTo(alerts.fake, 0, observation());
    evaluator = alerts.evaluator({ records: other });
    await alerts.settle(evaluator);
    onStoreCommand(alerts.mongo, ({ name, command }) => {
      requests.push(`${name} ${command[name]}`);
    });
  });
  afterEach(() => alerts.mongo.close());

  test('default: read before, they take one look at whether they changed, and of all vaults one at the grants', async () => {
    const list = listAlerts(deps());
    const ofVault = () => list({ ...vault, limit: 100 }, alerts.call(primary));
    const ofAll = () => list({ limit: 100 }, alerts.call(primary));
    await pause(100);
    const before = await ofVault();
    expect(before.alerts.length).toBeGreaterThan(0);
    expect(await ofAll()).toEqual(before);
    expect(await asked(ofVault)).toEqual(['find alert_revisions']);
    expect(await asked(ofAll)).toEqual(['find view_only_grants', 'find alert_revisions']);
  });

  test('behavior: the next question sees what another instance opened, and what was changed by hand there', async () => {
    const list = listAlerts(deps());
    const ask = () => list({ ...vault, status: 'active', limit: 100 }, alerts.call(primary));
    const before = await ask();
    await pause(100);
    const opened = await ask();
    expect(opened.total).toBe(before.total + 1);
    const [alert] = opened.alerts.filter(({ rule_id }) => rule_id === 'vault_paused');
    await acknowledgeAlert(byOther())({ id: alert?.alert_id as string }, alerts.call(primary));
    const acknowledged = await ask();
    expect([acknowledged.total, acknowledged.counts.by_status.acknowledged]).toEqual([before.total, 1]);
  });

  test('behavior: what is found while the history is read, without a transaction, is seen as well', async () => {
    const list = listAlerts(deps());
    const ask = () => list({ ...vault, limit: 100 }, alerts.call(primary));
    await pause(100);
    const { total, alerts: found } = await ask();
    const alert = { ...(found[0] as (typeof found)[number]), alert_id: `al_${'a'.repeat(24)}`, is_replayed: true };
    await other.create(alert);
    expect((await ask()).total).toBe(total + 1);
    await other.change(alert.alert_id, (now) => ({ ...now, title: 'Another' }));
    expect((await ask()).alerts.map(({ title }) => title)).toContain('Another');
    // As if the process had ended between the two writes: it does the same again.
    await alerts.alerts.alerts.updateOne({ alert_id: alert.alert_id }, { $set: { title: 'A third' } });
    await other.change(alert.alert_id, () => undefined);
    expect((await ask()).alerts.map(({ title }) => title)).toContain('A third');
  });

  test('default: the total is the number of alerts that the filters leave', async () => {
    const list = listAlerts(deps());
    await pause(100);
    const filters = [
      { status: 'open' },
      { status: 'muted' },
      { status: 'resolved' },
      { status: 'active', severity: 'critical' },
      { severity: 'info' },
      { rule_id: 'vault_paused' },
    ] as const;
    for (const chosen of filters) {
      const page = await list({ ...vault, ...chosen, limit: 100 }, alerts.call(primary));
      expect([chosen, page.total]).toEqual([chosen, page.alerts.length]);
    }
  });
});
