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
const param = (name: string, ref_type: 'yield_source' | 'token' | 'others', param_order: number) => ({
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
const claim: ChainHook = {
  name: 'Claim',
  hook_type: 'CLAIM',
  address: address('d'),
  inspect_params: [param('distributor', 'others', 0), param('token', 'token', 1)],
  calldata: [field('distributor', 'address'), field('token', 'address')],
};
const swap: ChainHook = {
  name: 'Swap',
  hook_type: 'SWAP',
  address: address('e'),
  inspect_params: [param('pool', 'others', 0), param('token_in', 'token', 1), param('token_out', 'token', 2)],
  calldata: [
    ...[field('pool', 'address'), field('token_in', 'address')],
    ...[field('amount', 'uint256'), field('token_out', 'address')],
  ],
};
const leaves = [redeem, deposit, claim, swap].map(({ address }) => hookLeaf(address, args));
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

type Planned = {
  action: Leg['action'];
  hook: Address | null;
  hooks: readonly ChainHook[];
  next?: Leg;
  token?: Address;
};
const plan = (of: Planned, on: Partial<KeeperChain> = {}, amount = 10n) => {
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
  const { action, hook, next, token } = of;
  const legs = [{ action, source, hook, ...(token ? { token } : {}) }, ...(next ? [next] : [])] as [Leg, ...Leg[]];
  return planOf(ports, { legs, amount, snapshot, document: document(hook), block: 5 });
};

const argsOf = (data: Hex) => {
  const called = decodeFunctionData({ abi: superVaultStrategyAbi, data });
  if (called.functionName !== 'executeHooks') throw new Error(`It calls ${called.functionName}.`);
  return called.args[0];
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

describe('a reward', () => {
  const token = address('7');
  const claiming = { action: 'CLAIM', hook: claim.address, hooks: [claim], token } as const;
  const swapping = { action: 'SWAP', hook: swap.address, hooks: [swap], token } as const;

  test('default: a claim pins distributor and token, and is held to what could be claimed', async () => {
    const asked: unknown[] = [];
    const claimable: KeeperChain['claimable'] = async (of) => {
      asked.push(of);
      return 1_000n;
    };
    const { call, assets } = await plan(claiming, { claimable });
    expect(argsOf(call.data)).toMatchObject({
      hookCalldata: [encodePacked(['address', 'address'], [source, token])],
      expectedAssetsOrSharesOut: [995n],
    });
    expect(asked).toEqual([{ distributor: source, account: strategy, block: 5 }]);
    // For the mandate: nothing goes into a source.
    expect(assets).toBe(0n);
  });

  test('default: a swap gives the token for the asset, and is held to what its pool said', async () => {
    const poolQuote: KeeperChain['poolQuote'] = async ({ pool, token: of, amount, block }) =>
      pool === source && of === token && block === 5 ? amount * 2n : null;
    const { call, assets } = await plan(swapping, { poolQuote }, 1_000n);
    expect(argsOf(call.data)).toMatchObject({
      hookCalldata: [encodePacked(['address', 'address', 'uint256', 'address'], [source, token, 1_000n, asset])],
      expectedAssetsOrSharesOut: [1_990n],
    });
    expect(assets).toBe(2_000n);
  });

  test('behavior: what a swap would lose by moving the price is held against it', async () => {
    // For a hundredth the pool pays 2 each, for all of it 1.5.
    const poolQuote: KeeperChain['poolQuote'] = async ({ amount }) =>
      amount <= 10n ? amount * 2n : (amount * 3n) / 2n;
    const { shown } = await plan(swapping, { poolQuote }, 1_000n);
    expect(shown).toMatchObject({ expected_out: '2000', least_out: '1990' });
    // Too little to be parted is what it is.
    await expect(plan(swapping, { poolQuote: async () => 3n }, 50n)).resolves.toMatchObject({
      shown: { expected_out: '3' },
    });
  });

  test.each<[string, Partial<KeeperChain>]>([
    ['has nothing to be claimed', { claimable: async () => 0n, poolQuote: async () => 0n }],
    ['does not answer', { claimable: async () => null, poolQuote: async () => null }],
  ])('error: a distributor or pool that %s', async (_name, on) => {
    for (const each of [claiming, swapping])
      await expect(plan(each, on, 1_000n)).rejects.toMatchObject({ code: 'PRICE_MISSING' });
  });

  test('error: a hook that pins what nobody gives, or does something else', async () => {
    const pins = { ...swap, inspect_params: [...swap.inspect_params, param('router', 'others', 3)] };
    const poolQuote: KeeperChain['poolQuote'] = async () => 5n;
    const odd = { ...pins, calldata: [...swap.calldata, field('router', 'address')] };
    await expect(plan({ ...swapping, hooks: [odd] }, { poolQuote })).rejects.toMatchObject({
      code: 'HOOK_PARAMS_MISSING',
    });
    await expect(plan({ ...swapping, hook: claim.address, hooks: [claim] }, { poolQuote })).rejects.toMatchObject({
      code: 'HOOK_NOT_FOUND',
    });
  });
});
