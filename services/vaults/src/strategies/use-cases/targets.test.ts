import { MandateDocument, SetAllocationTargets } from '@castellan/contracts';
import { expect, test } from '@jest/globals';
import type { StrategyPorts } from '../access.ts';
import type { AuditEvent } from '../domain/strategy.ts';
import type { TargetsDocument } from '../models.ts';
import { call, caller, snapshot, source, vaultRef, wallet } from './strategy-scene.fixture.ts';
import { getAllocationTargets, setAllocationTargets } from './targets.ts';

const mandate = MandateDocument.parse({
  format: 1,
  title: 'Strict',
  promises: [
    { id: 'cap', kind: 'source_share', at_most_bps: 4_500 },
    { id: 'idle', kind: 'idle_share', at_least_bps: 6_000 },
  ],
});

function scene(over: { secondary?: string[]; viewers?: string[]; primary?: string; mandate?: unknown } = {}) {
  const kept: TargetsDocument[] = [];
  const rows: AuditEvent[] = [];
  const managers = {
    primary: { wallet: over.primary ?? wallet },
    secondary: (over.secondary ?? []).map((each) => ({ wallet: each })),
  };
  const ports = {
    chains: { get: () => ({}) },
    status: { get: async () => ({ backfilled: true }) },
    snapshots: { get: async () => ({ ...snapshot, block_number: 7, managers }) },
    directory: { viewers: async () => new Set(over.viewers) },
    mandates: { inForce: async () => over.mandate ?? null },
    targets: {
      newest: async () => kept.at(-1) ?? null,
      add: async (document: TargetsDocument, row: AuditEvent) => {
        if (kept.some(({ _id }) => _id === document._id)) return false;
        kept.push(document);
        rows.push(row);
        return true;
      },
    },
    newId: () => 'id',
    now: () => 0,
  } as unknown as StrategyPorts;
  const set = (version: number, sources: object[]) =>
    setAllocationTargets(ports)(SetAllocationTargets.params.parse({ ...vaultRef, version, sources }), call);
  return { ports, set, kept, rows, get: () => getAllocationTargets(ports)(vaultRef, caller) };
}
const target = (target_bps: number | null, cap_bps: number | null = null, source_address = source) => ({
  ...{ source_address, target_bps, cap_bps },
});

test('default: a version is kept with its block and its row, and the next replaces it', async () => {
  const { set, get, kept, rows } = scene();
  expect(await get()).toMatchObject({ version: 0, from_block: null, idle: { target_bps: null } });
  await set(0, [target(4_000, 5_000)]);
  expect(await get()).toMatchObject({
    version: 1,
    from_block: 7,
    idle: { target_bps: 6_000, mandate_at_least_bps: null },
    sources: [
      { name: 'Morpho Prime', target_bps: 4_000, cap_bps: 5_000, mandate_cap_bps: null, cap_in_force_bps: 5_000 },
    ],
  });
  await set(1, [target(null)]);
  expect(await get()).toMatchObject({ version: 2, sources: [{ target_bps: null, cap_bps: null }] });
  expect(kept.map(({ version, sources }) => [version, sources.length])).toEqual([
    [1, 1],
    [2, 0],
  ]);
  expect(rows[1]).toMatchObject({
    action_type: 'allocation_targets_set',
    details: { version: 2, from: [{ source, target_bps: 4_000, cap_bps: 5_000 }], to: [] },
  });
});

test('error: a stale version, and of two at once the second', async () => {
  const { set, ports } = scene();
  await set(0, [target(1)]);
  await expect(set(0, [target(2)])).rejects.toMatchObject({
    code: 'VERSION_CONFLICT',
    data: { current: { version: 1 } },
  });
  let reads = 0;
  const newest = async () => (reads++ === 0 ? null : ports.targets.newest({ chainId: 0, vault: '' }));
  const raced = { ...ports, targets: { ...ports.targets, newest } };
  const asked = SetAllocationTargets.params.parse({ ...vaultRef, version: 0, sources: [target(3)] });
  await expect(setAllocationTargets(raced)(asked, call)).rejects.toMatchObject({
    code: 'VERSION_CONFLICT',
    data: { current: { version: 1 } },
  });
});

test('security: a viewer reads and does not write, others do neither', async () => {
  const primary = `0x${'9'.repeat(40)}`;
  const viewer = scene({ primary, viewers: [wallet] });
  expect(await viewer.get()).toMatchObject({ version: 0 });
  await expect(viewer.set(0, [])).rejects.toMatchObject({ code: 'ROLE_REQUIRED' });
  expect(viewer.kept).toEqual([]);
  const stranger = scene({ primary });
  await expect(stranger.get()).rejects.toMatchObject({ code: 'ROLE_REQUIRED' });
  await expect(stranger.set(0, [])).rejects.toMatchObject({ code: 'ROLE_REQUIRED' });
  const secondary = scene({ primary, secondary: [wallet] });
  expect(await secondary.set(0, [])).toMatchObject({ version: 1 });
});

test('error: what is no source of the vault, and what the mandate does not allow', async () => {
  const { set, get, kept } = scene({ mandate });
  const other = `0x${'4'.repeat(40)}`;
  await expect(set(0, [target(4_501), target(1, null, other)])).rejects.toMatchObject({
    code: 'VALIDATION_FAILED',
    data: {
      errors: [
        { path: 'body.sources.0.target_bps', message: expect.stringContaining('45.00 %') },
        { path: 'body.sources.1.source_address' },
        { path: 'body.sources', message: expect.stringContaining('60.00 % idle') },
      ],
    },
  });
  expect(kept).toEqual([]);
  expect(await set(0, [target(4_000, 9_000)])).toMatchObject({
    sources: [{ cap_bps: 9_000, mandate_cap_bps: 4_500, cap_in_force_bps: 4_500 }],
  });
  expect(await get()).toMatchObject({ idle: { target_bps: 6_000, mandate_at_least_bps: 6_000 } });
});

test('behavior: what idle keeps is what targets leave that a later mandate cut', async () => {
  const { set, ports } = scene();
  await set(0, [target(8_000)]);
  const under = { ...ports, mandates: { inForce: async () => mandate } } as unknown as StrategyPorts;
  expect(await getAllocationTargets(under)(vaultRef, caller)).toMatchObject({
    idle: { target_bps: 5_500 },
    sources: [{ target_bps: 8_000, cap_in_force_bps: 4_500 }],
  });
});

test.each([
  ['a target above its cap', [target(2, 1)]],
  ['a source twice', [target(1), target(2)]],
  ['more than the whole', [target(6_000), target(4_001, null, `0x${'4'.repeat(40)}`)]],
  ['a broken share', [target(0.5)]],
  ['a share below none', [target(-1)]],
])('error: %s is refused before anything is read', (_name, sources) => {
  expect(SetAllocationTargets.params.safeParse({ ...vaultRef, version: 0, sources }).success).toBe(false);
});
