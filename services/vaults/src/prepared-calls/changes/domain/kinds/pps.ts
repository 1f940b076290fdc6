import { deviationThresholdBps, PpsExpirationAction } from '@castellan/chain';
import { maxUint256 } from 'viem';
import { afterOf, check, differs, fromPrimary, single, toAggregator, toStrategy } from '../build.ts';
import type { ChangeState, ChangesOf, KeptStep, PostCondition } from '../change.ts';
import {
  EXPIRATION_TIMELOCK_SECONDS,
  MAX_EXPIRATION_SECONDS,
  MIN_EXPIRATION_SECONDS,
  MIN_UPDATE_INTERVAL_TIMELOCK_SECONDS,
} from '../limits.ts';
import { matured, proposed } from '../timelock.ts';
import { duration, threshold } from '../wording.ts';

const { Propose, Execute, Cancel } = PpsExpirationAction;
/** A basis point of the chain's fraction, which is scaled by 1e18. */
const BASIS_POINT = 10n ** 14n;
const expirationWords = 'change of the price expiration';
const intervalWords = 'change of the minimum interval';

type Field = 'expiration_seconds' | 'min_update_interval_seconds';

/** The value in force, and the proposal, of each of the two times that change by a timelock. */
const readings: Record<Field, (state: ChangeState) => { current: bigint; pending: bigint | null }> = {
  expiration_seconds: ({ vault }) => ({
    current: vault.ppsExpiration,
    pending: vault.proposedPpsExpiration?.value ?? null,
  }),
  min_update_interval_seconds: ({ vault }) => ({
    current: vault.minUpdateInterval,
    pending: vault.pendingMinUpdateInterval?.value ?? null,
  }),
};
const seconds = (value: bigint | null) => (value === null ? null : Number(value));
const said = (value: number | null) => (value === null ? null : duration(BigInt(value)));

const nounOf = {
  expiration_seconds: 'The expiration of prices',
  min_update_interval_seconds: 'The minimum time between prices',
} satisfies Record<Field, string>;

const isProposed =
  (field: Field) =>
  ({ changes }: Pick<KeptStep, 'changes'>): PostCondition => ({
    description: `${nounOf[field]} is proposed to be ${said(Number(afterOf(changes, `pending_${field}`)))}.`,
    holds: (state) => {
      const actual = seconds(readings[field](state).pending);
      return { ok: actual === afterOf(changes, `pending_${field}`), actual: said(actual) };
    },
  });

const isInForce =
  (field: Field) =>
  ({ changes }: Pick<KeptStep, 'changes'>): PostCondition => ({
    description: `${nounOf[field]} is ${said(Number(afterOf(changes, field)))}, and no change is proposed.`,
    holds: (state) => {
      const { current, pending } = readings[field](state);
      return { ok: pending === null && Number(current) === afterOf(changes, field), actual: said(Number(current)) };
    },
  });

const isDropped = (field: Field): PostCondition => ({
  description: `${nounOf[field]}: no change is proposed.`,
  holds: (state) => {
    const actual = seconds(readings[field](state).pending);
    return { ok: actual === null, actual: said(actual) };
  },
});

/** The changes of executing what is proposed; without a proposal nothing moves. */
const executed = (field: Field, state: ChangeState) => {
  const { current, pending } = readings[field](state);
  return [
    differs(field, Number(current), Number(pending ?? current)),
    differs(`pending_${field}`, seconds(pending), null),
  ];
};
const dropped = (field: Field, state: ChangeState) => [
  differs(`pending_${field}`, seconds(readings[field](state).pending), null),
];
const toBe = (pending: { value: bigint } | null) => (pending ? ` of ${duration(pending.value)}` : '');

const expirationChanges: ChangesOf<'propose_expiration' | 'execute_expiration' | 'cancel_expiration'> = {
  propose_expiration: single({
    role: 'primary_manager',
    needsStepUp: false,
    step({ request, args, target, state }) {
      const next = BigInt(args.expiration_seconds);
      return {
        call: toStrategy(target, 'managePPSExpiration', [Propose, next]),
        description:
          `Propose that a price of ${target.name} expires after ${duration(next)} instead of ` +
          `${duration(state.vault.ppsExpiration)}. This can be put into force ${duration(EXPIRATION_TIMELOCK_SECONDS)} later.`,
        preconditions: [
          fromPrimary('MANAGER_NOT_AUTHORIZED', request, state),
          check(
            'INVALID_PPS_EXPIRY_THRESHOLD',
            next >= MIN_EXPIRATION_SECONDS && next <= MAX_EXPIRATION_SECONDS,
            `The expiration must be from ${duration(MIN_EXPIRATION_SECONDS)} to ${duration(MAX_EXPIRATION_SECONDS)}; the request has ${duration(next)}.`,
          ),
        ],
        changes: [
          differs(
            'pending_expiration_seconds',
            seconds(state.vault.proposedPpsExpiration?.value ?? null),
            args.expiration_seconds,
          ),
        ],
      };
    },
    postCondition: isProposed('expiration_seconds'),
  }),

  execute_expiration: single({
    role: 'primary_manager',
    needsStepUp: true,
    step({ request, target, state }) {
      const { proposedPpsExpiration: pending, blockTimestamp } = state.vault;
      return {
        call: toStrategy(target, 'managePPSExpiration', [Execute, 0n]),
        description:
          `Put the proposed price expiration${toBe(pending)} of ${target.name} into force. A price older than that stops deposits, ` +
          'redemption requests and skims until the next report.',
        preconditions: [
          fromPrimary('MANAGER_NOT_AUTHORIZED', request, state),
          ...matured(
            { missing: 'NO_PROPOSAL', early: 'INVALID_TIMESTAMP' },
            { what: expirationWords, effectiveTime: pending?.effectiveTime ?? null },
            blockTimestamp,
          ),
        ],
        changes: executed('expiration_seconds', state),
      };
    },
    postCondition: isInForce('expiration_seconds'),
  }),

  cancel_expiration: single({
    role: 'primary_manager',
    needsStepUp: false,
    step({ request, target, state }) {
      const { proposedPpsExpiration: pending, ppsExpiration } = state.vault;
      return {
        call: toStrategy(target, 'managePPSExpiration', [Cancel, 0n]),
        description: `Cancel the proposed price expiration${toBe(pending)} of ${target.name}. A price still expires after ${duration(ppsExpiration)}.`,
        preconditions: [
          fromPrimary('MANAGER_NOT_AUTHORIZED', request, state),
          proposed('NO_PROPOSAL', expirationWords, pending !== null),
        ],
        changes: dropped('expiration_seconds', state),
      };
    },
    postCondition: () => isDropped('expiration_seconds'),
  }),
};

const intervalChanges: ChangesOf<
  'propose_min_update_interval' | 'execute_min_update_interval' | 'cancel_min_update_interval'
> = {
  propose_min_update_interval: single({
    role: 'primary_manager',
    needsStepUp: false,
    step({ request, args, target, state }) {
      const next = BigInt(args.min_update_interval_seconds);
      const { maxStaleness, minUpdateInterval, pendingMinUpdateInterval } = state.vault;
      return {
        call: toAggregator(target, 'proposeMinUpdateIntervalChange', [target.strategy, next]),
        description:
          `Propose a minimum of ${duration(next)} instead of ${duration(minUpdateInterval)} between two prices of ` +
          `${target.name}. Anyone can put it into force ${duration(MIN_UPDATE_INTERVAL_TIMELOCK_SECONDS)} later.`,
        preconditions: [
          fromPrimary('UNAUTHORIZED_UPDATE_AUTHORITY', request, state),
          check(
            'MIN_UPDATE_INTERVAL_TOO_HIGH',
            next < maxStaleness,
            `The interval must be shorter than the maximum staleness of ${duration(maxStaleness)}; the request has ${duration(next)}.`,
          ),
        ],
        changes: [
          differs(
            'pending_min_update_interval_seconds',
            seconds(pendingMinUpdateInterval?.value ?? null),
            args.min_update_interval_seconds,
          ),
        ],
      };
    },
    postCondition: isProposed('min_update_interval_seconds'),
  }),

  execute_min_update_interval: single({
    role: 'primary_manager',
    needsStepUp: false,
    step({ target, state }) {
      const { pendingMinUpdateInterval: pending, blockTimestamp } = state.vault;
      return {
        call: toAggregator(target, 'executeMinUpdateIntervalChange', [target.strategy]),
        description: `Put the proposed minimum interval${toBe(pending)} between two prices of ${target.name} into force.`,
        preconditions: matured(
          { missing: 'NO_PENDING_MIN_UPDATE_INTERVAL_CHANGE', early: 'TIMELOCK_NOT_EXPIRED' },
          { what: intervalWords, effectiveTime: pending?.effectiveTime ?? null },
          blockTimestamp,
        ),
        changes: executed('min_update_interval_seconds', state),
      };
    },
    postCondition: isInForce('min_update_interval_seconds'),
  }),

  cancel_min_update_interval: single({
    role: 'primary_manager',
    needsStepUp: false,
    step({ request, target, state }) {
      const { pendingMinUpdateInterval: pending, minUpdateInterval } = state.vault;
      return {
        call: toAggregator(target, 'cancelMinUpdateIntervalChange', [target.strategy]),
        description: `Cancel the proposed minimum interval${toBe(pending)} between two prices of ${target.name}. ${duration(minUpdateInterval)} stays the minimum.`,
        preconditions: [
          fromPrimary('UNAUTHORIZED_UPDATE_AUTHORITY', request, state),
          proposed('NO_PENDING_MIN_UPDATE_INTERVAL_CHANGE', intervalWords, pending !== null),
        ],
        changes: dropped('min_update_interval_seconds', state),
      };
    },
    postCondition: () => isDropped('min_update_interval_seconds'),
  }),
};

/** Guards, expiration and least interval of prices, by the rules of the aggregator and the strategy. */
export const ppsChanges: ChangesOf<
  'set_deviation_threshold' | keyof typeof expirationChanges | keyof typeof intervalChanges
> = {
  set_deviation_threshold: single({
    role: 'primary_manager',
    needsStepUp: true,
    step({ request, args, target, state }) {
      const next = args.deviation_threshold_bps;
      const before = deviationThresholdBps(state.vault.deviationThreshold);
      const effect =
        next === null
          ? 'Without it a wrong price is accepted, however far it jumps.'
          : 'A price that jumps further pauses the vault.';
      return {
        call: toAggregator(target, 'updateDeviationThreshold', [
          target.strategy,
          next === null ? maxUint256 : BigInt(next) * BASIS_POINT,
        ]),
        description: `Set the deviation guard of ${target.name} from ${threshold(before)} to ${threshold(next)}, at once. ${effect}`,
        preconditions: [fromPrimary('UNAUTHORIZED_UPDATE_AUTHORITY', request, state)],
        changes: [differs('deviation_threshold_bps', before, next)],
      };
    },
    postCondition: ({ request }) => ({
      description: `The deviation guard is ${threshold(request.args.deviation_threshold_bps)}.`,
      holds: ({ vault }) => {
        const actual = deviationThresholdBps(vault.deviationThreshold);
        return { ok: actual === request.args.deviation_threshold_bps, actual: threshold(actual) };
      },
    }),
  }),
  ...expirationChanges,
  ...intervalChanges,
};
