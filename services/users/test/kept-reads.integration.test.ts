import { GetVaultManagers } from '@castellan/contracts';
import { anAddress, startTestStore, type TestStore } from '@castellan/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { grantViewOnly, revokeViewOnly, setDisplayName } from '../src/access/use-cases/change-access.ts';
import { listUsers } from '../src/access/use-cases/read-users.ts';
import { AuditLog } from '../src/audit/adapters/audit-log.mongo.ts';
import { AuditTail } from '../src/audit/adapters/audit-tail.ts';
import { listAudit } from '../src/audit/use-cases/read-audit.ts';
import { callOf, openScene, otherVault, primary, type Scene, secondary, stranger, vault, viewer } from './scene.ts';

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
  scene.mongo.getClient().on('commandStarted', ({ commandName, command }) => {
    requests.push(`${commandName} ${command[commandName]}`);
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

  test('behavior: a page costs as much whether it has two people or twenty', async () => {
    const grants = Array.from({ length: 20 }, (_, n) => anAddress(1000 + n));
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
