import { hookLeaf, superVaultStrategyAbi } from '@castellan/chain';
import { describe, expect, test } from '@jest/globals';
import { type Address, decodeFunctionData, encodePacked, getAddress, type Hex, zeroHash } from 'viem';
import type { ChainHook } from '../../hook-trees/adapters/active-hooks.mongo.ts';
import type { TreeDocument } from '../../hook-trees/models/hook-trees.ts';
import type { StrategyDocument } from '../../strategies/domain/strategy.ts';
import type { Snapshot } from '../../vault/adapters/snapshot-store.mongo.ts';
import type { Leg } from '../domain/legs.ts';
import type { KeeperChain, KeeperPorts } from '../ports.ts';
import { planOf } from './plan.ts';

const address = (digit: string) => `0x${digit.repeat(40)}` as Address;
const [source, asset, strategy, second] = [address('1'), address('2'), address('3'), address('6')];
const field = (name: string, solidity_type: string) => ({ name, solidity_type });
const param = (name: string, ref_type: 'yield_source' | 'others', param_order: number) => ({
  ...field(name, 'address'),
  ...{ ref_type, param_order },
});
const redeem: ChainHook = {
  name: 'Redeem',
  hook_type: 'WITHDRAWAL',
  address: address('a'),
  inspect_params: [param('yield_source', 'yield_source', 0), param('owner', 'others', 1)],
  calldata: [field('yield_source', 'address'), field('owner', 'address'), field('shares', 'uint256')],
};
const deposit: ChainHook = {
  name: 'Deposit',
  hook_type: 'DEPOSIT',
  address: address('c'),
  inspect_params: [param('yield_source', 'yield_source', 0)],
  calldata: [field('yield_source', 'address'), field('amount', 'uint256'), field('use_prev', 'bool')],
};
const args: Hex = '0x1234';
const leaves = [redeem, deposit].map(({ address }) => hookLeaf(address, args));
const snapshot = {
  chain_id: 1,
  vault: address('4'),
  detail: {
    vault_address: address('4'),
    strategy_address: strategy,
    asset: { address: asset },
    allocation: [source, second].map((source_address) => ({
      kind: 'source',
      source_address,
      oracle_address: address('5'),
    })),
  },
} as unknown as Snapshot;
const document = (execution_address: Address | null) =>
  ({
    definition: {
      action_config: { execution_address, target_address: source, execution_params: {}, max_slippage_bps: 50 },
    },
  }) as unknown as StrategyDocument;

type Planned = { action: 'DEPOSIT' | 'WITHDRAWAL'; hook: Address | null; hooks: ChainHook[]; next?: Leg };
const plan = (of: Planned, on: Partial<KeeperChain> = {}) => {
  const root: Hex = `0x${'77'.repeat(32)}`;
  const ports = {
    chain: {
      chainId: 1,
      roots: async () => ({ strategy: root, global: zeroHash, isVetoed: false }),
      inspect: async () => args,
      validate: async () => true,
      quote: async () => 1_000n,
      ...on,
    },
    hooks: async () => of.hooks,
    trees: {
      byRoot: async (_of: unknown, asked: Hex) =>
        asked === root ? ({ _id: 'tree', nodes: '00'.repeat(32) } as TreeDocument) : null,
      leaf: async (_tree: string, hash: Hex) => (leaves.includes(hash) ? { leaf_hash: hash, node: 0 } : null),
    },
  } as unknown as KeeperPorts;
  const { action, hook, next } = of;
  const legs = [{ action, source, hook }, ...(next ? [next] : [])] as [Leg, ...Leg[]];
  return planOf(ports, { legs, amount: 10n, snapshot, document: document(hook), block: 5 });
};

describe('an emergency exit', () => {
  const exit = { action: 'WITHDRAWAL', hook: null } as const;
  const unusable: ChainHook = {
    ...redeem,
    name: 'Pins what nobody gives',
    address: address('b'),
    inspect_params: [param('yield_source', 'yield_source', 0), param('recipient', 'others', 1)],
    calldata: [field('yield_source', 'address'), field('recipient', 'address'), field('shares', 'uint256')],
  };

  test('behavior: takes the first hook of the registry that can be used, whatever stands before it', async () => {
    const { shown } = await plan({ ...exit, hooks: [unusable, redeem] });
    expect(shown).toMatchObject({ hook: redeem.address, least_out: '995' });
  });

  test('behavior: goes on to the next where the chain refuses a proof', async () => {
    const second = { ...redeem, name: 'The same again' };
    let asked = 0;
    const validate = async () => {
      asked += 1;
      return asked === 2;
    };
    await expect(plan({ ...exit, hooks: [redeem, second] }, { validate })).resolves.toMatchObject({
      shown: { hook_name: second.name },
    });
  });

  test('error: without any it says why the first cannot be used', async () => {
    await expect(plan({ ...exit, hooks: [unusable] })).rejects.toMatchObject({ code: 'HOOK_PARAMS_MISSING' });
  });
});

describe('a strategy that names its hook', () => {
  test('error: a hook that does something else is none for it', async () => {
    const named = { action: 'DEPOSIT', hook: redeem.address } as const;
    await expect(plan({ ...named, hooks: [redeem] })).rejects.toMatchObject({ code: 'HOOK_NOT_FOUND' });
    await expect(plan({ ...named, action: 'WITHDRAWAL', hooks: [redeem] })).resolves.toBeDefined();
  });
});

describe('two legs', () => {
  const into: Leg = { action: 'DEPOSIT', source: second, hook: deposit.address };
  const both: Planned = { action: 'WITHDRAWAL', hook: null, next: into, hooks: [redeem, deposit] };
  /** 10 shares are worth 1000, and these are 2000 shares of the other source. */
  const quote: KeeperChain['quote'] = async ({ amount, action }) =>
    action === 'WITHDRAWAL' ? amount * 100n : amount * 2n;
  const argsOf = (data: Hex) => {
    const called = decodeFunctionData({ abi: superVaultStrategyAbi, data });
    if (called.functionName !== 'executeHooks') throw new Error(`It calls ${called.functionName}.`);
    return called.args[0];
  };

  test('default: are one call, the second of what comes out of the first, each held to what the oracles said', async () => {
    const { call, hooks, assets, shown } = await plan(both, { quote });
    expect([hooks, assets]).toEqual([[redeem.address, deposit.address], 1_000n]);
    const { hookCalldata, ...called } = argsOf(call.data);
    expect(called).toMatchObject({
      hooks: hooks.map((hook) => getAddress(hook)),
      expectedAssetsOrSharesOut: [995n, 1_990n],
    });
    // The amount is the flag's alone.
    expect(hookCalldata[1]).toBe(encodePacked(['address', 'uint256', 'bool'], [second, 0n, true]));
    expect(shown).toMatchObject({
      max_slippage_bps: 50,
      legs: [
        { action: 'WITHDRAWAL', source, hook: redeem.address, amount: '10', expected_out: '1000', least_out: '995' },
        { action: 'DEPOSIT', source: second, hook: deposit.address, amount: '1000', least_out: '1990' },
      ],
    });
  });

  test('error: a hook that cannot take what the one before it gave', async () => {
    const deaf = { ...deposit, calldata: deposit.calldata.filter(({ name }) => name !== 'use_prev') };
    const planned = plan({ ...both, hooks: [redeem, deaf] }, { quote });
    await expect(planned).rejects.toMatchObject({ code: 'HOOK_LAYOUT_UNSUPPORTED' });
  });

  test('error: without a proof, a hook or a price of the second leg', async () => {
    const inspect: KeeperChain['inspect'] = async (hook) => (hook === deposit.address ? null : args);
    await expect(plan(both, { quote, inspect })).rejects.toMatchObject({
      code: 'PROOF_NOT_FOUND',
      message: expect.stringContaining(`the DEPOSIT into ${second}`),
    });
    await expect(plan({ ...both, hooks: [redeem] }, { quote })).rejects.toMatchObject({ code: 'HOOK_NOT_FOUND' });
    const unpriced: KeeperChain['quote'] = async (of) => (of.action === 'DEPOSIT' ? null : quote(of));
    await expect(plan(both, { quote: unpriced })).rejects.toMatchObject({ code: 'PRICE_MISSING' });
  });
});
