import type { VaultDetail } from '@castellan/contracts';

type Detail = { my_role: unknown; updated_at: string };

/**
 * Puts a pushed reading in the place of the shown one. Pushed readings are the anonymous view, so the caller's role
 * of the last authenticated read stays; one made before the shown one came late and is left out.
 */
export function mergeDetail<T extends Detail>(before: T, pushed: T): T {
  if (Date.parse(pushed.updated_at) < Date.parse(before.updated_at)) return before;
  return { ...pushed, my_role: before.my_role };
}

type WithBooks = Pick<
  VaultDetail,
  'total_supply' | 'escrowed_assets' | 'current_pps' | 'hwm_pps' | 'is_paused' | 'fee_config' | 'allocation'
>;

const booksOf = ({ allocation, ...vault }: WithBooks) => [
  vault.total_supply,
  vault.escrowed_assets,
  vault.current_pps,
  vault.hwm_pps,
  vault.is_paused,
  vault.fee_config,
  allocation.map(({ source_address, is_active }) => [source_address, is_active]),
];

/** Whether something was entered in the books of the vault: figures of its history are then others than before. */
export const booksDiffer = (before: WithBooks, after: WithBooks): boolean =>
  JSON.stringify(booksOf(before)) !== JSON.stringify(booksOf(after));

type WithSettings = Pick<
  VaultDetail,
  | 'fee_config'
  | 'pending_fee_config'
  | 'pps_config'
  | 'upkeep_info'
  | 'withdrawal_status'
  | 'activation'
  | 'pending_manager_change'
>;

/** Without how long the upkeep lasts, which is worked out and goes on with the clock. */
const settingsOf = ({ upkeep_info: { balance, enabled, threshold }, ...vault }: WithSettings) => [
  vault.fee_config,
  vault.pending_fee_config,
  vault.pps_config,
  [balance, enabled, threshold],
  vault.withdrawal_status,
  vault.activation,
  vault.pending_manager_change,
];

/** Whether the vault is set otherwise than before: the settings, which are a read of their own, are then old. */
export const settingsDiffer = (before: WithSettings, after: WithSettings): boolean =>
  JSON.stringify(settingsOf(before)) !== JSON.stringify(settingsOf(after));

type WithPeople = { managers: unknown };

/**
 * Whether names, managers or the number of viewers changed. Of view-only grants a pushed reading has only the
 * number, and the grant may be the reader's own.
 */
export const peopleDiffer = (before: WithPeople, after: WithPeople): boolean =>
  JSON.stringify(before.managers) !== JSON.stringify(after.managers);

/** Whether another root of the hooks is in force, proposed or vetoed on chain. */
export const hooksDiffer = (before: Pick<VaultDetail, 'merkle'>, after: Pick<VaultDetail, 'merkle'>): boolean =>
  JSON.stringify(before.merkle) !== JSON.stringify(after.merkle);
