import { mulDivUp, pendingPerformanceFee, SKIM_COOLDOWN_SECONDS } from '@castellan/chain';
import type { Precondition, PreparedChange } from '@castellan/contracts';
import { type Address, isAddressEqual, zeroAddress } from 'viem';
import { afterOf, check, differs, fromManager, fromPrimary, single, toStrategy } from '../build.ts';
import type { ChangeState, ChangesOf, PostCondition } from '../change.ts';
import { FEE_TIMELOCK_SECONDS, MAX_ENTRY_FEE_BPS, MAX_PERFORMANCE_FEE_BPS } from '../limits.ts';
import { matured } from '../timelock.ts';
import { usable } from '../usable.ts';
import { duration, moment, percent, price, tokens } from '../wording.ts';

const unauthorized = 'MANAGER_NOT_AUTHORIZED';

type Terms = { performanceFeeBps: number | bigint; managementFeeBps: number | bigint; recipient: string };

const inWords = ({ performanceFeeBps, managementFeeBps, recipient }: Terms): string =>
  `${percent(performanceFeeBps)} of gains above the high-water mark and ${percent(managementFeeBps)} of each deposit, paid to ${recipient}`;

const isSame = (terms: Terms | null, changes: readonly PreparedChange[], prefix: string): boolean =>
  terms !== null &&
  Number(terms.performanceFeeBps) === afterOf(changes, `${prefix}performance_fee_bps`) &&
  Number(terms.managementFeeBps) === afterOf(changes, `${prefix}management_fee_bps`) &&
  isAddressEqual(terms.recipient as Address, afterOf(changes, `${prefix}fee_recipient`) as Address);

const termChanges = (prefix: string, before: Terms | null, after: Terms | null): PreparedChange[] => {
  const bps = (value: number | bigint | undefined) => (value === undefined ? null : Number(value));
  return [
    differs(`${prefix}performance_fee_bps`, bps(before?.performanceFeeBps), bps(after?.performanceFeeBps)),
    differs(`${prefix}management_fee_bps`, bps(before?.managementFeeBps), bps(after?.managementFeeBps)),
    differs(`${prefix}fee_recipient`, before?.recipient ?? null, after?.recipient ?? null),
  ];
};

/** What a skim takes, and the price and high-water mark it leaves. */
function skimOf({ vault }: ChangeState) {
  const { pps, hwm, totalSupply, precision, fees, protocolFeeShareBps: protocolShareBps } = vault;
  const fee = pendingPerformanceFee({ pps, hwm, totalSupply, precision, ...fees, protocolShareBps });
  const nextPps = totalSupply === 0n ? pps : pps - mulDivUp(fee.total, precision, totalSupply);
  return { fee, nextPps: fee.total === 0n ? pps : nextPps, nextHwm: fee.total === 0n ? hwm : nextPps };
}

function cooledDown({ vault: { lastUnpauseTimestamp, blockTimestamp } }: ChangeState): Precondition {
  const unlocked = lastUnpauseTimestamp + SKIM_COOLDOWN_SECONDS;
  if (lastUnpauseTimestamp === 0n) return check('SKIM_TIMELOCK_ACTIVE', true, 'The vault was never unpaused.');
  return check(
    'SKIM_TIMELOCK_ACTIVE',
    blockTimestamp >= unlocked,
    `The vault was unpaused at ${moment(lastUnpauseTimestamp)}, so fees can be taken from ${moment(unlocked)}. The chain's clock reads ${moment(blockTimestamp)}.`,
  );
}

const markIsGone = (before: PreparedChange['before']): PostCondition => ({
  description: 'The high-water mark has moved.',
  holds: ({ vault }) => ({ ok: `${vault.hwm}` !== before, actual: `${vault.hwm}` }),
});

/** Proposing, executing and skimming fees, by the rules of SuperVaultStrategy. */
export const feeChanges: ChangesOf<'propose_fees' | 'execute_fees' | 'skim_fees'> = {
  propose_fees: single({
    role: 'primary_manager',
    needsStepUp: true,
    step({ request, args, target, state }) {
      const terms = {
        performanceFeeBps: args.performance_fee_bps,
        managementFeeBps: args.management_fee_bps,
        recipient: args.recipient as Address,
      };
      const fits = terms.performanceFeeBps <= MAX_PERFORMANCE_FEE_BPS && terms.managementFeeBps <= MAX_ENTRY_FEE_BPS;
      const { pendingFees } = state;
      const replaced = pendingFees ? ` It replaces the proposal of ${inWords(pendingFees)}.` : '';
      return {
        call: toStrategy(target, 'proposeVaultFeeConfigUpdate', [
          BigInt(terms.performanceFeeBps),
          BigInt(terms.managementFeeBps),
          terms.recipient,
        ]),
        description:
          `Propose new fees for ${target.name}: ${inWords(terms)}. They can be put into force ` +
          `${duration(FEE_TIMELOCK_SECONDS)} later. A proposal cannot be cancelled, only replaced.${replaced}`,
        preconditions: [
          fromPrimary(unauthorized, request, state),
          check(
            'INVALID_PERFORMANCE_FEE_BPS',
            fits,
            `The performance fee can be at most ${percent(MAX_PERFORMANCE_FEE_BPS)} and the entry fee at most ${percent(MAX_ENTRY_FEE_BPS)}; ` +
              `the request has ${percent(terms.performanceFeeBps)} and ${percent(terms.managementFeeBps)}.`,
          ),
          check('ZERO_ADDRESS', terms.recipient !== zeroAddress, 'Fees must be paid to an address other than zero.'),
        ],
        changes: termChanges('pending_', pendingFees, terms),
      };
    },
    postCondition: ({ changes }) => ({
      description: 'These are the fees now proposed.',
      holds: ({ pendingFees }) => ({
        ok: isSame(pendingFees, changes, 'pending_'),
        actual: pendingFees && inWords(pendingFees),
      }),
    }),
  }),

  execute_fees: single({
    role: 'primary_manager',
    needsStepUp: true,
    step({ request, target, state }) {
      const { vault, pendingFees } = state;
      const what = pendingFees ? `: ${inWords(pendingFees)}` : '';
      return {
        call: toStrategy(target, 'executeVaultFeeConfigUpdate', []),
        description:
          `Put the proposed fees of ${target.name} into force${what}. This resets the high-water mark to the current price: ` +
          'a performance fee not taken before then is forfeited, and after a loss the recovery is charged as a gain.',
        preconditions: [
          fromPrimary(unauthorized, request, state),
          ...matured(
            { missing: 'NO_PROPOSAL', early: 'INVALID_TIMESTAMP' },
            { what: 'change of fees', effectiveTime: pendingFees?.effectiveTime ?? null },
            vault.blockTimestamp,
          ),
        ],
        changes: [
          ...termChanges('', vault.fees, pendingFees ?? vault.fees),
          differs('hwm_pps', `${vault.hwm}`, `${vault.pps}`),
        ],
      };
    },
    postCondition: ({ changes }) => ({
      description: 'These fees are in force, and no others are proposed.',
      holds: ({ vault, pendingFees }) => ({
        ok: pendingFees === null && isSame(vault.fees, changes, ''),
        actual: inWords(vault.fees),
      }),
    }),
  }),

  skim_fees: single({
    role: 'manager',
    needsStepUp: false,
    step({ request, target, state }) {
      const { vault } = state;
      const { fee, nextPps, nextHwm } = skimOf(state);
      const left = vault.idleAssets > fee.total ? vault.idleAssets - fee.total : 0n;
      return {
        call: toStrategy(target, 'skimPerformanceFee', []),
        description:
          `Take the performance fee of ${target.name}: ${tokens(fee.total, vault.asset)}, of which ` +
          `${tokens(fee.recipientShare, vault.asset)} go to ${vault.fees.recipient} and ${tokens(fee.protocolShare, vault.asset)} ` +
          'to the protocol. The price per share falls accordingly, and the lower price becomes the new high-water mark.',
        preconditions: [
          fromManager(unauthorized, request, state),
          cooledDown(state),
          ...usable(state),
          check(
            'NOT_ENOUGH_FREE_ASSETS_FEE_SKIM',
            vault.idleAssets >= fee.total,
            `The fee is ${tokens(fee.total, vault.asset)}, and ${tokens(vault.idleAssets, vault.asset)} are idle in the vault.`,
          ),
          check(
            'NOTHING_TO_SKIM',
            fee.total > 0n,
            `The price is ${price(vault.pps, vault.precision)} and the high-water mark ${price(vault.hwm, vault.precision)}: the fee is ${tokens(fee.total, vault.asset)}.`,
          ),
        ],
        changes: [
          differs('current_pps', `${vault.pps}`, `${nextPps}`),
          differs('hwm_pps', `${vault.hwm}`, `${nextHwm}`),
          differs('free_assets', `${vault.idleAssets}`, `${left}`),
        ],
      };
    },
    // A report may come right after the skim, so neither the price nor the fee shows that it was made.
    postCondition: ({ changes }) => markIsGone(changes.find(({ field }) => field === 'hwm_pps')?.before ?? null),
  }),
};
