import { hookLeaf, superVaultStrategyAbi } from '@castellan/chain';
import { type Address, encodeFunctionData, type Hex, isAddressEqual } from 'viem';
import type { ChainHook } from '../../hook-trees/adapters/active-hooks.mongo.ts';
import { nodesOf } from '../../hook-trees/adapters/tree-store.mongo.ts';
import { proofAt } from '../../hook-trees/domain/tree.ts';
import type { StrategyDocument } from '../../strategies/models.ts';
import type { Snapshot } from '../../vault/adapters/snapshot-store.mongo.ts';
import { leastOut } from '../domain/clamp.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Call, KeeperPorts, ProvenCall, Target } from '../ports.ts';
import { type HookOrder, hookCalldataOf, namesSource } from './hook-call.ts';

export type Plan = {
  call: Call;
  tokenIn: Address;
  tokenOut: Address;
  /** As the intent's history shows it. */
  shown: Record<string, unknown>;
};

type PlanPorts = Pick<KeeperPorts, 'chain' | 'hooks' | 'trees'>;
type Order = Pick<HookOrder, 'action' | 'amount'> & { snapshot: Snapshot; document: StrategyDocument; block: number };
type Leaf = { hook: ChainHook; calldata: Hex; proven: ProvenCall; tree: string; root: 'strategy' | 'global' };

export const targetOf = ({ detail }: Snapshot): Target => ({
  vault: detail.vault_address as Address,
  strategy: detail.strategy_address as Address,
  asset: detail.asset.address as Address,
});

/** The hook a strategy names, if it does what the strategy wants; of an emergency exit every hook that withdraws. @throws Refusal */
async function candidates({ chain, hooks }: PlanPorts, { action, document }: Order): Promise<ChainHook[]> {
  const { action_config } = document.definition;
  const known = await hooks(chain.chainId);
  const named = action_config.execution_address as Address | null;
  const found = known.filter(
    ({ address, hook_type }) => hook_type === action && (named === null || isAddressEqual(address, named)),
  );
  if (found.length > 0) return found;
  const what = named === null ? 'No hook of the registry' : `${named} is no active hook of the registry that`;
  throw new Refusal('HOOK_NOT_FOUND', `${what} does a ${action} on this chain.`);
}

/** A leaf with its proof under a root that is in force now; undefined when no stored tree has it. */
async function provenLeaf(
  { chain, trees }: PlanPorts,
  { snapshot }: Order,
  { hook, calldata, roots }: { hook: ChainHook; calldata: Hex; roots: { strategy: Hex; global: Hex } },
): Promise<Leaf | undefined> {
  const args = await chain.inspect(hook.address, calldata);
  if (args === null) return undefined;
  const hash = hookLeaf(hook.address, args);
  const of = { chain_id: snapshot.chain_id, vault: snapshot.vault };
  for (const root of ['strategy', 'global'] as const) {
    const tree = await trees.byRoot(of, roots[root]);
    const leaf = tree && (await trees.leaf(tree._id, hash));
    if (!leaf) continue;
    const proof = proofAt(nodesOf(tree), leaf.node);
    const proofs =
      root === 'strategy' ? { strategyProof: proof, globalProof: [] } : { strategyProof: [], globalProof: proof };
    return { hook, calldata, proven: { hook: hook.address, args, ...proofs }, tree: tree._id, root };
  }
  return undefined;
}

/** @throws Refusal VETOED, HOOK_NOT_FOUND, PROOF_NOT_FOUND, PROOF_REJECTED and those of the hook's layout. */
async function authorised(ports: PlanPorts, order: Order, target: Target, source: Address): Promise<Leaf> {
  const roots = await ports.chain.roots(target);
  if (roots.isVetoed) throw new Refusal('VETOED', 'Governance has vetoed the hooks of this vault.');
  const { action, amount, document } = order;
  const given = document.definition.action_config.execution_params;
  const parts = { action, amount, source, asset: target.asset, strategy: target.strategy, given };
  let why: Refusal | undefined;
  for (const hook of await candidates(ports, order)) {
    try {
      const calldata = hookCalldataOf(hook, parts);
      const leaf = namesSource(calldata, source) && (await provenLeaf(ports, order, { hook, calldata, roots }));
      if (!leaf) continue;
      if (await ports.chain.validate(target, leaf.proven)) return leaf;
      throw new Refusal('PROOF_REJECTED', `The chain does not take the proof of ${hook.name} for this vault.`);
    } catch (error) {
      // A hook that cannot be used does not stand in the way of the next.
      if (!(error instanceof Refusal)) throw error;
      why ??= error;
    }
  }
  throw (
    why ??
    new Refusal(
      'PROOF_NOT_FOUND',
      'No stored tree whose root is in force has a leaf for this. Generate and execute one.',
    )
  );
}

/** What has to come out, by what the source's oracle said at the block that decided. @throws Refusal PRICE_MISSING */
async function expectedOut({ chain }: PlanPorts, order: Order, target: Target, source: Address): Promise<bigint> {
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

const executeCall = (strategy: Address, leaf: Leaf, least: bigint): Call => ({
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
export async function planOf(ports: PlanPorts, order: Order): Promise<Plan> {
  const { action, amount, document, snapshot } = order;
  const target = targetOf(snapshot);
  const { target_address, max_slippage_bps } = document.definition.action_config;
  const source = target_address as Address;
  const leaf = await authorised(ports, order, target, source);
  const expected = await expectedOut(ports, order, target, source);
  const least = leastOut(expected, max_slippage_bps);
  const [tokenIn, tokenOut] = action === 'DEPOSIT' ? [target.asset, source] : [source, target.asset];
  return {
    call: executeCall(target.strategy, leaf, least),
    tokenIn,
    tokenOut,
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
