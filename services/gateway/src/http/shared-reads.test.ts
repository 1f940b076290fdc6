import { type Caller, type Route, routes } from '@castellan/contracts';
import type { CallAction } from '@castellan/service-kit';
import { beforeEach, expect, test } from '@jest/globals';
import { createSnapshots, type Snapshots } from '../cache/snapshots.ts';
import { isShared, projectionMoved, readShared, rolesChanged, vaultChanged } from './shared-reads.ts';

const vault = { chain_id: 1, vault_address: '0x00000000000000000000000000000000000000A1' };
const another = { chain_id: 1, vault_address: '0x00000000000000000000000000000000000000A2' };
const caller = (parts: Partial<Caller> = {}): Caller => ({
  wallet_address: '0x00000000000000000000000000000000000000C1',
  sid: 's',
  issuer: 'i',
  ...parts,
});
const routeOf = (id: keyof typeof routes) => routes[id] as unknown as Route;

let snapshots: Snapshots;
let asked: { action: string; caller: Caller | undefined }[];
let answeredAt: number;
let now: number;
beforeEach(() => {
  asked = [];
  answeredAt = 10;
  now = 0;
  snapshots = createSnapshots({ maxAgeMs: 15_000, maxBytes: 100_000, now: () => now, count: () => undefined });
});
const callAction = (async ({ name }: { name: string }, _params: unknown, options: { caller?: Caller }) => {
  asked.push({ action: name, caller: options.caller });
  if (name === 'v1.vaults.publicList') return [vault, another].map((each) => ({ ...each, block_number: answeredAt }));
  return { block_number: answeredAt };
}) as unknown as CallAction;
const read = (id: keyof typeof routes, params: object, by?: Caller) =>
  readShared({ callAction, snapshots }, routeOf(id), params, by);

test('default: what is the same for everybody is asked once, without a caller', async () => {
  await read('analyticsOverview', vault, caller());
  await read('analyticsOverview', vault, caller({ wallet_address: another.vault_address, scope: 'read' }));
  await read('analyticsOverview', vault);
  expect(asked).toEqual([{ action: 'v1.analytics.overview', caller: undefined }]);
});

test('default: a view of a caller is asked for each wallet and each kind of token, as that caller', async () => {
  const callers = [
    undefined,
    caller(),
    caller({ scope: 'read' }),
    caller({ vault }),
    caller({ chain_id: 1 }),
    caller({ chain_id: 8453 }),
    caller({ wallet_address: another.vault_address }),
  ];
  for (const each of [...callers, ...callers]) await read('vault', vault, each);
  expect(asked.map((call) => call.caller)).toEqual(callers);
});

test('behavior: what changes without an event is asked again when it may not stand any longer', async () => {
  const hash = `0x${'11'.repeat(32)}`;
  const reads = async () => {
    asked = [];
    await read('chains', {});
    await read('transaction', { chain_id: 1, tx_hash: hash });
    await read('transmissions', vault);
    return asked.length;
  };
  expect([await reads(), await reads()]).toEqual([3, 0]);
  vaultChanged(snapshots, { ...vault, kind: 'transmission', block_number: 11 });
  expect([await reads(), asked[0]?.action]).toEqual([1, 'v1.vaults.transmissions']);
  now += 999;
  expect(await reads()).toBe(0);
  now += 1;
  expect(await reads()).toBe(3);
});

test('behavior: what is shared with the public alone is never kept for a wallet, nor is a wallet answered by it', async () => {
  const bound = caller({ vault });
  for (const by of [undefined, undefined]) await read('vaultSettings', vault, by);
  expect(asked).toEqual([{ action: 'v1.vaults.settings', caller: undefined }]);
  for (const by of [caller(), caller({ scope: 'read' }), bound]) {
    expect(isShared(routeOf('vaultSettings'), by)).toBe(false);
    expect(() => read('vaultSettings', vault, by)).toThrow('The route vaultSettings is not shared.');
  }
  now += 1_000;
  await read('vaultSettings', vault);
  expect(asked).toHaveLength(2);
});

test('behavior: other arguments are another answer', async () => {
  for (const params of [vault, another, { ...vault, at: '2026-01-01T00:00:00.000Z' }, { ...vault, receipt: true }])
    await read('analyticsOverview', params);
  await read('analyticsUsers', vault);
  expect(asked).toHaveLength(5);
});

test('error: a route that does not say that it is shared is not', () => {
  for (const id of ['users', 'me', 'stream'] as const)
    expect(() => read(id, vault)).toThrow(`The route ${routes[id].id} is not shared.`);
});

const update = { ...vault, kind: 'vault' as const, block_number: 11 };

test('behavior: a change of a vault ends what is made of it or of all vaults, and no figure of analytics', async () => {
  const readAll = async () => {
    await read('vault', vault);
    await read('vault', another);
    await read('publicVaults', {});
    await read('analyticsOverview', vault);
  };
  await readAll();
  asked = [];
  vaultChanged(snapshots, update);
  await readAll();
  expect(asked.map(({ action }) => action)).toEqual(['v1.vaults.detail', 'v1.vaults.publicList']);
});

test('behavior: a move of the projection ends the figures of its chain', async () => {
  await read('analyticsOverview', vault);
  await read('vault', vault);
  projectionMoved(snapshots, { chain_id: 2, block_number: 11 });
  await read('analyticsOverview', vault);
  expect(asked).toHaveLength(2);
  projectionMoved(snapshots, { chain_id: 1, block_number: 11 });
  answeredAt = 11;
  await read('analyticsOverview', vault);
  await read('analyticsOverview', vault);
  await read('vault', vault);
  expect(asked).toHaveLength(3);
});

test('behavior: figures of an earlier block than was published are not kept, those as of an asked moment are', async () => {
  projectionMoved(snapshots, { chain_id: 1, block_number: 11 });
  await read('analyticsOverview', vault);
  await read('analyticsOverview', vault);
  expect(asked).toHaveLength(2);
  for (const moment of [{ block: 10 }, { at: '2026-01-01T00:00:00.000Z' }, { cursor: 'c' }]) {
    asked = [];
    await read('analyticsOverview', { ...vault, ...moment });
    await read('analyticsOverview', { ...vault, ...moment });
    expect(asked).toHaveLength(1);
  }
});

test('behavior: an alert names no block that a vault is read at', async () => {
  const twice = async () => {
    asked = [];
    await read('vault', vault);
    await read('vault', vault);
    return asked.length;
  };
  vaultChanged(snapshots, { ...update, kind: 'alert' });
  expect(await twice()).toBe(1);
  const entry = {} as NonNullable<Parameters<typeof vaultChanged>[1]['entry']>;
  vaultChanged(snapshots, { ...update, entry });
  expect(await twice()).toBe(2);
});

test('behavior: a list is not kept while it shows a vault at an earlier block than was announced', async () => {
  const twice = async (id: 'publicVaults' | 'yieldSources', params: object) => {
    asked = [];
    await read(id, params);
    await read(id, params);
    return asked.length;
  };
  vaultChanged(snapshots, { ...update, entry: {} as NonNullable<Parameters<typeof vaultChanged>[1]['entry']> });
  expect([await twice('publicVaults', {}), await twice('yieldSources', vault)]).toEqual([2, 2]);
  expect(await twice('yieldSources', another)).toBe(1);
  answeredAt = 11;
  expect([await twice('publicVaults', {}), await twice('yieldSources', vault)]).toEqual([1, 1]);
});

test('behavior: a change of roles ends what is made of the vault, and is read at its block', async () => {
  const callsOf = async (params: object) => {
    asked = [];
    await read('vault', params, caller());
    return asked.length;
  };
  await callsOf(vault);
  await callsOf(another);
  rolesChanged(snapshots, { ...vault, block_number: 11 });
  expect([await callsOf(vault), await callsOf(vault), await callsOf(another)]).toEqual([1, 1, 0]);
  answeredAt = 11;
  expect([await callsOf(vault), await callsOf(vault)]).toEqual([1, 0]);
});
