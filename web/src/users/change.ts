import type { PreparedArgs } from '@castellan/contracts';

type Kind = 'add_secondary_manager' | 'remove_secondary_manager' | 'cancel_primary_change';
/** A change of who manages the vault, as it is prepared. */
export type ManagerChange = { [K in Kind]: { kind: K; args: PreparedArgs<K> } }[Kind];

export const titleOf: Record<Kind, string> = {
  add_secondary_manager: 'Add a secondary manager',
  remove_secondary_manager: 'Remove a secondary manager',
  cancel_primary_change: 'Cancel the change of the primary manager',
};
