import '../../test/browser.ts';
import { describe, expect, test } from '@jest/globals';
import { screen } from '@testing-library/react';
import { anAddress, aVault } from '../../test/builders.ts';
import { fakeApi, renderPage } from '../../test/harness.tsx';
import { ProofsAndSettings } from '../vault-page/proof-status.tsx';
import { hooksState } from './hooks-state.ts';
import type { Sync } from './types.ts';

const root = (digit: string) => `0x${digit.repeat(64)}`;
const chain_time = '2026-01-01T00:00:00.000Z';
const merkle = (parts: Partial<ReturnType<typeof aVault>['merkle']> = {}) => ({
  ...aVault().merkle,
  strategy_root: root('b'),
  ...parts,
});
const sync: Sync = {
  action: 'needs_generation',
  reason: 'not_generated',
  config_version: 2,
  tree_id: null,
  root_hash: null,
  strategy_root: root('b'),
  proposed_root: null,
  effective_time: null,
  timelock_seconds: 900,
  chain_time,
  block_number: 100,
  veto: { global: false, strategy: false },
};

describe('the state of what a vault may execute', () => {
  const open = (my_role: 'primary_manager' | null, address?: string) =>
    renderPage(<ProofsAndSettings vault={aVault({ my_role, merkle: merkle() })} explorerUrl={null} />, {
      api: fakeApi({
        merkleSync: async () => sync,
        merkleProofStatus: async () => ({ published: null, leaves: null, strategy_root: root('b') }),
      }),
      ...(address === undefined ? {} : { address }),
    });

  test('default: a manager reads the same word on the vault page as on the Merkle page', async () => {
    await open('primary_manager', anAddress(0x10));
    expect(await screen.findByText(hooksState(aVault({ merkle: merkle() }), sync).word)).toBeTruthy();
    expect(screen.getByText('No tree yet')).toBeTruthy();
    expect(screen.queryByText('In sync')).toBeNull();
  });

  test('behavior: who may not read the configuration sees what the chain shows, and no claim about the configuration', async () => {
    await open(null);
    expect(await screen.findByText('Root in force')).toBeTruthy();
    expect(screen.queryByText('In sync')).toBeNull();
  });

  test('default: the chain alone shows no root, a root, a proposal that waits and one that is due', () => {
    const word = (parts: Parameters<typeof merkle>[0]) =>
      hooksState({ ...aVault({ merkle: merkle(parts) }), chain_time }, undefined).word;
    expect(word({ strategy_root: null })).toBe('No root');
    expect(word({})).toBe('Root in force');
    const proposed_root = root('c');
    expect(word({ proposed_root, effective_at: '2026-01-01T00:15:00Z' })).toBe('Waits for its timelock');
    expect(word({ proposed_root, effective_at: '2025-12-31T23:00:00Z' })).toBe('Ready to execute');
  });

  test('behavior: a veto is said first, whatever else is the case', () => {
    const vetoed = { ...sync, veto: { global: false, strategy: true } };
    expect(hooksState(aVault(), vetoed).word).toBe('Vetoed');
    expect(hooksState(aVault({ merkle: merkle({ veto: { global: true, strategy: true } }) }), undefined).word).toBe(
      'Vetoed for all vaults',
    );
    expect(hooksState(aVault(), null).word).toBe('In sync');
  });
});
