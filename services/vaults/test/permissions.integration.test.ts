import {
  isDepositorKind,
  type ManagerKind,
  managerKinds,
  type PreparedKind,
  preparedKinds,
} from '@castellan/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Address } from 'viem';
import { one, who } from '../../../packages/protocol/test/test-chain.ts';
import { postConditionOf } from '../src/prepared-calls/changes/domain/all-changes.ts';
import type { PreparedDraft } from '../src/prepared-calls/changes/domain/change.ts';
import { giveAssets, scenes } from './change-scenes.ts';
import { PrepareBench, type Sent, viewer } from './prepare-bench.ts';

/**
 * Who may do what: for every kind of change and five callers, what the service answers, and what the chain does with the very
 * bytes when they come from that wallet.
 */

let bench: PrepareBench;
beforeAll(async () => {
  bench = await PrepareBench.start();
});
afterAll(async () => bench?.stop());
beforeEach(async () => bench.reset());

type Guard = 'aggregator' | 'strategy' | 'anyone';
/** The service's rule, and the contract's own guard. Anyone may send what the last say; the service gives it to managers. */
const rules: { readonly [K in ManagerKind]: ['primary' | 'manager', Guard] } = {
  add_secondary_manager: ['primary', 'aggregator'],
  remove_secondary_manager: ['primary', 'aggregator'],
  cancel_primary_change: ['primary', 'aggregator'],
  propose_fees: ['primary', 'strategy'],
  execute_fees: ['primary', 'strategy'],
  skim_fees: ['manager', 'strategy'],
  set_deviation_threshold: ['primary', 'aggregator'],
  propose_expiration: ['primary', 'strategy'],
  execute_expiration: ['primary', 'strategy'],
  cancel_expiration: ['primary', 'strategy'],
  propose_min_update_interval: ['primary', 'aggregator'],
  execute_min_update_interval: ['primary', 'anyone'],
  cancel_min_update_interval: ['primary', 'aggregator'],
  deposit_upkeep: ['manager', 'anyone'],
  propose_upkeep_withdrawal: ['primary', 'aggregator'],
  execute_upkeep_withdrawal: ['manager', 'anyone'],
  pause: ['manager', 'aggregator'],
  unpause: ['manager', 'aggregator'],
  add_yield_sources: ['primary', 'strategy'],
  update_yield_source_oracles: ['primary', 'strategy'],
  remove_yield_sources: ['primary', 'strategy'],
  propose_hooks_root: ['primary', 'aggregator'],
  execute_hooks_root: ['manager', 'anyone'],
  ban_hook_leaves: ['primary', 'aggregator'],
  allow_hook_leaves: ['primary', 'aggregator'],
  fulfil_redemptions: ['manager', 'strategy'],
  fulfil_cancellations: ['manager', 'strategy'],
};
const refusalOf = {
  aggregator: 'UNAUTHORIZED_UPDATE_AUTHORITY',
  strategy: 'MANAGER_NOT_AUTHORIZED',
  anyone: 'ok',
} as const;

const callers = [
  ['the primary manager', who.main, 'primary_manager'],
  ['a secondary manager', who.secondary, 'secondary_manager'],
  ['a viewer', viewer, 'view_only'],
  ['a stranger', who.stranger, null],
  ['nobody signed in', undefined, null],
] as const;

const cells = managerKinds.flatMap((kind) => callers.map((caller) => [kind, ...caller] as const));

async function answerTo(kind: PreparedKind, wallet: Address | undefined, force: boolean) {
  const asked = { kind, args: scenes[kind].args(bench), force, ...(wallet ? { wallet } : {}) };
  return bench.prepare(asked as never).then(
    (steps) => ({ code: 'ok', steps, data: undefined }),
    ({ code, data }: { code: string; data?: unknown }) => ({ code, steps: [], data }),
  );
}

describe('service and chain agree', () => {
  test.each(cells)('%s by %s', async (kind, _who, wallet, role) => {
    const [needed, guard] = rules[kind];
    await scenes[kind].ready(bench);
    const [bytes] = (await answerTo(kind, who.main, false)).steps;
    const may = role === 'primary_manager' || (needed === 'manager' && role === 'secondary_manager');
    for (const force of [false, true]) {
      const answer = await answerTo(kind, wallet, force);
      if (may) {
        expect(answer).toMatchObject({ code: 'ok', steps: [{ simulation: { ok: true, revert_reason: null } }] });
        expect(answer.steps[0]).toMatchObject({ to: bytes?.to, data: bytes?.data });
      } else if (wallet === undefined) expect(answer.code).toBe('TOKEN_MISSING');
      else {
        const required_role = needed === 'primary' ? 'primary_manager' : 'secondary_manager';
        expect(answer).toMatchObject({ code: 'ROLE_REQUIRED', data: { required_role, role } });
      }
    }
    const outcome = await bench.send(wallet ?? who.bob, bytes as Sent);
    // Where anyone may send it, nobody but who deposits needs tokens for it.
    if (kind === 'deposit_upkeep' && wallet === undefined) expect(outcome).toBe('ERC20InsufficientAllowance');
    else expect(outcome).toBe(may ? 'ok' : refusalOf[guard]);
  });
});

const ownCells = preparedKinds
  .filter(isDepositorKind)
  .flatMap((kind) => callers.map(([name, wallet]) => [kind, name, wallet] as const));

describe('the own position', () => {
  test.each(ownCells)(
    '%s by %s: for that wallet, and for no other that sends the bytes',
    async (kind, _who, wallet) => {
      await scenes[kind].ready(bench);
      const answer = await answerTo(kind, wallet, false);
      if (wallet === undefined) return expect(answer.code).toBe('TOKEN_MISSING');
      expect(answer).toMatchObject({
        code: 'ok',
        steps: [{ simulation: { ok: true }, to: bench.protocol.vault.address }],
      });
      const bytes = answer.steps[0] as Sent;
      // Bob has allowed nothing and controls nobody's requests.
      const refusal = kind === 'deposit' ? 'ERC20InsufficientAllowance' : 'INVALID_CONTROLLER';
      expect(await bench.send(who.bob, bytes)).toBe(refusal);
      expect(await bench.send(wallet, bytes)).toBe('ok');
    },
  );

  test('behavior: without the allowance a deposit is two calls, and both come true', async () => {
    await giveAssets(bench, who.stranger, 100n * one);
    const { steps } = await answerTo('deposit', who.stranger, false);
    const { asset, vault } = bench.protocol;
    expect(steps.map(({ to }) => to)).toEqual([asset.address, vault.address]);
    for (const step of steps) expect(await bench.send(who.stranger, step)).toBe('ok');
    expect(await bench.chain.read(asset, 'allowance', [who.stranger, vault.address])).toBe(0n);
    expect(await bench.chain.read(vault, 'balanceOf', [who.stranger])).toBeGreaterThan(0n);
  });
});

describe('what was prepared comes true', () => {
  test.each(preparedKinds)('behavior: %s: its post-condition holds once it is sent, and not before', async (kind) => {
    await scenes[kind].ready(bench);
    const { steps } = await answerTo(kind, who.main, false);
    for (const [index, step] of steps.entries()) {
      const draft = bench.drafts[index] as PreparedDraft;
      const kept = { request: draft.request, function: step.decoded.function, changes: step.changes };
      const before = await bench.stateFor(draft);
      const holds = async () => postConditionOf(kept).holds(await bench.stateFor(draft), before);
      expect(await holds()).toMatchObject({ ok: false });
      expect(await bench.send(who.main, step)).toBe('ok');
      expect(await holds()).toMatchObject({ ok: true });
    }
  });
});
