import { superVaultStrategyAbi } from '@castellan/chain';
import { type Address, encodeFunctionData } from 'viem';
import type { Snapshot } from '../../vault/adapters/snapshot-store.mongo.ts';
import { leastOut } from '../domain/clamp.ts';
import type { Leg } from '../domain/legs.ts';
import type { Call, KeeperPorts, Target } from '../ports.ts';
import { expectedOut } from './expected-out.ts';
import { type LeafOrder, type ProvenLeaf, requireProvenLeaf } from './refuse-unproven-leaf.ts';

export type Plan = {
  call: Call;
  /** Those it calls, in their order. */
  hooks: Address[];
  /** What the first leg gives, in assets: by the oracle where it is shares, by the pool where it is a reward; 0 of a claim. */
  assets: bigint;
  /** As the intent's history shows it. */
  shown: Record<string, unknown>;
};

type Order = Omit<LeafOrder, 'leg' | 'amount'> & {
  legs: readonly [Leg, ...Leg[]];
  /** What the first leg moves. */
  amount: bigint;
  block: number;
};

/** One leg with everything it is called with: `amount` is what moves by the oracles, `least` what has to come out. */
type Planned = { leg: Leg; leaf: ProvenLeaf; amount: bigint; expected: bigint; least: bigint };

export const targetOf = ({ detail }: Snapshot): Target => ({
  vault: detail.vault_address as Address,
  strategy: detail.strategy_address as Address,
  asset: detail.asset.address as Address,
});

const executeCall = (strategy: Address, planned: readonly Planned[]): Call => ({
  to: strategy,
  data: encodeFunctionData({
    abi: superVaultStrategyAbi,
    functionName: 'executeHooks',
    args: [
      {
        hooks: planned.map(({ leaf }) => leaf.hook.address),
        hookCalldata: planned.map(({ leaf }) => leaf.calldata),
        expectedAssetsOrSharesOut: planned.map(({ least }) => least),
        globalProofs: planned.map(({ leaf }) => leaf.proven.globalProof),
        strategyProofs: planned.map(({ leaf }) => leaf.proven.strategyProof),
      },
    ],
  }),
});

const shownOf = ({ leaf, amount, expected, least }: Planned): Record<string, unknown> => ({
  hook: leaf.hook.address,
  hook_name: leaf.hook.name,
  tree_id: leaf.tree,
  root: leaf.root,
  amount: `${amount}`,
  expected_out: `${expected}`,
  least_out: `${least}`,
});

function assetsOf({ leg: { action }, amount, expected }: Planned): bigint {
  if (action === 'CLAIM') return 0n;
  return action === 'DEPOSIT' ? amount : expected;
}

/**
 * The call that carries an order out, authorised and bounded. Each leg is held to what the oracles said of the whole way up to it,
 * so that an execution of several legs loses no more than one of a single leg may.
 * @throws Refusal when anything of it is missing.
 */
export async function planOf(ports: Pick<KeeperPorts, 'chain' | 'hooks' | 'trees'>, order: Order): Promise<Plan> {
  const { legs, snapshot, document, block } = order;
  const target = targetOf(snapshot);
  const { max_slippage_bps } = document.definition.action_config;
  const planned: Planned[] = [];
  let amount = order.amount;
  for (const leg of legs) {
    const size = planned.length === 0 ? amount : 'previous';
    const leaf = await requireProvenLeaf(ports, { leg, amount: size, snapshot, document }, target);
    const expected = await expectedOut(ports, { leg, amount, snapshot, block });
    planned.push({ leg, leaf, amount, expected, least: leastOut(expected, max_slippage_bps) });
    amount = expected;
  }
  const [first] = planned as [Planned, ...Planned[]];
  const whole =
    planned.length === 1
      ? shownOf(first)
      : { legs: planned.map((each) => ({ action: each.leg.action, source: each.leg.source, ...shownOf(each) })) };
  return {
    call: executeCall(target.strategy, planned),
    hooks: planned.map(({ leaf }) => leaf.hook.address),
    assets: assetsOf(first),
    shown: { ...whole, max_slippage_bps },
  };
}
