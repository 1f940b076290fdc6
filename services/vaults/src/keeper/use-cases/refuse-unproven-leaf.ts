import { hookLeaf } from '@castellan/chain';
import { type Address, type Hex, isAddressEqual } from 'viem';
import type { ChainHook } from '../../hook-trees/adapters/active-hooks.mongo.ts';
import { nodesOf, proofAt } from '../../hook-trees/domain/tree.ts';
import type { StrategyDocument } from '../../strategies/domain/strategy.ts';
import type { Snapshot } from '../../vault/adapters/snapshot-store.mongo.ts';
import type { Leg } from '../domain/legs.ts';
import { Refusal } from '../domain/refusal.ts';
import type { KeeperPorts, ProvenCall, Target } from '../ports.ts';
import { type HookOrder, hookCalldataOf, namesSource } from './hook-call.ts';

export type LeafPorts = Pick<KeeperPorts, 'chain' | 'hooks' | 'trees'>;
export type LeafOrder = Pick<HookOrder, 'amount'> & { leg: Leg; snapshot: Snapshot; document: StrategyDocument };
export type ProvenLeaf = {
  hook: ChainHook;
  calldata: Hex;
  proven: ProvenCall;
  tree: string;
  root: 'strategy' | 'global';
};

/** The hook that is named, if it does what is wanted; without a name, as of an emergency exit, every hook that does. @throws Refusal */
async function candidates({ chain, hooks }: LeafPorts, { action, hook: named }: Leg): Promise<ChainHook[]> {
  const known = await hooks(chain.chainId);
  const found = known.filter(
    ({ address, hook_type }) => hook_type === action && (named === null || isAddressEqual(address, named)),
  );
  if (found.length > 0) return found;
  const what = named === null ? 'No hook of the registry' : `${named} is no active hook of the registry that`;
  throw new Refusal('HOOK_NOT_FOUND', `${what} does a ${action} on this chain.`);
}

/** A leaf with its proof under a root that is in force now; undefined when no stored tree has it. */
async function provenLeaf(
  { chain, trees }: LeafPorts,
  { snapshot }: LeafOrder,
  { hook, calldata, roots }: { hook: ChainHook; calldata: Hex; roots: { strategy: Hex; global: Hex } },
): Promise<ProvenLeaf | undefined> {
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

const prepositions = { DEPOSIT: 'into', WITHDRAWAL: 'from', CLAIM: 'from', SWAP: 'in' } as const;

/** What a leg does, for people: `the WITHDRAWAL from Morpho Prime`. */
function wordsOf({ leg: { action, source }, snapshot }: LeafOrder): string {
  const item = snapshot.detail.allocation.find(
    ({ source_address, kind }) => kind === 'source' && isAddressEqual(source_address as Address, source),
  );
  return `the ${action} ${prepositions[action]} ${item?.name ?? source}`;
}

/**
 * The leaf that lets a vault make this call: one of a stored tree whose root is in force, and that the chain itself takes.
 * @throws Refusal VETOED, HOOK_NOT_FOUND, PROOF_NOT_FOUND, PROOF_REJECTED and those of the hook's layout.
 */
export async function requireProvenLeaf(ports: LeafPorts, order: LeafOrder, target: Target): Promise<ProvenLeaf> {
  const roots = await ports.chain.roots(target);
  if (roots.isVetoed) throw new Refusal('VETOED', 'Governance has vetoed the hooks of this vault.');
  const { leg, amount, document } = order;
  const { action, source, token } = leg;
  const given = document.definition.action_config.execution_params;
  const parts = { action, amount, source, token, asset: target.asset, strategy: target.strategy, given };
  let why: Refusal | undefined;
  for (const hook of await candidates(ports, leg)) {
    try {
      const calldata = hookCalldataOf(hook, parts);
      const leaf = namesSource(calldata, source) && (await provenLeaf(ports, order, { hook, calldata, roots }));
      if (!leaf) continue;
      if (await ports.chain.validate(target, leaf.proven)) return leaf;
      throw new Refusal(
        'PROOF_REJECTED',
        `The chain does not take the proof of ${hook.name} for ${wordsOf(order)} of this vault.`,
      );
    } catch (error) {
      // A hook that cannot be used does not stand in the way of the next.
      if (!(error instanceof Refusal)) throw error;
      // That a proof was not taken says more than what another hook lacks.
      if (why === undefined || (error.code === 'PROOF_REJECTED' && why.code !== 'PROOF_REJECTED')) why = error;
    }
  }
  throw (
    why ??
    new Refusal(
      'PROOF_NOT_FOUND',
      `No stored tree whose root is in force has a leaf for ${wordsOf(order)}. Generate and execute one.`,
    )
  );
}
