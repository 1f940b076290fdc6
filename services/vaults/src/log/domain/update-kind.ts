import type { updateKinds } from '@castellan/contracts';

type Kind = (typeof updateKinds)[number];

const kinds: Readonly<Record<string, Kind>> = {
  PPSUpdatedAfterSkim: 'pps',
  SecondaryManagerAdded: 'roles',
  SecondaryManagerRemoved: 'roles',
  PrimaryManagerChanged: 'roles',
  PrimaryManagerChangeProposed: 'roles',
  PrimaryManagerChangeCancelled: 'roles',
  OldPrimaryManagerRemoved: 'roles',
};
/** By the vault contract itself; the strategy repeats most of them under other names. */
const activity = new Set([
  'Deposit',
  'Withdraw',
  'RedeemRequest',
  'CancelRedeemRequest',
  'CancelRedeemClaim',
  'RedeemClaimable',
  'RedeemRequestsFulfilled',
]);

/** Which of the live updates an entry of the log is; undefined for those that only change the vault's figures. */
export function updateKindOf({ contract, name }: { contract: string | null; name: string }): Kind | undefined {
  if (name === 'PPSUpdated') return contract === 'aggregator' ? 'pps' : undefined;
  if (activity.has(name)) return contract === 'vault' || contract === 'strategy' ? 'activity' : undefined;
  return contract === 'aggregator' ? kinds[name] : undefined;
}
