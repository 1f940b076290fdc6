import { superVaultStrategyAbi } from '@castellan/chain';
import { type Address, encodeFunctionData, isAddressEqual } from 'viem';
import type { Snapshot } from '../../vault/adapters/snapshot-store.mongo.ts';
import { leastOut } from '../domain/clamp.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Call, Target } from '../ports.ts';
import { type LeafOrder, type LeafPorts, type ProvenLeaf, requireProvenLeaf } from './refuse-unproven-leaf.ts';

export type Plan = {
  call: Call;
  tokenIn: Address;
  tokenOut: Address;
  hook: Address;
  /** As the intent's history shows it. */
  shown: Record<string, unknown>;
};

type Order = LeafOrder & { block: number };

export const targetOf = ({ detail }: Snapshot): Target => ({
  vault: detail.vault_address as Address,
  strategy: detail.strategy_address as Address,
  asset: detail.asset.address as Address,
});

/** What has to come out, by what the source's oracle said at the block that decided. @throws Refusal PRICE_MISSING */
async function expectedOut({ chain }: LeafPorts, order: Order, target: Target, source: Address): Promise<bigint> {
  const item = order.snapshot.detail.allocation.find(
    ({ source_address, kind }) => kind === 'source' && isAddressEqual(source_address as Address, source),
  );
  if (!item?.oracle_address) throw new Refusal('PRICE_MISSING', `${source} is no yield source of the vault any more.`);
  const { action, amount, block } = order;
  const of = { oracle: item.oracle_address as Address, source, asset: target.asset };
  const expected = await chain.quote({ ...of, action, amount, block });
  if (expected === null || expected === 0n)
    throw new Refusal('PRICE_MISSING', `The oracle of ${source} gives no price.`);
  return expected;
}

const executeCall = (strategy: Address, leaf: ProvenLeaf, least: bigint): Call => ({
  to: strategy,
  data: encodeFunctionData({
    abi: superVaultStrategyAbi,
    functionName: 'executeHooks',
    args: [
      {
        hooks: [leaf.hook.address],
        hookCalldata: [leaf.calldata],
        expectedAssetsOrSharesOut: [least],
        globalProofs: [leaf.proven.globalProof],
        strategyProofs: [leaf.proven.strategyProof],
      },
    ],
  }),
});

/** The call that carries an order out, authorised and bounded. @throws Refusal when anything of it is missing. */
export async function planOf(ports: LeafPorts, order: Order): Promise<Plan> {
  const { action, amount, document, snapshot } = order;
  const target = targetOf(snapshot);
  const { target_address, max_slippage_bps } = document.definition.action_config;
  const source = target_address as Address;
  const leaf = await requireProvenLeaf(ports, order, target, source);
  const expected = await expectedOut(ports, order, target, source);
  const least = leastOut(expected, max_slippage_bps);
  const [tokenIn, tokenOut] = action === 'DEPOSIT' ? [target.asset, source] : [source, target.asset];
  return {
    call: executeCall(target.strategy, leaf, least),
    tokenIn,
    tokenOut,
    hook: leaf.hook.address,
    shown: {
      ...{
        hook: leaf.hook.address,
        hook_name: leaf.hook.name,
        tree_id: leaf.tree,
        root: leaf.root,
        amount: `${amount}`,
      },
      ...{ expected_out: `${expected}`, least_out: `${least}`, max_slippage_bps },
    },
  };
}
