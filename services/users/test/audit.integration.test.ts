import { type AuditRow, ExportAudit, GetVaultManagers, ListAudit } from '@castellan/contracts';
import { implement } from '@castellan/service-kit';
import { brokerPair, startTestStore, type TestStore } from '@castellan/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { grantViewOnly, setDisplayName } from '../src/access/use-cases/change-access.ts';
import { listUsers } from '../src/access/use-cases/read-users.ts';
import { type AuditContent, type StoredAuditRow, verifyAuditChain } from '../src/audit/domain/audit-chain.ts';
import { earlierRow } from '../src/audit/domain/rows.fixture.ts';
import { verifyVaultChain } from '../src/audit/domain/vault-chain.ts';
import { exportAudit, getAudit, listAudit } from '../src/audit/use-cases/read-audit.ts';
import { listTimeline } from '../src/audit/use-cases/read-timeline.ts';
import { usersService } from '../src/users.service.ts';
import {
  callOf,
  chain_id,
  openScene,
  otherVault,
  primary,
  type Scene,
  secondary,
  stranger,
  vault,
  vault_address,
  viewer,
} from './scene.ts';

let store: TestStore;
let scene: Scene;

beforeAll(async () => {
  store = await startTestStore();
});
afterAll(() => store.stop());
beforeEach(async () => {
  scene = await openScene(store);
});
afterEach(() => scene.mongo.close());

const contentOf = (n: number, parts: Partial<AuditContent> = {}): AuditContent => ({
  id: `row-${n}`,
  timestamp: new Date(Date.UTC(2026, 0, 1, 0, n)).toISOString(),
  category: 'call',
  action_type: 'call_prepared',
  ...vault,
  actor_wallet: primary,
  details: { n },
  tx_hash: null,
  request_id: null,
  ...parts,
});
const write = async (...contents: AuditContent[]) => {
  for (const content of contents) await scene.auditLog.append(content);
};
const list = (params: object = {}, wallet: string | undefined = primary) =>
  listAudit(scene)({ ...vault, limit: 100, ...params }, callOf(wallet));
const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);
const pageOf = (after?: string, limit = 500, filters: object = {}) =>
  exportAudit(scene)({ ...vault, ...filters, limit, ...(after === undefined ? {} : { after }) }, callOf(primary));

/** Every page of an export. */
async function exported(limit: number, between: () => Promise<void> = async () => undefined) {
  const first = await pageOf(undefined, limit);
  const rows: AuditRow[] = [...first.rows];
  for (let { next } = first; next !== null; ) {
    await between();
    const page = await pageOf(next, limit);
    expect(page.head).toEqual(first.head);
    rows.push(...page.rows);
    next = page.next;
  }
  return { rows, head: first.head };
}

describe('who may read', () => {
  const callers = { primary, secondary, viewer, stranger, none: undefined } as const;
  const reads: [string, (call: ReturnType<typeof callOf>) => Promise<unknown>, (keyof typeof callers)[]][] = [
    ['the log', (call) => listAudit(scene)({ ...vault, limit: 10 }, call), ['primary', 'secondary']],
    ['a row', (call) => getAudit(scene)({ id: 'row-1' }, call), ['primary', 'secondary']],
    ['an export', (call) => exportAudit(scene)({ ...vault, limit: 10 }, call), ['primary', 'secondary']],
    ['the timeline', (call) => listTimeline(scene)({ ...vault, limit: 10 }, call), ['primary', 'secondary', 'viewer']],
  ];
  beforeEach(async () => {
    await grantViewOnly(scene)({ ...vault, wallet_address: viewer }, callOf(primary));
    await write(contentOf(1));
  });

  for (const [what, read, allowed] of reads) {
    for (const [who, wallet] of Object.entries(callers)) {
      const may = allowed.includes(who as keyof typeof callers);
      test(`behavior: ${who} ${may ? 'may' : 'may not'} read ${what}`, async () => {
        if (may) return expect(await read(callOf(wallet))).toBeDefined();
        await expect(read(callOf(wallet))).rejects.toMatchObject({
          code: expect.stringMatching(/^(ROLE_REQUIRED|TOKEN_MISSING)$/),
        });
      });
    }
    test(`behavior: a token for another vault may not read ${what}, one for this vault may`, async () => {
      const elsewhere = callOf(primary, { chain_id, vault_address: otherVault });
      await expect(read(elsewhere)).rejects.toMatchObject({ code: 'ROLE_REQUIRED' });
      expect(await read(callOf(primary, vault))).toBeDefined();
      expect(await read(callOf(primary, undefined, chain_id))).toBeDefined();
      await expect(read(callOf(primary, undefined, 8453))).rejects.toMatchObject({ code: 'ROLE_REQUIRED' });
    });
  }

  test('behavior: a row of no vault is for the wallet it is about, with a token for all vaults', async () => {
    const noVault = { vault_address: null, chain_id: null };
    await write(contentOf(2, { ...noVault, actor_wallet: stranger, category: 'account' }));
    const read = (...args: Parameters<typeof callOf>) => getAudit(scene)({ id: 'row-2' }, callOf(...args));
    expect(await read(stranger)).toMatchObject({ id: 'row-2', vault_seq: null });
    await expect(read(primary)).rejects.toMatchObject({ code: 'ROLE_REQUIRED' });
    await expect(read(stranger, vault)).rejects.toMatchObject({ code: 'ROLE_REQUIRED' });
    await expect(read(stranger, undefined, chain_id)).rejects.toMatchObject({ code: 'ROLE_REQUIRED' });
  });

  test('error: a row that is not there', async () => {
    await expect(getAudit(scene)({ id: 'nothing' }, callOf(primary))).rejects.toMatchObject({
      code: 'AUDIT_ROW_NOT_FOUND',
    });
  });
});

describe('the log', () => {
  beforeEach(() =>
    write(
      contentOf(1),
      contentOf(5, { action_type: 'strategy_paused', category: 'price', actor_wallet: secondary }),
      contentOf(3, { category: 'role', action_type: 'secondary_manager_added' }),
      contentOf(9, { vault_address: otherVault }),
      contentOf(4),
    ),
  );

  test('default: newest thing first, of this vault alone, with the types there are', async () => {
    const { logs, ...page } = await list();
    expect(idsOf(logs)).toEqual(['row-5', 'row-4', 'row-3', 'row-1']);
    expect(page).toEqual({
      total: 4,
      has_more: false,
      next_cursor: null,
      action_types: ['call_prepared', 'secondary_manager_added', 'strategy_paused'],
    });
  });

  const minute = (n: number) => `2026-01-01T00:0${n}:00Z`;
  test.each([
    [{ action_type: 'call_prepared' }, ['row-4', 'row-1']],
    [{ category: 'role' }, ['row-3']],
    [{ actor: secondary }, ['row-5']],
    [{ from_timestamp: minute(3), to_timestamp: minute(4) }, ['row-4', 'row-3']],
    [{ from_timestamp: minute(4), actor: primary }, ['row-4']],
    [{ to_timestamp: '2026-01-01T00:01:00.000Z' }, ['row-1']],
    [{ category: 'node' }, []],
  ])('default: %j', async (filters, ids) => {
    const { logs, total } = await list(filters);
    expect([idsOf(logs), total]).toEqual([ids, ids.length]);
  });

  test('default: pages by cursor and by offset say the same', async () => {
    const first = await list({ limit: 3 });
    expect(first).toMatchObject({ total: 4, has_more: true });
    const second = await list({ limit: 3, cursor: first.next_cursor });
    expect(idsOf([...first.logs, ...second.logs])).toEqual(['row-5', 'row-4', 'row-3', 'row-1']);
    expect(second.has_more).toBe(false);
    expect((await list({ limit: 3, offset: 3 })).logs).toEqual(second.logs);
  });

  test('behavior: rows of one moment are neither lost nor returned twice between pages', async () => {
    const timestamp = '2026-02-01T00:00:00.000Z';
    await write(...[10, 11, 12, 13].map((n) => contentOf(n, { timestamp })));
    const first = await list({ limit: 3 });
    const second = await list({ limit: 2, cursor: first.next_cursor });
    expect(idsOf([...first.logs, ...second.logs])).toEqual(['row-13', 'row-12', 'row-11', 'row-10', 'row-5']);
  });

  test('error: a range that ends before it begins; a cursor no page gave', async () => {
    const reversed = { from_timestamp: minute(4), to_timestamp: minute(3) };
    await expect(list(reversed)).rejects.toMatchObject({ code: 'RANGE_REVERSED' });
    await expect(pageOf(undefined, 10, reversed)).rejects.toMatchObject({ code: 'RANGE_REVERSED' });
    await expect(list({ cursor: 'bm90aGluZw' })).rejects.toMatchObject({ code: 'CURSOR_INVALID' });
    await expect(pageOf('nowhere')).rejects.toMatchObject({ code: 'CURSOR_INVALID' });
  });
});

describe('rows of earlier versions', () => {
  const own = { vault_address, chain_id };
  const other = { vault_address: otherVault, chain_id };
  let stored: StoredAuditRow[];
  beforeEach(async () => {
    stored = [];
    for (const [n, of] of [own, other, own].entries()) stored.push(earlierRow(n, stored.at(-1), of));
    await scene.collections.audit.insertMany(stored.map((row) => ({ ...row })));
    await write(contentOf(5), contentOf(6));
  });

  test('behavior: the log goes on behind them and verifies, as a whole and by the vault', async () => {
    const all = await scene.storedRows();
    expect(all.slice(0, 3)).toEqual(stored);
    expect(verifyAuditChain(all)).toEqual({ ok: true, rows: 5 });
    const { rows, head } = await exported(2);
    expect(rows.map(({ vault_seq }) => vault_seq)).toEqual([null, null, 3, 4]);
    expect(verifyVaultChain(rows, { ...own, head })).toEqual({ ok: true, rows: 4 });
  });

  test('behavior: they are read as writes, and found as such', async () => {
    const { logs } = await list({ category: 'write' });
    expect(logs.map(({ seq, category, vault_seq }) => [seq, category, vault_seq])).toEqual([
      [3, 'write', null],
      [1, 'write', null],
    ]);
  });

  test('behavior: a vault that has such rows only can be exported too', async () => {
    const page = await exportAudit(scene)({ ...other, limit: 10 }, callOf(primary));
    expect(page.head).toEqual({ vault_seq: 1, hash: stored[1]?.hash });
    expect(verifyVaultChain(page.rows, { ...other, head: page.head })).toEqual({ ok: true, rows: 1 });
  });
});

describe('an export', () => {
  test('default: oldest first in pages, and verifies; rows written meanwhile wait for the next', async () => {
    await write(...Array.from({ length: 25 }, (_, n) => contentOf(n, n % 3 ? {} : { vault_address: otherVault })));
    let more = 100;
    const { rows, head } = await exported(4, () => write(contentOf(more++)));
    expect(rows).toHaveLength(16);
    expect(head).toEqual({ vault_seq: 16, hash: rows.at(-1)?.hash });
    expect(verifyVaultChain(rows, { ...vault, head })).toEqual({ ok: true, rows: 16 });
    expect((await exported(500)).rows.length).toBeGreaterThan(16);
  });

  test('default: of a vault without rows', async () => {
    const page = await pageOf();
    expect(page).toEqual({ head: { vault_seq: 0, hash: '0'.repeat(64) }, rows: [], next: null });
  });

  test('behavior: filters leave rows out, and the head stays that of the vault', async () => {
    await write(contentOf(1), contentOf(2, { category: 'role' }), contentOf(3));
    const page = await pageOf(undefined, 10, { category: 'role' });
    expect([idsOf(page.rows), page.head.vault_seq]).toEqual([['row-2'], 3]);
  });

  test('behavior: large rows come in pages that fit the bus', async () => {
    const calldata = `0x${'ab'.repeat(60_000)}`;
    await write(...Array.from({ length: 12 }, (_, n) => contentOf(n, { details: { calldata } })));
    const first = await pageOf(undefined, 1000);
    expect(JSON.stringify(first).length).toBeLessThan(1024 * 1024);
    expect((await exported(1000)).rows).toHaveLength(12);
    const page = await list({ limit: 500 });
    expect(page).toMatchObject({ has_more: true, total: 12 });
    expect(JSON.stringify(page).length).toBeLessThan(1024 * 1024);
  });
});

describe('many writers at once', () => {
  test('behavior: rows of two vaults and of none, from three writers, are two whole chains', async () => {
    const of = [vault, { chain_id, vault_address: otherVault }, { chain_id: null, vault_address: null }];
    await Promise.all(
      Array.from({ length: 30 }, (_, n) => scene.auditLog.append(contentOf(n, of[n % 3] as Partial<AuditContent>))),
    );
    expect(verifyAuditChain(await scene.storedRows())).toEqual({ ok: true, rows: 30 });
    const { rows, head } = await exported(500);
    expect(verifyVaultChain(rows, { ...vault, head })).toEqual({ ok: true, rows: 10 });
  });

  test('behavior: the same id from many at once is one row', async () => {
    await Promise.all(Array.from({ length: 10 }, () => scene.auditLog.append(contentOf(1))));
    expect(await scene.storedRows()).toHaveLength(1);
  });

  test('error: no row goes behind a malformed one that somebody put into the store, and the others are served', async () => {
    await write(contentOf(1));
    const malformed = {
      ...(await scene.collections.audit.findOne({ seq: 1 })),
      id: 'planted',
      seq: 'x',
      vault_seq: 'x',
    };
    const { _id, ...planted } = malformed as unknown as StoredAuditRow & { _id: unknown };
    await scene.collections.audit.insertOne(planted);
    await write(contentOf(2));
    const { logs } = await list();
    expect(logs.map(({ id, seq, vault_seq }) => [id, seq, vault_seq])).toEqual([
      ['row-2', 2, 2],
      ['row-1', 1, 1],
    ]);
  });
});

describe('the timeline', () => {
  test('default: in words, with names, newest first, in pages', async () => {
    await setDisplayName(scene)({ ...vault, wallet_address: secondary, display_name: 'Bea' }, callOf(primary));
    await setDisplayName(scene)({ wallet_address: primary, display_name: 'Ada' }, callOf(primary));
    const details = { manager: secondary };
    await write(
      contentOf(2, {
        action_type: 'secondary_manager_added',
        category: 'role',
        details,
        tx_hash: `0x${'1'.repeat(64)}`,
      }),
      contentOf(3, { action_type: 'strategy_paused', category: 'price', actor_wallet: null }),
      contentOf(4, { vault_address: otherVault }),
      contentOf(5, {
        id: `chain:${chain_id}:9`,
        vault_address: null,
        category: 'node',
        action_type: 'validator_config_set',
      }),
      contentOf(6, { id: 'chain:1:9', vault_address: null, chain_id: 1, category: 'node' }),
      contentOf(7, { vault_address: null, category: 'account' }),
    );
    const read = (params: object = {}) => listTimeline(scene)({ ...vault, limit: 100, ...params }, callOf(secondary));
    const { items, total } = await read();
    expect(items.map(({ title, actor }) => [title, actor?.display_name])).toEqual([
      ['The validators were set: 0, of which  must sign', 'Ada'],
      ['The vault was paused', undefined],
      ['Bea became a secondary manager', 'Ada'],
      [expect.stringContaining('is called Bea'), 'Ada'],
    ]);
    expect(total).toBe(4);
    expect(items[2]).toMatchObject({ id: 'row-2', t: '2026-01-01T00:02:00.000Z', category: 'role', details });
    const first = await read({ limit: 3 });
    const second = await read({ limit: 3, cursor: first.next_cursor });
    expect([...first.items, ...second.items]).toEqual(items);
    expect(idsOf((await read({ category: 'price' })).items)).toEqual(['row-3']);
  });
});

describe('versions of names', () => {
  const label = (display_name: string, version?: number) =>
    setDisplayName(scene)(
      { ...vault, wallet_address: secondary, display_name, ...(version === undefined ? {} : { version }) },
      callOf(primary),
    );
  const shown = async () =>
    (await listUsers(scene)({ ...vault, limit: 10 }, callOf(primary))).users.find(
      ({ user }) => user.wallet_address === secondary,
    )?.user;

  test('default: each change is one more; none is 0, an own name has none', async () => {
    expect(await shown()).toMatchObject({ display_name: null, label_version: 0 });
    await setDisplayName(scene)({ wallet_address: secondary, display_name: 'Own' }, callOf(secondary));
    expect(await shown()).toMatchObject({ display_name: 'Own', label_version: 0 });
    expect(await label('Bea', 0)).toMatchObject({ scope: 'vault', version: 1 });
    expect(await label('Bee', 1)).toMatchObject({ version: 2 });
    expect(await shown()).toMatchObject({ display_name: 'Bee', label_version: 2 });
    expect(await label('Bee')).toMatchObject({ version: 2 });
    const granted = await grantViewOnly(scene)(
      { ...vault, wallet_address: viewer, display_name: 'Vi' },
      callOf(primary),
    );
    expect(granted.user.user.label_version).toBe(1);
  });

  test('error: a version that is not the present one returns the present name and writes nothing', async () => {
    await label('Bea', 0);
    const before = (await scene.storedRows()).length;
    for (const [name, version] of [
      ['Bob', 0],
      ['Bob', 2],
      ['Bea', 0],
    ] as const)
      await expect(label(name, version)).rejects.toMatchObject({
        code: 'VERSION_CONFLICT',
        data: { current: { display_name: 'Bea', version: 1 } },
      });
    expect((await scene.storedRows()).length).toBe(before);
    await expect(
      setDisplayName(scene)({ wallet_address: secondary, display_name: 'Own', version: 3 }, callOf(secondary)),
    ).rejects.toMatchObject({ code: 'VERSION_CONFLICT', data: { current: { display_name: null, version: 0 } } });
  });

  test('behavior: of many at once that replace the same version exactly one wins', async () => {
    for (const version of [0, 1]) {
      const outcomes = await Promise.allSettled(
        Array.from({ length: 10 }, (_, n) => label(`Name ${version} ${n}`, version)),
      );
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect((await shown())?.label_version).toBe(version + 1);
    }
  });
});

test('behavior: answers cross the bus', async () => {
  const managers = implement(GetVaultManagers, (params) => ({
    ...params,
    primary: { wallet_address: primary, granted_by: null, granted_at: '2026-01-01T00:00:00.000Z' },
    secondary: [],
    block_number: 1,
  }));
  const bus = await brokerPair([usersService(scene, {}), { name: 'vaults', version: 1, actions: { managers } }]);
  await write(contentOf(1));
  const options = { caller: { wallet_address: primary, sid: 's', issuer: 'test' } };
  expect((await bus.call(ListAudit, vault, options)).logs).toHaveLength(1);
  expect((await bus.call(ExportAudit, vault, options)).head.vault_seq).toBe(1);
  await bus.stop();
});
