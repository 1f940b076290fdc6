import type { Precondition } from '@castellan/contracts';
import type { Hex } from 'viem';
import { afterOf, type Context, check, differs, fromPrimary, single, toAggregator } from '../build.ts';
import type { ChangeState, ChangesOf, KeptStep, PostCondition } from '../change.ts';
import { matured } from '../timelock.ts';
import { duration, plural } from '../wording.ts';

const unauthorized = 'UNAUTHORIZED_UPDATE_AUTHORITY';
const field = (leaf: string) => `banned_leaf_${leaf}`;

const pendingRoot = ({ vault }: ChangeState) => vault.hooks.proposedStrategyRoot?.value ?? null;

/** Ours, not the chain's: with a root whose tree nobody has, no hook could be proven. */
const known = ({ hooksTreeLeaves }: ChangeState, root: string): Precondition =>
  check(
    'HOOKS_TREE_UNKNOWN',
    hooksTreeLeaves !== null,
    hooksTreeLeaves === null
      ? `None of the trees of this vault has the root ${root}. Generate the tree first.`
      : `The tree with this root has ${plural(hooksTreeLeaves, 'leaf', 'leaves')}.`,
  );

/** Ours, not the chain's: proposing once more what is proposed starts its timelock anew. */
function isNew(state: ChangeState, root: string): Precondition {
  const { strategyRoot } = state.vault.hooks;
  const pending = pendingRoot(state);
  const inForce = pending === null && strategyRoot === root;
  const news = inForce
    ? `The root ${root} is already in force, and no other is proposed.`
    : `Proposing ${root} changes what is proposed.`;
  const again = `The root ${root} is already proposed; proposing it again would restart its timelock.`;
  const detail = pending === root ? again : news;
  return check('HOOKS_ROOT_UNCHANGED', !inForce && pending !== root, detail);
}

const vetoWords = ({ vault: { hooks } }: ChangeState): string =>
  hooks.strategyVetoed || hooks.globalVetoed
    ? ' Governance has vetoed hooks roots: until it lifts the veto, no hook runs under any root.'
    : '';

/** Ours, not the chain's, which takes a call that changes nothing. */
function isChange({ bannedLeaves }: ChangeState, leaves: readonly string[], banned: boolean): Precondition {
  const differing = leaves.filter((leaf) => bannedLeaves?.has(leaf) !== banned);
  const word = banned ? 'banned' : 'allowed';
  return check(
    'LEAVES_UNCHANGED',
    differing.length > 0,
    differing.length > 0
      ? `${plural(differing.length, 'leaf is', 'leaves are')} not ${word} yet.`
      : `All of these leaves are already ${word}.`,
  );
}

type LeafKind = 'ban_hook_leaves' | 'allow_hook_leaves';

const leafChange = (banned: boolean) =>
  single<LeafKind>({
    role: 'primary_manager',
    // A ban stops damage.
    needsStepUp: !banned,
    step({ request, args, target, state }: Context<LeafKind>) {
      const leaves = [...new Set(args.leaves)] as Hex[];
      const count = plural(leaves.length, 'leaf', 'leaves');
      return {
        call: toAggregator(target, 'changeGlobalLeavesStatus', [leaves, leaves.map(() => banned), target.strategy]),
        description:
          `${banned ? 'Ban' : 'Allow'} ${count} of the global hooks root ${banned ? 'for' : 'to'} ${target.name}: ${leaves.join('; ')}. ` +
          "This concerns the global root only: a leaf that is also in the vault's own tree can still be used under that root.",
        preconditions: [fromPrimary(unauthorized, request, state), isChange(state, leaves, banned)],
        changes: leaves.map((leaf) => differs(field(leaf), state.bannedLeaves?.has(leaf) ?? false, banned)),
      };
    },
    postCondition: ({ changes }: KeptStep<LeafKind>): PostCondition => ({
      description: `The leaves are ${banned ? 'banned' : 'allowed'}.`,
      holds: ({ bannedLeaves }) => {
        const wrong = changes.find(
          (item) => (bannedLeaves?.has(item.field.slice(field('').length)) ?? !item.after) !== item.after,
        );
        const actual = wrong ? `${wrong.field.slice(field('').length)}: ${banned ? 'allowed' : 'banned'}` : true;
        return { ok: !wrong, actual };
      },
    }),
  });

/** The hooks root and the banned leaves, by the rules of SuperVaultAggregator. */
export const hookChanges: ChangesOf<'propose_hooks_root' | 'execute_hooks_root' | LeafKind> = {
  propose_hooks_root: single({
    role: 'primary_manager',
    needsStepUp: true,
    step({ request, args, target, state }) {
      const { updateTimelock } = state.vault.hooks;
      const pending = pendingRoot(state);
      const replaced = pending === null ? '' : ` It replaces the proposed root ${pending}.`;
      return {
        call: toAggregator(target, 'proposeStrategyHooksRoot', [target.strategy, args.root as Hex]),
        description:
          `Propose ${args.root} as the hooks root of ${target.name}. Anyone can put it into force ` +
          `${duration(updateTimelock)} later. A proposal cannot be cancelled, only replaced.${replaced}${vetoWords(state)}`,
        preconditions: [fromPrimary(unauthorized, request, state), known(state, args.root), isNew(state, args.root)],
        changes: [differs('pending_hooks_root', pending, args.root)],
      };
    },
    postCondition: ({ changes }) => ({
      description: 'This is the root now proposed.',
      holds: (state) => ({
        ok: pendingRoot(state) === afterOf(changes, 'pending_hooks_root'),
        actual: pendingRoot(state),
      }),
    }),
  }),

  execute_hooks_root: single({
    role: 'manager',
    needsStepUp: true,
    step({ target, state }) {
      const { proposedStrategyRoot: proposal, strategyRoot } = state.vault.hooks;
      const root = proposal?.value ?? null;
      return {
        call: toAggregator(target, 'executeStrategyHooksRootUpdate', [target.strategy]),
        description:
          `Put the proposed hooks root of ${target.name} into force${root === null ? '' : `: ${root}`}. From then on hooks are ` +
          `proven under it; proofs under the previous root are no longer valid.${vetoWords(state)}`,
        preconditions: matured(
          { missing: 'NO_PENDING_MANAGER_CHANGE', early: 'ROOT_UPDATE_NOT_READY' },
          { what: 'hooks root', effectiveTime: proposal?.effectiveTime ?? null },
          state.vault.blockTimestamp,
        ),
        changes: [differs('hooks_root', strategyRoot, root ?? strategyRoot), differs('pending_hooks_root', root, null)],
      };
    },
    postCondition: ({ changes }) => ({
      description: 'The proposed root is in force.',
      holds: ({ vault: { hooks } }) => ({
        ok:
          hooks.strategyRoot === afterOf(changes, 'hooks_root') &&
          hooks.proposedStrategyRoot?.value !== hooks.strategyRoot,
        actual: hooks.strategyRoot,
      }),
    }),
  }),

  ban_hook_leaves: leafChange(true),
  allow_hook_leaves: leafChange(false),
};
