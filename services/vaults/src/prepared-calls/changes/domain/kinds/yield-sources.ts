import { type SourceState, YieldSourceAction } from '@castellan/chain';
import type { ErrorCode, Precondition, PreparedChange } from '@castellan/contracts';
import { type Address, getAddress, isAddressEqual, zeroAddress } from 'viem';
import { type Context, check, differs, fromPrimary, single, toStrategy } from '../build.ts';
import type { ChangeState, ChangesOf, ChangeTarget, KeptStep, PostCondition } from '../change.ts';
import { plural, tokens } from '../wording.ts';

type Pair = { source: Address; oracle: Address };
type Fault = { at: number; source: Address };

const unauthorized = 'MANAGER_NOT_AUTHORIZED';

const pairsOf = (sources: readonly { source_address: string; oracle_address?: string }[]): Pair[] =>
  sources.map(({ source_address, oracle_address = zeroAddress }) => ({
    source: source_address as Address,
    oracle: oracle_address as Address,
  }));

const found = ({ vault }: ChangeState, address: Address): SourceState | undefined =>
  vault.sources.find((source) => isAddressEqual(source.address, address));
const oracleOf = (state: ChangeState, source: Address): string | null => {
  const oracle = found(state, source)?.oracle;
  return oracle === undefined ? null : getAddress(oracle);
};

const callOf = (target: ChangeTarget, pairs: readonly Pair[], action: number) =>
  toStrategy(target, 'manageYieldSources', [
    pairs.map(({ source }) => source),
    pairs.map(({ oracle }) => oracle),
    pairs.map(() => action),
  ]);

const field = (source: string) => `oracle_of_${source}`;

const zeroFault = (pairs: readonly Pair[], withOracle: boolean): Fault | undefined =>
  faultOf(pairs, ({ source, oracle }) => source === zeroAddress || (withOracle && oracle === zeroAddress));

function faultOf(pairs: readonly Pair[], isFault: (pair: Pair, at: number) => boolean): Fault | undefined {
  const at = pairs.findIndex(isFault);
  return at < 0 ? undefined : { at, source: pairs[at]?.source as Address };
}

/**
 * The chain goes through the pairs one by one and checks addresses first: of two faults it reports the one that comes first in
 * the list, so that fault stands first here.
 */
function inOrder(zero: Fault | undefined, membership: Fault | undefined, words: { code: ErrorCode; detail: string }) {
  const checks: Precondition[] = [
    check('ZERO_ADDRESS', !zero, zero ? `Entry ${zero.at + 1} has the zero address.` : 'No address is zero.'),
    check(words.code, !membership, words.detail),
  ];
  return membership && membership.at < (zero?.at ?? Number.POSITIVE_INFINITY) ? checks.reverse() : checks;
}

const isRepeated = (pairs: readonly Pair[], at: number): boolean =>
  pairs.slice(0, at).some(({ source }) => source === pairs[at]?.source);

const absent = (state: ChangeState, pairs: readonly Pair[]) => {
  const fault = faultOf(pairs, ({ source }, at) => found(state, source) !== undefined || isRepeated(pairs, at));
  const detail = fault
    ? `${fault.source} is already on the list, or is in this request twice.`
    : `${plural(pairs.length, 'source')} of this request ${pairs.length === 1 ? 'is' : 'are'} not on the list yet.`;
  return inOrder(zeroFault(pairs, true), fault, { code: 'YIELD_SOURCE_ALREADY_EXISTS', detail });
};

/** A removed source is gone for the entries after it. */
const present = (state: ChangeState, pairs: readonly Pair[], removing: boolean) => {
  const fault = faultOf(
    pairs,
    ({ source }, at) => found(state, source) === undefined || (removing && isRepeated(pairs, at)),
  );
  const detail = fault
    ? `${fault.source} is not on the vault's list of sources${removing ? ', or is in this request twice' : ''}.`
    : `${plural(pairs.length, 'source')} of this request ${pairs.length === 1 ? 'is' : 'are'} on the list.`;
  return inOrder(zeroFault(pairs, !removing), fault, { code: 'YIELD_SOURCE_NOT_FOUND', detail });
};

/** Ours, not the chain's: it takes any pair of addresses, and a source without a value spoils the price of the vault. */
function valued({ sourceChecks }: ChangeState): Precondition {
  const unfit = sourceChecks.find(({ problem }) => problem !== null);
  const detail = unfit
    ? `${unfit.oracle} gives no value for ${unfit.source}: ${unfit.problem}.`
    : 'The oracle gives a price for each source.';
  return check('ORACLE_UNFIT', !unfit, detail);
}

/** Ours, not the chain's, which forgets the source whatever the vault holds in it. */
function emptied(state: ChangeState, pairs: readonly Pair[]): Precondition {
  const holdings = pairs.flatMap(({ source }) => found(state, source) ?? []);
  const unknown = holdings.find(({ assets, shares }) => assets === null || shares === null);
  const funded = holdings.find(({ assets, shares }) => (assets ?? 0n) > 0n || (shares ?? 0n) > 0n);
  if (funded) {
    const held = `${tokens(funded.assets ?? 0n, state.vault.asset)} (${funded.shares ?? 'unknown'} shares)`;
    return check('YIELD_SOURCE_FUNDED', false, `The vault holds ${held} in ${funded.address}. Withdraw them first.`);
  }
  if (unknown)
    return check(
      'YIELD_SOURCE_FUNDED',
      false,
      `The oracle ${unknown.oracle} does not report what the vault holds in ${unknown.address}.`,
    );
  return check('YIELD_SOURCE_FUNDED', true, 'The vault holds nothing in these sources.');
}

/** Of a source named twice the last entry counts. */
const pairingChanges = (state: ChangeState, pairs: readonly Pair[], after: (pair: Pair) => string | null) =>
  [...new Map(pairs.map((pair) => [pair.source, pair])).values()].map((pair) =>
    differs(field(pair.source), oracleOf(state, pair.source), after(pair)),
  );

const settled = ({ changes }: { changes: readonly PreparedChange[] }): PostCondition => ({
  description: changes.every(({ after }) => after === null)
    ? 'The sources are no longer on the list.'
    : 'Each source is on the list, with the oracle named here.',
  holds: (state) => {
    const wrong = changes.find((item) => oracleOf(state, item.field.slice(field('').length) as Address) !== item.after);
    const source = wrong?.field.slice(field('').length) as Address | undefined;
    return { ok: !source, actual: source ? `${source}: ${oracleOf(state, source) ?? 'not on the list'}` : true };
  },
});

type PairingKind = 'add_yield_sources' | 'update_yield_source_oracles';

const pairing = <K extends PairingKind>(
  action: number,
  words: (context: Context<K>, pairs: readonly Pair[]) => string,
  membership: (state: ChangeState, pairs: readonly Pair[]) => Precondition[],
) =>
  single<K>({
    role: 'primary_manager',
    needsStepUp: true,
    step(context) {
      const { request, args, target, state } = context;
      const pairs = pairsOf(args.sources);
      return {
        call: callOf(target, pairs, action),
        description: words(context, pairs),
        preconditions: [fromPrimary(unauthorized, request, state), ...membership(state, pairs), valued(state)],
        changes: pairingChanges(state, pairs, ({ oracle }) => oracle),
      };
    },
    postCondition: (kept: KeptStep<K>) => settled(kept),
  });

const listOf = (pairs: readonly Pair[]) =>
  pairs.map(({ source, oracle }) => `${source} valued by ${oracle}`).join('; ');

/** Yield sources and their oracles, by the rules of SuperVaultStrategy. */
export const yieldSourceChanges: ChangesOf<PairingKind | 'remove_yield_sources'> = {
  add_yield_sources: pairing(
    YieldSourceAction.Add,
    ({ target }, pairs) =>
      `Add ${plural(pairs.length, 'yield source')} to ${target.name}: ${listOf(pairs)}. What the vault holds there counts in its price.`,
    absent,
  ),
  update_yield_source_oracles: pairing(
    YieldSourceAction.UpdateOracle,
    ({ target }, pairs) =>
      `Change the oracle of ${plural(pairs.length, 'yield source')} of ${target.name}: ${listOf(pairs)}. The next price is calculated with it.`,
    (state, pairs) => present(state, pairs, false),
  ),
  remove_yield_sources: single({
    role: 'primary_manager',
    needsStepUp: true,
    step({ request, args, target, state }) {
      const pairs = pairsOf(args.sources);
      return {
        call: callOf(target, pairs, YieldSourceAction.Remove),
        description:
          `Remove ${plural(pairs.length, 'yield source')} from ${target.name}: ` +
          `${pairs.map(({ source }) => source).join('; ')}. What the vault holds there stays there but no longer counts in its price.`,
        preconditions: [
          fromPrimary(unauthorized, request, state),
          ...present(state, pairs, true),
          emptied(state, pairs),
        ],
        changes: pairingChanges(state, pairs, () => null),
      };
    },
    postCondition: settled,
  }),
};
