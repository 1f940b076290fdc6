import { AppError } from '@castellan/contracts';
import { expect, test } from '@jest/globals';
import type { Snapshot } from '../vault/adapters/snapshot-store.mongo.ts';
import type { StrategyDocument } from './domain/strategy.ts';
import { type FollowPorts, followStrategies } from './follow.ts';
import { KnownExits } from './known-exits.ts';

const vaultAt = (digit: string) => {
  const source_address = `0x${'9'.repeat(40)}`;
  const detail = {
    vault_address: `0x${digit.repeat(40)}`,
    allocation: [{ kind: 'source', source_address, name: 'A' }],
  };
  return { chain_id: 1, vault: detail.vault_address, detail } as unknown as Snapshot;
};
const vaults = ['1', '2', '3'].map(vaultAt);
const first = vaults[0]?.vault;

/** Passes over three vaults, all with a running strategy, of which the first fails at one place. */
async function follow(fails: 'facts' | 'exits' | 'nowhere', fault: Error) {
  const [made, recorded, logged]: [string[], string[], string[]] = [[], [], []];
  const at = (vault: string, place: typeof fails) => {
    if (vault === first && place === fails) throw fault;
  };
  const ports = {
    status: { get: async () => ({ backfilled: true }) },
    strategies: {
      running: async () => vaults,
      ofVault: async ({ vault }: { vault: string }) => {
        at(vault, 'exits');
        return [];
      },
      insert: async ({ vault }: StrategyDocument) => made.push(vault),
    },
    snapshots: { all: async () => vaults },
    facts: {
      live: async ({ vault }: Snapshot) => at(vault, 'facts'),
      record: async ({ vault }: { vault: string }) => recorded.push(vault),
    },
    exits: new KnownExits(() => 0),
    logger: { warn: () => logged.push('warn'), error: () => logged.push('error') },
    now: () => 0,
  } as unknown as FollowPorts;
  await followStrategies(ports, 1);
  return { made, recorded, logged, isSweepDue: ports.exits.isSweepDue(1) };
}

const all = vaults.map(({ vault }) => vault);
const others = all.slice(1);
const reverts = new Error('The token reverts when it is asked for a balance.');

test('default: exits are made for each vault, and what strategies see is kept', async () => {
  const seen = await follow('nowhere', reverts);
  expect(seen).toEqual({ made: all, recorded: all, logged: [], isSweepDue: false });
});

test('security: a vault that cannot be read keeps no other from its emergency exits', async () => {
  const seen = await follow('facts', reverts);
  expect(seen).toEqual({ made: all, recorded: others, logged: ['error'], isSweepDue: false });
  const away = new AppError('RPC_UNAVAILABLE', 'No node answers.');
  expect((await follow('facts', away)).logged).toEqual(['warn']);
});

test('security: exits that cannot be made keep no others from being made, and are tried again with the next pass', async () => {
  const seen = await follow('exits', reverts);
  expect(seen).toEqual({ made: others, recorded: all, logged: ['error'], isSweepDue: true });
});
