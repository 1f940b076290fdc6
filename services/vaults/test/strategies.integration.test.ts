import {
  Backtest,
  GetAllocationTargets,
  GetStrategySnapshot,
  SetAllocationTargets,
  SimulateAhead,
  ValidateStrategy,
} from '@castellan/contracts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { one, who } from '../../../packages/protocol/test/test-chain.ts';

import { action, aDraft, create, type Draft, ref, refusal, source, startScene, system } from './strategies-scene.ts';

/** What is answered about strategies before one is saved: what they see, and what is wrong with a draft. */

beforeAll(startScene);
afterAll(async () => system?.stop());

describe('what strategies see', () => {
  test('default: every variable, as of the last block, and null for what is not known', async () => {
    const { fields, block_number } = await system.call(GetStrategySnapshot, ref(), who.secondary);
    const value = (name: string) => fields[name]?.value;
    const detail = await system.detail(system.protocol.vault.address, who.main);
    expect(value('vault_free_assets')).toBe(detail.free_assets);
    expect(value('vault_tvl')).toBe(detail.total_assets);
    expect(value('vault_redeem_queue_count')).toBe('1');
    expect(value('vault_redeem_queue_value')).toBe(`${100n * one}`);
    expect(value(`ys_${source().toLowerCase()}_amount`)).toBe('0');
    expect(value(`ys_${source().toLowerCase()}_tvl`)).toBe('0');
    expect(value(`ys_${source().toLowerCase()}_reward_apy`)).toBeNull();
    // Less than a day of prices is known.
    expect(value(`ys_${source().toLowerCase()}_drawdown`)).toBeNull();
    expect(new Set(Object.values(fields).map((field) => field.block_number))).toEqual(new Set([block_number]));
  });

  test('error: nobody without a role sees them', async () => {
    await expect(system.call(GetStrategySnapshot, ref(), who.stranger)).rejects.toEqual(refusal('ROLE_REQUIRED'));
    await expect(system.call(GetStrategySnapshot, ref())).rejects.toEqual(refusal('TOKEN_MISSING'));
  });
});

describe('saving', () => {
  test.each<[string, () => Partial<Draft>, string]>([
    [
      'a division that nothing guards',
      () => ({ rules: { type: 'EXPR', expr: 'vault_free_assets / vault_tvl > 0.1' } }),
      'body.rules.expr',
    ],
    [
      'one that fails on the vault as it is',
      () => ({ action_config: action({ size_expr: 'if(vault_tvl == 0, 0, 1 / (vault_tvl - vault_free_assets))' }) }),
      'body.action_config.size_expr',
    ],
    [
      'a source of another vault',
      () => ({ rules: { type: 'EXPR', expr: `ys_0x${'ab'.repeat(20)}_apy > 0.1` } }),
      'body.rules.expr',
    ],
    [
      'a target that is no source',
      () => ({ action_config: action({ target_address: who.bob }) }),
      'body.action_config.target_address',
    ],
    [
      'shares for a deposit',
      () => ({ action_config: action({ size_expr: 'vault_total_supply' }) }),
      'body.action_config.size_expr',
    ],
    [
      'a rebalance from nowhere',
      () => ({ action_config: action({ action: 'REBALANCE', size_expr: '5' }) }),
      'body.action_config.from_address',
    ],
  ])('error: %s', async (_name, over, path) => {
    await expect(create('faulty', over())).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      data: { errors: [{ path }] },
    });
  });

  test('error: a shape that is none never reaches the language', async () => {
    let deep: unknown = { type: 'EXPR', expr: 'true' };
    for (let level = 0; level < 3_000; level += 1) deep = { type: 'NOT', child: deep };
    for (const rules of [deep, { type: 'XOR', children: [] }, { type: 'AND', children: [], expr: 'true' }, 7])
      await expect(create('shapeless', { rules: rules as never })).rejects.toEqual(refusal('VALIDATION_FAILED'));
  });

  test('behavior: a value that is not known now is warned about, and such a rule does not fire', async () => {
    const over = { rules: { type: 'EXPR' as const, expr: `ys_${source().toLowerCase()}_reward_apy > 0.1` } };
    const { vault_address, chain_id: chain, id: _id, ...definition } = aDraft('any', over);
    const judged = await system.call(
      ValidateStrategy,
      { vault_address, chain_id: chain, ...definition },
      who.secondary,
    );
    expect(judged).toMatchObject({ ok: true, warnings: [{ code: 'NO_VALUE', path: 'rules.expr' }] });
    expect(judged.decision?.rule).toMatchObject({ result: null, because: expect.stringContaining('has no value') });
  });
});

describe('targets', () => {
  const set = (version: number, target_bps: number, wallet?: string) =>
    system.call(
      SetAllocationTargets,
      { ...ref(), version, sources: [{ source_address: source(), target_bps, cap_bps: 6_000 }] },
      wallet,
    );
  const read = (wallet?: string) => system.call(GetAllocationTargets, ref(), wallet);

  test('default: managers set them, strategies and back-tests see them, and of two at once one wins', async () => {
    const { version } = await read(who.secondary);
    const answers = await Promise.allSettled([set(version, 4_000, who.secondary), set(version, 5_000, who.main)]);
    expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const set4 = await set(version + 1, 4_000, who.main);
    expect(await read(who.secondary)).toEqual(set4);
    expect(set4).toMatchObject({ version: version + 2, updated_by: who.main, idle: { target_bps: null } });
    const { fields } = await system.call(GetStrategySnapshot, ref(), who.secondary);
    const ys = `ys_${source().toLowerCase()}`;
    expect(fields[`${ys}_target_share`]?.value).toBe('0.4');
    expect(fields[`${ys}_to_target`]?.value).toBe(`${400n * one}`);
    expect(fields[`${ys}_to_cap`]?.value).toBe(`${600n * one}`);
    const {
      vault_address: _vault,
      chain_id: _chain,
      ...draft
    } = aDraft('aimed', {
      indicators: [],
      rules: { type: 'EXPR', expr: `${ys}_to_target > 0` },
      action_config: action({ size_expr: `${ys}_to_target` }),
    });
    const range = { from: '2000-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' };
    const tried = await system.call(Backtest, { ...ref(), ...range, drafts: [draft] }, who.secondary);
    expect(tried.firings.at(-1)).toMatchObject({ amount: `${400n * one}` });
    expect(tried.allocation?.[1]).toMatchObject({
      ...{
        source_address: source(),
        assets: '0',
        assets_simulated: `${400n * one}`,
        target_bps: 4_000,
        cap_bps: 6_000,
      },
    });
  });

  test('security: nobody without a role reads or sets them', async () => {
    for (const [wallet, code] of [
      [who.stranger, 'ROLE_REQUIRED'],
      [undefined, 'TOKEN_MISSING'],
    ] as const) {
      await expect(read(wallet)).rejects.toEqual(refusal(code));
      await expect(set(0, 1, wallet)).rejects.toEqual(refusal(code));
    }
  });
});

describe('simulations', () => {
  test('behavior: a draft can be tried before it is saved, ahead as well', async () => {
    const { vault_address: _vault, chain_id: _chain, ...draft } = aDraft('draft');
    const ahead = await system.call(
      SimulateAhead,
      {
        ...ref(),
        drafts: [draft],
        horizon_seconds: 86_400 * 30,
        step_seconds: 86_400,
        apys: [{ source_address: source(), apy: 0.1 }],
      },
      who.main,
    );
    expect(ahead.snapshots).toEqual({ total: 31, recorded: 0, observed: 0, projected: 31 });
    expect(ahead.strategies).toMatchObject([{ strategy_id: 'draft', fired: 1 }]);
    // 900 at 10 % a year for 30 days.
    expect(Number(ahead.gained_assets) / 1e6).toBeCloseTo(900 * (1.1 ** (30 / 365) - 1), 3);
  });
});
