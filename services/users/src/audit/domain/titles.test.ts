import { superGovernorAbi, superVaultAggregatorAbi, superVaultStrategyAbi } from '@castellan/chain';
import { describe, expect, test } from '@jest/globals';
import { actionTypeOf, auditedEvents } from './chain-events.ts';
import { hasTitle, shortAddress, titleOf, walletsIn } from './titles.ts';

const wallet = '0x00000000000000000000000000000000000000B1';
const say = (action_type: string, details: Record<string, unknown> = {}) =>
  titleOf({ action_type, details }, (address) => (address === wallet ? 'Ada' : shortAddress(address)));

test('default: the wallet that an alert is about can be named', () => {
  expect(walletsIn({ subject: `wallet:${wallet}`, manager: wallet, rule_id: 'low_gas' })).toEqual([wallet, wallet]);
  expect(walletsIn({ subject: 'node:2' })).toEqual([]);
});

describe('titleOf', () => {
  test('default: every audited event is one of the contracts, and has a sentence of its own', () => {
    const known = [superGovernorAbi, superVaultAggregatorAbi, superVaultStrategyAbi]
      .flat()
      .flatMap((item) => (item.type === 'event' ? [item.name as string] : []));
    expect(auditedEvents.filter((event) => !known.includes(event))).toEqual([]);
    expect(auditedEvents.map(actionTypeOf).filter((type) => !hasTitle(type))).toEqual([]);
    for (const type of ['view_only_granted', 'view_only_revoked', 'display_name_changed', 'chain_rolled_back'])
      expect(hasTitle(type)).toBe(true);
  });

  test.each([
    ['PPSExpiryThresholdUpdated', 'pps_expiry_threshold_updated'],
    ['StrategyPPSStaleReset', 'strategy_pps_stale_reset'],
    ['ActivePPSOracleSet', 'active_pps_oracle_set'],
    ['VaultDeployed', 'vault_deployed'],
  ])('default: %s is %s', (event, type) => expect(actionTypeOf(event)).toBe(type));

  test.each([
    ['secondary_manager_added', { manager: wallet }, 'Ada became a secondary manager'],
    [
      'call_verified',
      {
        description: 'Set the deviation guard from 50 % to 40 %, at once. A price that jumps further pauses the vault.',
      },
      'Verified on chain: Set the deviation guard from 50 % to 40 %, at once',
    ],
    ['token_created', { name: 'Report', scope: 'read' }, 'The token “Report” was created; it reads only'],
    ['secondary_manager_added', {}, 'an unknown wallet became a secondary manager'],
    [
      'vault_fee_config_updated',
      { performanceFeeBps: '1050', managementFeeBps: '5' },
      'Fees were set: 10.50% of profit, 0.05% of deposits',
    ],
    [
      'vault_fee_config_proposed',
      { performanceFeeBps: '0', managementFeeBps: '10000' },
      'New fees were proposed: 0.00% of profit, 100.00% of deposits',
    ],
    ['pps_expiry_threshold_updated', { ppsExpiration: '129600' }, 'Prices expire after 1 day 12 hours'],
    ['pps_expiry_threshold_updated', { ppsExpiration: '0' }, 'Prices expire after 0 seconds'],
    [
      'deviation_threshold_updated',
      { deviationThreshold: `${5n * 10n ** 15n}` },
      'The deviation guard was set to 0.50%',
    ],
    ['deviation_threshold_updated', { deviationThreshold: `${2n ** 256n - 1n}` }, 'The deviation guard was turned off'],
    ['display_name_changed', { wallet_address: wallet, from: null, to: 'Ada' }, '0x0000…00B1 is called Ada'],
    [
      'validator_config_set',
      { validators: [wallet, wallet], quorum: '2' },
      'The validators were set: 2, of which 2 must sign',
    ],
    ['chain_rolled_back', { voided: ['a', 'b'] }, 'The chain was reorganised: 2 changes no longer count'],
    ['merkle_synced', {}, 'Merkle synced'],
    ['fee_updated', { feeType: '0', value: '1000' }, 'A protocol fee was set to 10.00%'],
    [
      'alert_opened',
      { title: 'Validator down', message: 'Validator 2 took part in none of the last rounds.', subject: 'node:2' },
      'Alert: Validator down. Validator 2 took part in none of the last rounds',
    ],
    ['alert_resolved', { title: 'Vault paused', subject: 'vault' }, 'The alert “Vault paused” was resolved'],
    ['alert_resolved', { title: 'An older row' }, 'The alert “An older row” was resolved'],
    [
      'alert_resolved',
      { title: 'Validator down', subject: 'node:2', note: 'It was restarted.' },
      'The alert “Validator down” about validator 2 was resolved: It was restarted',
    ],
    [
      'alert_acknowledged',
      { title: 'Service down', subject: 'service:keeper' },
      'The alert “Service down” about the service keeper was acknowledged',
    ],
    [
      'alert_escalated',
      { title: 'Low gas balance', subject: `wallet:${wallet}`, escalated_to: { name: 'Bo' } },
      'The alert “Low gas balance” about Ada was escalated to Bo',
    ],
    [
      'alert_unmuted',
      { title: 'Mandate breached', subject: 'mandate:idle' },
      'The alert “Mandate breached” about the promise “idle” is no longer muted',
    ],
    [
      'alert_muted',
      { title: 'Automation failed', subject: 'automation:vault:redemptions', inhibited_by: 'vault_paused' },
      'The alert “Automation failed” about paying redemptions was muted by vault_paused',
    ],
    [
      'alert_resolved',
      {
        title: 'Strategy error',
        subject: 'strategy:66f0c0ffee',
        message: 'The strategy “Rebalance v2.1” is in ERROR. Slippage.',
      },
      'The alert “Strategy error” about the strategy “Rebalance v2.1” was resolved',
    ],
    [
      'alert_resolved',
      { title: 'Strategy error', subject: 'strategy:7', message: 'Slip.' },
      'The alert “Strategy error” was resolved',
    ],
  ])('default: %s %j is said as it is', (type, details, title) => expect(say(type, details)).toBe(title));
});
