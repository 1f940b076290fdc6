import type { PreparedCall, PreparedKind } from '@castellan/contracts';
import type { Api } from '../client/api.ts';
import type { Intent } from './expected.ts';

const methods = {
  add_secondary_manager: 'prepareAddSecondaryManager',
  remove_secondary_manager: 'prepareRemoveSecondaryManager',
  cancel_primary_change: 'prepareCancelPrimaryChange',
  propose_fees: 'prepareProposeFees',
  execute_fees: 'prepareExecuteFees',
  skim_fees: 'prepareSkimFees',
  set_deviation_threshold: 'prepareDeviationThreshold',
  propose_expiration: 'prepareProposeExpiration',
  execute_expiration: 'prepareExecuteExpiration',
  cancel_expiration: 'prepareCancelExpiration',
  propose_min_update_interval: 'prepareProposeMinUpdateInterval',
  execute_min_update_interval: 'prepareExecuteMinUpdateInterval',
  cancel_min_update_interval: 'prepareCancelMinUpdateInterval',
  deposit_upkeep: 'prepareDepositUpkeep',
  propose_upkeep_withdrawal: 'prepareProposeUpkeepWithdrawal',
  execute_upkeep_withdrawal: 'prepareExecuteUpkeepWithdrawal',
  pause: 'preparePause',
  unpause: 'prepareUnpause',
  add_yield_sources: 'prepareBulkAddYieldSources',
  update_yield_source_oracles: 'prepareBulkUpdateYieldSourceOracles',
  remove_yield_sources: 'prepareBulkRemoveYieldSources',
  propose_hooks_root: 'prepareProposeHooksRoot',
  execute_hooks_root: 'prepareExecuteHooksRoot',
  ban_hook_leaves: 'prepareBanHookLeaves',
  allow_hook_leaves: 'prepareAllowHookLeaves',
} as const satisfies Record<PreparedKind, keyof Api>;

type Prepare = (input: { body: unknown }) => Promise<PreparedCall | { steps: PreparedCall[] }>;

/** Asks for the calls that carry out a change, in the order they are to be sent. */
export async function prepareChange(api: Api, { kind, args, chainId, vault }: Intent): Promise<PreparedCall[]> {
  const prepare = api[methods[kind]] as Prepare;
  const answer = await prepare({ body: { vault_address: vault, chain_id: chainId, ...args } });
  return 'steps' in answer ? answer.steps : [answer];
}
