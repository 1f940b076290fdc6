import { hookLeaf } from '@castellan/chain';
import { describe, expect, test } from '@jest/globals';
import { type Address, type Hex, zeroHash } from 'viem';
import type { ChainHook } from '../../hook-trees/adapters/active-hooks.mongo.ts';
import type { TreeDocument } from '../../hook-trees/models/hook-trees.ts';
import type { StrategyDocument } from '../../strategies/domain/strategy.ts';
import type { Snapshot } from '../../vault/adapters/snapshot-store.mongo.ts';
import type { KeeperChain, KeeperPorts } from '../ports.ts';
import { planOf } from './plan.ts';

const address = (digit: string) => `0x${digit.repeat(40)}` as Address;
const [source, asset, strategy] = [address('1'), address('2'), address('3')];
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
const args: Hex = '0x1234';
const leaf = { leaf_hash: hookLeaf(redeem.address, args), node: 0 };
const snapshot = {
  chain_id: 1,
  vault: address('4'),
  detail: {
    vault_address: address('4'),
    strategy_address: strategy,
    asset: { address: asset },
    allocation: [{ kind: 'source', source_address: source, oracle_address: address('5') }],
  },
} as unknown as Snapshot;
const document = (execution_address: Address | null) =>
  ({
    definition: {
      action_config: { execution_address, target_address: source, execution_params: {}, max_slippage_bps: 50 },
    },
  }) as unknown as StrategyDocument;

const plan = (
  of: { action: 'DEPOSIT' | 'WITHDRAWAL'; hook: Address | null; hooks: ChainHook[] },
  on: Partial<KeeperChain> = {},
) => {
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
      leaf: async (_tree: string, hash: Hex) => (hash === leaf.leaf_hash ? leaf : null),
    },
  } as unknown as KeeperPorts;
  return planOf(ports, { action: of.action, amount: 10n, snapshot, document: document(of.hook), block: 5 });
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
    const deposit = { action: 'DEPOSIT', hook: redeem.address } as const;
    await expect(plan({ ...deposit, hooks: [redeem] })).rejects.toMatchObject({ code: 'HOOK_NOT_FOUND' });
    await expect(plan({ ...deposit, action: 'WITHDRAWAL', hooks: [redeem] })).resolves.toBeDefined();
  });
});
