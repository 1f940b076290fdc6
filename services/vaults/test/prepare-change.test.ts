import {
  AppError,
  type Caller,
  isDepositorKind,
  MandateDocument,
  managerKinds,
  type PreparedKind,
  preparedKinds,
} from '@castellan/contracts';
import { anAddress, aVault } from '@castellan/testkit';
import { describe, expect, test } from '@jest/globals';
import { type Address, zeroAddress, zeroHash } from 'viem';
import type { Simulate } from '../src/prepared-calls/changes/adapters/simulate.rpc.ts';
import { catalogue } from '../src/prepared-calls/changes/domain/all-changes.ts';
import { type PreparePorts, prepareChange } from '../src/prepared-calls/changes/use-cases/prepare-change.ts';
import { argsFor, at, type Overrides, primary, secondary, stateOf, target } from './change-state.ts';
import { inMemory, snapshotOf } from './in-memory-calls.ts';

/**
 * The guards one by one: on a chain the checks and the simulation agree, so the loss of either would be hidden by the other.
 * The checks count when the simulation finds nothing, and the other way round.
 */

const NOW = 1_800_000_000;
const detail = aVault({
  vault_address: target.vault,
  strategy_address: target.strategy,
  name: target.name,
});
const snapshot = snapshotOf(detail, primary, [secondary]);

type Revert = Awaited<ReturnType<Simulate>>;
type Choices = {
  state?: Overrides;
  revert?: Revert;
  force?: boolean;
  caller?: Partial<Caller>;
  ports?: Partial<Record<keyof PreparePorts, unknown>>;
  args?: unknown;
};

const prepare = (kind: PreparedKind, choices: Choices = {}) => {
  const { state = {}, revert = null, force = false, caller = {}, ports = {}, args = argsFor[kind] } = choices;
  const all = {
    chains: { get: () => ({ contracts: async () => ({ aggregator: target.aggregator }) }) },
    status: { get: async () => ({ backfilled: true }) },
    snapshots: { get: async () => snapshot },
    directory: { viewers: async () => new Set() },
    changes: { read: async () => stateOf(state) },
    simulate: async () => revert,
    mandates: { inForce: async () => null },
    prepared: { unsentOf: async () => 29, takeBack: async () => undefined },
    keep: inMemory,
    stepUpSeconds: 1_800,
    now: () => NOW * 1_000,
    ...ports,
  } as unknown as PreparePorts;
  const params = { kind, chain_id: detail.chain_id, vault_address: detail.vault_address, force, args };
  const who = { wallet_address: primary, sid: 's', issuer: 'test', auth_time: NOW, ...caller };
  return prepareChange(all)(params as never, who as Caller);
};

describe('what the chain would refuse', () => {
  test('error: a failed check is reported by its name though the simulation finds nothing', async () => {
    const args = { manager_address: zeroAddress };
    const refused = prepare('add_secondary_manager', { args });
    await expect(refused).rejects.toMatchObject({
      code: 'ZERO_ADDRESS',
      message: 'A manager must have an address other than zero.',
      data: { revert_reason: 'ZERO_ADDRESS', args: {} },
    });
    const error = (await refused.catch((failure: unknown) => failure)) as AppError;
    expect(error.data?.preconditions).toContainEqual(expect.objectContaining({ code: 'ZERO_ADDRESS', ok: false }));
    const forced = await prepare('add_secondary_manager', { args, force: true });
    expect(forced.steps[0]?.preconditions[1]).toMatchObject({ code: 'ZERO_ADDRESS', ok: false });
  });

  test.each<[string, NonNullable<Revert>]>([
    ['WOULD_REVERT', { name: 'SOMETHING_NEW', args: { limit: '3' }, code: 'WOULD_REVERT' }],
    ['WOULD_REVERT', { name: 'unknown', args: {}, code: 'WOULD_REVERT' }],
    ['MANAGER_ALREADY_EXISTS', { name: 'MANAGER_ALREADY_EXISTS', args: {}, code: 'MANAGER_ALREADY_EXISTS' }],
  ])('error: %s when only the simulation sees it: %j', async (code, revert) => {
    const { name, args } = revert;
    const refused = prepare('add_secondary_manager', { revert });
    await expect(refused).rejects.toMatchObject({ code, data: { revert_reason: name, args } });
    const forced = await prepare('add_secondary_manager', { revert, force: true });
    expect(forced.steps[0]?.simulation).toEqual({ ok: false, revert_reason: name });
  });

  test('error: RPC_UNAVAILABLE is reported as it is, also when forced: nothing was checked', async () => {
    const away = () => Promise.reject(new AppError('RPC_UNAVAILABLE', 'No node answers.'));
    for (const force of [false, true])
      for (const ports of [{ changes: { read: away } }, { simulate: away }])
        await expect(prepare('pause', { force, ports })).rejects.toMatchObject({ code: 'RPC_UNAVAILABLE' });
  });
});

describe('the mandate in force', () => {
  const mandate = (on_breach: 'warn' | 'refuse') => {
    const promise = { id: 'deputies', kind: 'managers', role: 'secondary_manager', allowed: [], on_breach };
    return { inForce: async () => MandateDocument.parse({ format: 1, title: 'Test', promises: [promise] }) };
  };

  test('behavior: a call that would break it carries a warning', async () => {
    const { steps } = await prepare('add_secondary_manager', { ports: { mandates: mandate('warn') } });
    expect(steps).toMatchObject([{ mandate_warnings: [{ promise_id: 'deputies' }] }]);
    const [plain] = (await prepare('add_secondary_manager')).steps;
    expect(plain).not.toHaveProperty('mandate_warnings');
  });

  test('security: where it says so it is refused, forced or not; a pause never is', async () => {
    const ports = { mandates: mandate('refuse') };
    for (const force of [false, true])
      await expect(prepare('add_secondary_manager', { ports, force })).rejects.toMatchObject({
        code: 'MANDATE_REFUSES',
        data: { promise_id: 'deputies' },
      });
    for (const kind of ['pause', 'remove_secondary_manager', 'cancel_primary_change', 'deposit_upkeep'] as const)
      expect((await prepare(kind, { ports, force: true })).steps.length).toBeGreaterThan(0);
  });

  test('security: one that this version does not understand refuses what it could speak of', async () => {
    const ports = { mandates: { inForce: async () => 'unreadable' as const } };
    const refused = prepare('add_secondary_manager', { ports, force: true });
    await expect(refused).rejects.toMatchObject({ code: 'MANDATE_REFUSES' });
    expect((await prepare('pause', { ports })).steps.length).toBeGreaterThan(0);
  });
});

describe('who may ask', () => {
  const asSecondary = { wallet_address: secondary };

  test.each(managerKinds)('behavior: %s is given to its role only', async (kind) => {
    const { role } = catalogue[kind];
    const asked = prepare(kind, { caller: asSecondary, force: true });
    if (role === 'manager') expect((await asked).steps).toHaveLength(1);
    else await expect(asked).rejects.toMatchObject({ code: 'ROLE_REQUIRED', data: { role: 'secondary_manager' } });
    const stranger = prepare(kind, { caller: { wallet_address: anAddress(0x77) }, force: true });
    await expect(stranger).rejects.toMatchObject({ code: 'ROLE_REQUIRED', data: { role: null } });
  });

  test.each(preparedKinds.filter(isDepositorKind))(
    'behavior: %s is given to anybody, for the own wallet',
    async (kind) => {
      const asked: string[] = [];
      const read = async (_chain: unknown, _target: unknown, { caller }: { caller: string }) => {
        asked.push(caller);
        return stateOf();
      };
      for (const wallet_address of [anAddress(0x77), secondary, primary])
        expect(
          (await prepare(kind, { caller: { wallet_address }, force: true, ports: { changes: { read } } })).steps,
        ).toMatchObject([{ signer: { wallet_address } }]);
      expect(asked).toEqual([anAddress(0x77), secondary, primary]);
      const elsewhere = { vault: { chain_id: detail.chain_id, vault_address: anAddress(9) } };
      await expect(prepare(kind, { caller: elsewhere, force: true })).rejects.toMatchObject({ code: 'ROLE_REQUIRED' });
    },
  );

  test('error: TOO_MANY_PREPARED once as many calls of the own position wait, forced or not; managers are not counted', async () => {
    const counted: unknown[] = [];
    const unsentOf = async (...of: unknown[]) => {
      counted.push(of);
      return 30;
    };
    const ports = { prepared: { unsentOf } };
    for (const force of [false, true])
      await expect(prepare('deposit', { ports, force })).rejects.toMatchObject({ code: 'TOO_MANY_PREPARED' });
    expect(counted[0]).toEqual([{ wallet: primary.toLowerCase(), chainId: detail.chain_id }, new Date(NOW * 1_000)]);
    expect((await prepare('pause', { ports })).steps).toHaveLength(1);
  });

  test('security: TOO_MANY_PREPARED for requests that were counted at once; nothing of them is kept', async () => {
    const stored = Array.from({ length: 28 }, (_, at) => `before-${at}`);
    const prepared = {
      unsentOf: async () => stored.length,
      takeBack: async (ids: string[]) => {
        for (const id of ids) stored.splice(stored.indexOf(id), 1);
      },
    };
    const keep = async (drafts: Parameters<PreparePorts['keep']>[0]) => {
      const steps = await inMemory(drafts);
      stored.push(...steps.map(({ id }) => id));
      return steps;
    };
    const asked = Array.from({ length: 5 }, () => prepare('deposit', { ports: { prepared, keep } }));
    const answers = await Promise.allSettled(asked);
    const codes = answers.map((each) => (each.status === 'fulfilled' ? 'kept' : each.reason.code));
    expect(codes).toContain('TOO_MANY_PREPARED');
    const kept = codes.filter((code) => code === 'kept').length;
    expect(stored.length).toBe(28 + kept);
    expect(stored.length).toBeLessThanOrEqual(30);
    stored.splice(0, stored.length, ...Array.from({ length: 29 }, (_, at) => `before-${at}`));
    expect((await prepare('deposit', { ports: { prepared, keep } })).steps).toHaveLength(1);
    await expect(prepare('deposit', { ports: { prepared, keep } })).rejects.toMatchObject({
      code: 'TOO_MANY_PREPARED',
    });
  });

  test('error: ROLE_REQUIRED for the primary manager with a token bound to another vault', async () => {
    const bound = (vault_address: string) => ({ vault: { chain_id: detail.chain_id, vault_address } });
    const elsewhere = prepare('pause', { caller: bound(anAddress(9)) });
    await expect(elsewhere).rejects.toMatchObject({ code: 'ROLE_REQUIRED', data: { role: null } });
    expect((await prepare('pause', { caller: bound(detail.vault_address) })).steps).toHaveLength(1);
  });
});

describe('a recent signature', () => {
  const dangerous = [
    'remove_secondary_manager',
    'propose_fees',
    'execute_fees',
    'set_deviation_threshold',
    'execute_expiration',
    'propose_upkeep_withdrawal',
    'unpause',
    'add_yield_sources',
    'update_yield_source_oracles',
    'remove_yield_sources',
    'propose_hooks_root',
    'execute_hooks_root',
    'allow_hook_leaves',
  ];

  test.each(preparedKinds)('behavior: %s takes one when it could do harm, and only then', async (kind) => {
    const isDangerous = dangerous.includes(kind);
    for (const caller of [{ auth_time: NOW - 1_801 }, { auth_time: undefined }]) {
      const asked = prepare(kind, { caller: caller as Partial<Caller>, force: true });
      if (isDangerous)
        await expect(asked).rejects.toMatchObject({ code: 'STEP_UP_REQUIRED', data: { max_age_seconds: 1_800 } });
      else expect((await asked).steps.length).toBeGreaterThan(0);
    }
    const recent = prepare(kind, { caller: { auth_time: NOW - 1_800 }, force: true });
    expect((await recent).steps.length).toBeGreaterThan(0);
  });

  test('default: 0 seconds switch it off', async () => {
    const ports = { stepUpSeconds: 0 };
    expect((await prepare('propose_fees', { caller: { auth_time: 1 }, ports })).steps).toHaveLength(1);
  });

  test('behavior: a wallet without the role gets an error about its role, not of its signature', async () => {
    const asked = prepare('propose_fees', { caller: { wallet_address: secondary, auth_time: 1 } });
    await expect(asked).rejects.toMatchObject({ code: 'ROLE_REQUIRED' });
  });
});

describe('a deposit before its allowance', () => {
  const wallet = { balance: 1_000n, allowance: 10n };
  const revert = { name: 'ERC20InsufficientAllowance', args: {}, code: 'ERC20InsufficientAllowance' } as const;
  /** The chain as it is now: the approval passes, the deposit does not. */
  const simulate: Simulate = async (_chain, { to }) => (to === target.aggregator ? revert : null);

  test('default: approves exactly the amount first; the deposit is judged by its other checks', async () => {
    const { steps } = await prepare('deposit_upkeep', { state: { wallet }, ports: { simulate } });
    expect(steps.map(({ decoded, simulation }) => [decoded, simulation])).toEqual([
      [
        { function: 'approve', args: { spender: target.aggregator, value: '500' } },
        { ok: true, revert_reason: null },
      ],
      [
        { function: 'depositUpkeep', args: { strategy: target.strategy, amount: '500' } },
        { ok: true, revert_reason: null },
      ],
    ]);
    expect(steps[1]?.preconditions[1]).toMatchObject({ code: 'ERC20InsufficientAllowance', ok: false });
  });

  test('behavior: more is approved where that is asked for, and never less than the deposit', async () => {
    const approved = async (allowance: string) => {
      const { steps } = await prepare('deposit_upkeep', {
        args: { amount: '500', allowance },
        state: { wallet },
        ports: { simulate },
      });
      return steps[0]?.decoded.args.value;
    };
    expect(await approved('9000')).toBe('9000');
    expect(await approved('1')).toBe('500');
  });

  test('error: what the wallet lacks is reported before anything is approved', async () => {
    const state = { wallet: { balance: 499n, allowance: 0n } };
    const asked = prepare('deposit_upkeep', { state, ports: { simulate } });
    await expect(asked).rejects.toMatchObject({ code: 'ERC20InsufficientBalance', data: { args: {} } });
    const forced = await prepare('deposit_upkeep', { state, ports: { simulate }, force: true });
    expect(forced.steps[1]?.simulation).toEqual({ ok: false, revert_reason: 'ERC20InsufficientBalance' });
  });

  test('behavior: with the allowance it is one step, simulated like any other', async () => {
    const state = { wallet: { balance: 500n, allowance: 500n } };
    expect((await prepare('deposit_upkeep', { state })).steps).toHaveLength(1);
    await expect(prepare('deposit_upkeep', { state, ports: { simulate } })).rejects.toMatchObject({
      code: 'ERC20InsufficientAllowance',
    });
  });
});

test('behavior: what is kept names request, block, order, force and reason', async () => {
  const kept: unknown[] = [];
  const keep = async (drafts: Parameters<PreparePorts['keep']>[0]) => {
    kept.push(...drafts);
    return inMemory(drafts);
  };
  const args = { reason: 'The source is under attack.' };
  await prepare('pause', { args, force: true, ports: { keep } });
  const request = { kind: 'pause', args, caller: primary as Address };
  expect(kept).toMatchObject([
    {
      request,
      target,
      step: 0,
      forced: true,
      reason: args.reason,
      block: { number: 500n, hash: zeroHash, timestamp: at },
    },
  ]);
});
