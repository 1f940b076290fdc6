import { describe, expect, test } from '@jest/globals';
import { encodeFunctionData, erc20Abi, getAddress, toFunctionSelector } from 'viem';
import { account, address, detail, key, run, vault } from '../test/deployment.ts';
import { askedOf } from './calls.ts';
import type { World } from './index.ts';

describe('preparing', () => {
  const call = {
    id: 'c1',
    to: address('33'),
    data: '0x1234',
    value: '0',
    chain_id: detail.chain_id,
    description: 'Skims the performance fee.',
    decoded: { function: 'skimPerformanceFee', args: {} },
    simulation: { ok: true, revert_reason: null },
    preconditions: [],
    changes: [{ field: 'fee', before: null, after: '5' }],
    post_condition: { description: '' },
    expires_at: '2026-06-01T12:05:00.000Z',
    signer: { wallet_address: account.address, kind: 'eoa', package: null },
  };
  const skim = { ...call, to: vault.strategy_address, data: toFunctionSelector('function skimPerformanceFee()') };
  const answersWith = (prepared: object) => ({
    '/public/vaults': [vault],
    [`/vaults/${detail.chain_id}/${detail.vault_address}`]: detail,
    '/prepare': prepared,
  });

  test('security: a call that is not what was asked for is shown as such, ends with 4 and is not sent', async () => {
    const args = ['prepare', 'skim_fees', 'USDC Core', '--send', '--yes'];
    const { code, err, asked } = await run(args, { answers: answersWith(call), env: { WALLET_PRIVATE_KEY: key } });
    expect([code, err]).toEqual([4, expect.stringContaining('DO NOT SIGN')]);
    expect(asked.some(({ path }) => path.includes('/prepared/'))).toBe(false);
  });

  test('default: what changes is shown before and after, with the digest; JSON has the same', async () => {
    const reverting = { ...skim, simulation: { ok: false, revert_reason: 'NOT_YOU' } };
    const { out } = await run(['prepare', 'skim_fees', 'USDC Core'], { answers: answersWith(reverting) });
    expect(out).toMatch(/digest +0x[0-9a-f]{64}\n/);
    expect(out).toMatch(/what changes +before +after\n +fee +- +5\n/);
    const { code, out: json } = await run(['prepare', 'skim_fees', 'USDC Core', '--json'], {
      answers: answersWith(skim),
    });
    expect([code, JSON.parse(json)]).toEqual([0, [expect.objectContaining({ problems: [], refusals: [] })]]);
  });

  const rpc = { RPC_URL: 'http://127.0.0.1:9' };
  const withKey = { WALLET_PRIVATE_KEY: key };
  test.each<[string, World['env'], string[] | undefined, number, string]>([
    ['without a key', rpc, undefined, 2, 'Which key sends it?'],
    ['without a node', withKey, undefined, 2, 'Which node takes the transaction?'],
    ['that nobody can confirm', { ...rpc, ...withKey }, undefined, 2, 'pass --yes'],
    ['that is not confirmed', { ...rpc, ...withKey }, ['y'], 1, 'Nothing was sent.'],
  ])('security: a call %s is not sent', async (_, env, typed, exit, message) => {
    const args = ['prepare', 'skim_fees', 'USDC Core', '--send'];
    const { code, err, asked } = await run(args, { answers: answersWith(skim), env, ...(typed ? { typed } : {}) });
    expect([code, err]).toEqual([exit, expect.stringContaining(message)]);
    expect(asked.some(({ path }) => path.includes('/prepared/'))).toBe(false);
  });

  const resource = {
    ...call,
    kind: 'skim_fees',
    vault_address: detail.vault_address,
    prepared_by: address('55'),
    prepared_at: call.expires_at,
    block_number: 1,
    forced: false,
    reason: null,
    status: 'prepared',
    tx_hash: null,
    revert_reason: null,
    post_condition: { description: '', ok: null, actual: null },
    history: [],
  };

  test('security: an approval that was prepared elsewhere is on the asset of the vault, or it is not sent', async () => {
    const args = { spender: detail.vault_address, value: '5' };
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [getAddress(args.spender), 5n] });
    const send = (to: string) => {
      const approve = { ...resource, kind: 'deposit', to, data, decoded: { function: 'approve', args } };
      return run(['send', 'c1'], { answers: { ...answersWith({}), '/prepared/c1': approve }, env: rpc });
    };
    const elsewhere = await send(address('66'));
    expect([elsewhere.code, elsewhere.err]).toEqual([4, expect.stringContaining('another token than the asset')]);
    const right = await send(detail.asset.address);
    expect([right.code, right.err]).toEqual([2, expect.stringContaining('Which key sends it?')]);
  });

  test('security: a call that somebody else prepared is read again, and not sent when it is not what it says', async () => {
    const answers = { ...answersWith({}), '/prepared/c1': resource };
    const { code, err, asked } = await run(['send', 'c1', '--yes'], { answers, env: { ...rpc, ...withKey } });
    expect([code, err]).toEqual([4, expect.stringContaining('DO NOT SIGN')]);
    expect(asked.some(({ path }) => path.endsWith('/broadcast'))).toBe(false);
    const right = { ...resource, ...skim, post_condition: resource.post_condition };
    const shown = await run(['send', 'c1'], { answers: { ...answers, '/prepared/c1': right }, env: rpc });
    expect([shown.code, shown.err]).toEqual([2, expect.stringContaining('Which key sends it?')]);
  });

  test('default: fields are text or JSON, as the change has them', () => {
    expect(
      askedOf('propose_fees', ['performance_fee_bps=900', 'management_fee_bps=0', `recipient=${address('44')}`]),
    ).toEqual({
      kind: 'propose_fees',
      args: { performance_fee_bps: 900, management_fee_bps: 0, recipient: address('44') },
    });
    expect(askedOf('pause', ['reason=1 = 1'])).toEqual({ kind: 'pause', args: { reason: '1 = 1' } });
    expect(askedOf('deposit_upkeep', ['amount=1000'])).toEqual({ kind: 'deposit_upkeep', args: { amount: '1000' } });
    expect(askedOf('set_deviation_threshold', ['deviation_threshold_bps=null']).args).toEqual({
      deviation_threshold_bps: null,
    });
  });

  test.each([
    ['dance', [], 'There is no change dance'],
    ['pause', ['reason'], 'is not FIELD=VALUE'],
    ['pause', ['why=x'], 'Fields: reason'],
    ['propose_fees', ['performance_fee_bps=much'], 'performance_fee_bps:'],
  ])('error: %s %j is refused with what is allowed', (kind, words, message) => {
    expect(() => askedOf(kind, words)).toThrow(message);
  });
});
