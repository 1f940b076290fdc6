import { Address, AppError } from '@castellan/contracts';
import { type Call, connectMongo, createLogger, createRegistry, ensureIndexes } from '@castellan/service-kit';
import { type StoredOutbox, startTestStore, storedOutbox, type TestStore } from '@castellan/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { moveFormerEvents } from '../src/access/former-events.ts';
import {
  type ChangeDeps,
  grantViewOnly,
  revokeViewOnly,
  setDisplayName,
} from '../src/access/use-cases/change-access.ts';
import { getRoles, listUsers } from '../src/access/use-cases/read-users.ts';
import { AuditLog } from '../src/audit/adapters/audit-log.mongo.ts';
import { verifyAuditChain } from '../src/audit/domain/audit-chain.ts';
import { type Collections, openCollections } from '../src/collections.ts';

/** The use cases on a real document store; only the vaults service, which owns chain roles, is stood in for. */

const address = (n: number): string => Address.parse(`0x${String(n).padStart(40, '0')}`);
const [vault_address, primary, secondary, viewer, stranger, other] = [1, 2, 3, 4, 5, 6].map(address) as [
  string,
  string,
  string,
  string,
  string,
  string,
];
const chain_id = 31337;
const at = '2026-01-01T00:00:00.000Z';
const vault = { chain_id, vault_address };

let store: TestStore;
let collections: Collections;
let deps: ChangeDeps & { auditLog: AuditLog };
let outbox: StoredOutbox;
let connection: Awaited<ReturnType<typeof connectMongo>>;
let database = 0;

const log = createLogger({ service: 'test', level: 'silent' });
const checksum = (text: string) => Address.parse(text);

const call = (wallet: string | undefined, vaultsAnswer: () => unknown = () => undefined): Call => ({
  caller: wallet === undefined ? undefined : { wallet_address: wallet, sid: 's', issuer: 'test' },
  requestId: 'request-1',
  callAction: (async (action: { name: string }) => {
    vaultsAnswer();
    if (action.name === 'v1.vaults.managers') {
      return {
        ...vault,
        primary: { wallet_address: primary, granted_by: null, granted_at: at },
        secondary: [{ wallet_address: secondary, granted_by: primary, granted_at: at }],
        block_number: 1,
      };
    }
    return { roles: wallet === primary ? [{ ...vault, role: 'primary_manager' }] : [] };
  }) as unknown as Call['callAction'],
});

const sent = () => outbox.published();
const auditRows = () =>
  collections.audit
    .find({}, { projection: { _id: 0 } })
    .sort({ seq: 1 })
    .toArray();

beforeAll(async () => {
  store = await startTestStore();
});
afterAll(async () => {
  await connection?.close();
  await store.stop();
});
beforeEach(async () => {
  await connection?.close();
  database += 1;
  connection = await connectMongo({
    uri: store.uri,
    database: `${store.database}_${database}`,
    registry: createRegistry('test'),
  });
  collections = openCollections(connection);
  await ensureIndexes(connection);
  outbox = storedOutbox(connection);
  deps = { collections, auditLog: new AuditLog(collections), outbox, now: () => new Date(at), log };
});

describe('who may do what', () => {
  const grant = (wallet: string | undefined) => grantViewOnly(deps)({ ...vault, wallet_address: other }, call(wallet));
  const revoke = (wallet: string | undefined) =>
    revokeViewOnly(deps)({ ...vault, wallet_address: other }, call(wallet));
  const label = (wallet: string | undefined) =>
    setDisplayName(deps)({ ...vault, wallet_address: other, display_name: 'Ada' }, call(wallet));
  const list = (wallet: string | undefined) => listUsers({ ...deps, checksum })({ ...vault, limit: 100 }, call(wallet));
  const nameOther = (wallet: string | undefined) =>
    setDisplayName(deps)({ wallet_address: other, display_name: 'Ada' }, call(wallet));

  const callers = { primary, secondary, viewer, stranger, none: undefined } as const;
  const table: [string, (wallet: string | undefined) => Promise<unknown>, Record<keyof typeof callers, boolean>][] = [
    ['grant view-only', grant, { primary: true, secondary: false, viewer: false, stranger: false, none: false }],
    ['revoke view-only', revoke, { primary: true, secondary: false, viewer: false, stranger: false, none: false }],
    ['label a wallet', label, { primary: true, secondary: false, viewer: false, stranger: false, none: false }],
    ['list users', list, { primary: true, secondary: true, viewer: true, stranger: false, none: false }],
    [
      'name another wallet',
      nameOther,
      { primary: false, secondary: false, viewer: false, stranger: false, none: false },
    ],
  ];
  for (const [action, run, allowed] of table) {
    for (const [who, wallet] of Object.entries(callers)) {
      const may = allowed[who as keyof typeof callers];
      test(`behavior: ${who} ${may ? 'may' : 'may not'} ${action}`, async () => {
        await grantViewOnly(deps)({ ...vault, wallet_address: viewer }, call(primary));
        const before = (await auditRows()).length;
        if (may) return expect(await run(wallet)).toBeDefined();
        await expect(run(wallet)).rejects.toMatchObject({
          code: expect.stringMatching(/^(ROLE_REQUIRED|TOKEN_MISSING)$/),
        });
        expect((await auditRows()).length).toBe(before);
      });
    }
  }

  test('error: a contract that is proven on one chain sets no name that counts on all, and has no role on another', async () => {
    const on = (chain: number): Call => {
      const { caller, ...rest } = call(primary);
      return { ...rest, caller: caller && { ...caller, chain_id: chain } };
    };
    const ownName = setDisplayName(deps)({ wallet_address: primary, display_name: 'Ada' }, on(chain_id));
    await expect(ownName).rejects.toMatchObject({ code: 'ROLE_REQUIRED' });
    await expect(grantViewOnly(deps)({ ...vault, wallet_address: other }, on(8453))).rejects.toMatchObject({
      code: 'ROLE_REQUIRED',
    });
    expect(await grantViewOnly(deps)({ ...vault, wallet_address: other }, on(chain_id))).toBeDefined();
  });

  test('behavior: without an answer of the vaults service nobody is let in', async () => {
    const away = () => {
      throw new AppError('SERVICE_UNAVAILABLE', 'away');
    };
    await expect(grantViewOnly(deps)({ ...vault, wallet_address: other }, call(primary, away))).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
    expect(await auditRows()).toEqual([]);
  });
});

describe('grants', () => {
  test('default: granted once, again no change, revoked once, again no change', async () => {
    const grant = () => grantViewOnly(deps)({ ...vault, wallet_address: viewer, display_name: 'Ada' }, call(primary));
    expect(await grant()).toMatchObject({
      created: true,
      user: { user: { wallet_address: viewer, display_name: 'Ada' } },
    });
    expect((await grant()).created).toBe(false);
    const roles = await getRoles({ collections, checksum })({ wallet_address: viewer }, call(viewer));
    expect(roles.roles).toEqual([{ ...vault, role: 'view_only' }]);
    const revoke = () => revokeViewOnly(deps)({ ...vault, wallet_address: viewer }, call(primary));
    expect([(await revoke()).removed, (await revoke()).removed]).toEqual([true, false]);
    const rows = await auditRows();
    expect(rows.map(({ action_type }) => action_type)).toEqual([
      'view_only_granted',
      'display_name_changed',
      'view_only_revoked',
    ]);
    expect(verifyAuditChain(rows)).toEqual({ ok: true, rows: 3 });
    expect((await sent()).map(({ data }) => [data.granted, data.display_name, data.version])).toEqual([
      [true, undefined, 1],
      [undefined, 'Ada', 1],
      [false, undefined, 2],
    ]);
  });

  test.each([primary, secondary])('error: a manager (%s) needs no view-only access', async (wallet) => {
    await expect(grantViewOnly(deps)({ ...vault, wallet_address: wallet }, call(primary))).rejects.toMatchObject({
      code: 'ALREADY_MANAGER',
    });
  });

  test('error: the zero address', async () => {
    await expect(grantViewOnly(deps)({ ...vault, wallet_address: address(0) }, call(primary))).rejects.toMatchObject({
      code: 'ZERO_ADDRESS',
    });
  });

  test('behavior: the same grant twenty times at once is one grant, one row, one event', async () => {
    const results = await Promise.all(
      Array.from({ length: 20 }, () => grantViewOnly(deps)({ ...vault, wallet_address: viewer }, call(primary))),
    );
    expect(results.filter(({ created }) => created)).toHaveLength(1);
    expect(await auditRows()).toHaveLength(1);
    expect(await sent()).toHaveLength(1);
  });

  test('behavior: twenty different grants at once leave one unbroken audit log', async () => {
    await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        grantViewOnly(deps)({ ...vault, wallet_address: address(100 + n) }, call(primary)),
      ),
    );
    expect(verifyAuditChain(await auditRows())).toEqual({ ok: true, rows: 20 });
    expect(await sent()).toHaveLength(20);
  });
});

describe('the service that answers what a wallet may view', () => {
  const handed = (answer: () => unknown) => {
    const notes: unknown[] = [];
    const base = call(primary);
    const callAction = (async (action: { name: string }, params: object) => {
      if (action.name !== 'v1.vaults.noteViewOnly') return base.callAction(action as never, params as never);
      notes.push([params, await collections.grants.countDocuments({ granted: true })]);
      return answer();
    }) as unknown as Call['callAction'];
    return { notes, by: { ...base, callAction } };
  };
  const change = { ...vault, wallet_address: viewer };

  test('default: is handed a change once it is stored, and nothing when nothing changed', async () => {
    const { notes, by } = handed(() => null);
    for (let n = 0; n < 2; n += 1) await grantViewOnly(deps)(change, by);
    for (let n = 0; n < 2; n += 1) await revokeViewOnly(deps)(change, by);
    expect(notes).toEqual([
      [{ ...change, granted: true, version: 1 }, 1],
      [{ ...change, granted: false, version: 2 }, 0],
    ]);
  });

  test('behavior: while it is away, a change is made all the same: it follows as an event', async () => {
    const { by } = handed(() => {
      throw new AppError('SERVICE_UNAVAILABLE', 'away');
    });
    expect(await grantViewOnly(deps)(change, by)).toMatchObject({ created: true });
    expect(await sent()).toHaveLength(1);
  });
});

describe('a process killed between the steps of a write', () => {
  const rowsAndEvents = async () => [(await auditRows()).length, (await sent()).length];

  test('behavior: after the change and its audit row, before the commit: nothing is there, and the next attempt makes all, once', async () => {
    const broken = { ...deps, outbox: outbox.killed };
    await expect(grantViewOnly(broken)({ ...vault, wallet_address: viewer }, call(primary))).rejects.toThrow('killed');
    expect([await rowsAndEvents(), await collections.grants.countDocuments()]).toEqual([[0, 0], 0]);
    for (let attempt = 0; attempt < 2; attempt += 1)
      await grantViewOnly(deps)({ ...vault, wallet_address: viewer }, call(primary));
    expect(await rowsAndEvents()).toEqual([1, 1]);
  });

  test('behavior: before the audit row: no change without it', async () => {
    const auditLog = { append: () => Promise.reject(new Error('killed')) };
    const renames = { wallet_address: secondary, display_name: 'Own' };
    await expect(setDisplayName({ ...deps, auditLog })(renames, call(secondary))).rejects.toThrow('killed');
    expect([await rowsAndEvents(), await collections.names.countDocuments()]).toEqual([[0, 0], 0]);
    expect(await setDisplayName(deps)(renames, call(secondary))).toMatchObject({ version: 1 });
    expect(await rowsAndEvents()).toEqual([1, 1]);
  });

  test('behavior: rows and events of a change follow those of the change before', async () => {
    await grantViewOnly(deps)({ ...vault, wallet_address: viewer }, call(primary));
    await revokeViewOnly(deps)({ ...vault, wallet_address: viewer }, call(primary));
    expect((await auditRows()).map(({ action_type }) => action_type)).toEqual([
      'view_only_granted',
      'view_only_revoked',
    ]);
    expect((await sent()).map(({ data }) => [data.granted, data.version])).toEqual([
      [true, 1],
      [false, 2],
    ]);
  });

  test('behavior: what the former version left in its documents is stored once, under its ids', async () => {
    const audit = {
      timestamp: at,
      action_type: 'view_only_granted',
      ...vault,
      actor_wallet: primary,
      details: {},
      request_id: null,
    };
    const grant = { ...vault, wallet_address: viewer, granted: true, version: 1 };
    const name = { ...vault, wallet_address: viewer, display_name: 'V', version: 1 };
    const left = {
      grants: { name: 'view_only_changed', data: grant },
      names: { name: 'display_name_changed', data: name },
    };
    for (const [source, event] of Object.entries(left)) {
      const document = { chain_id, vault: vault_address, wallet: viewer, version: 1 };
      await collections[source as 'grants'].insertOne({ ...document, owed: { id: source, audit, event } } as never);
    }
    for (let start = 0; start < 2; start += 1)
      await moveFormerEvents({ mongo: connection, auditLog: new AuditLog(collections), outbox, log });
    expect((await auditRows()).map(({ id, category }) => [id, category])).toEqual([
      ['grants', 'write'],
      ['names', 'write'],
    ]);
    expect((await sent()).map(({ msgId, event, data }) => [msgId, event, data])).toEqual([
      ['grants', 'view_only_changed', grant],
      ['names', 'display_name_changed', name],
    ]);
    const former = { owed: { $exists: true } } as never;
    expect([await collections.grants.countDocuments(former), await collections.names.countDocuments(former)]).toEqual([
      0, 0,
    ]);
  });
});

describe('names and lists', () => {
  test('behavior: a vault label goes before the own name, elsewhere the own name shows', async () => {
    await setDisplayName(deps)({ wallet_address: secondary, display_name: 'Own' }, call(secondary));
    const nameOf = async () =>
      (await listUsers({ ...deps, checksum })({ ...vault, limit: 100 }, call(primary))).users[1]?.user.display_name;
    expect(await nameOf()).toBe('Own');
    await setDisplayName(deps)({ ...vault, wallet_address: secondary, display_name: 'Label' }, call(primary));
    expect(await nameOf()).toBe('Label');
  });

  test('default: pages in a stable order, managers first', async () => {
    for (const n of [201, 202, 203]) await grantViewOnly(deps)({ ...vault, wallet_address: address(n) }, call(primary));
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await listUsers({ ...deps, checksum })(
        { ...vault, limit: 2, ...(cursor ? { cursor } : {}) },
        call(primary),
      );
      expect(page.total).toBe(5);
      seen.push(...page.users.map(({ user }) => user.wallet_address));
      cursor = page.next_cursor ?? undefined;
    } while (cursor);
    expect(seen).toEqual([primary, secondary, address(201), address(202), address(203)]);
  });

  test('error: a cursor that no page gave', async () => {
    const cursor = Buffer.from('nobody').toString('base64url');
    await expect(listUsers({ ...deps, checksum })({ ...vault, limit: 2, cursor }, call(primary))).rejects.toMatchObject(
      { code: 'CURSOR_INVALID' },
    );
  });
});
