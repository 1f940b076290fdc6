import { expect, test } from '@jest/globals';
import { KeeperLost } from './journal.mongo.ts';
import { keeperPass } from './pass.ts';
import type { KeeperPorts } from './ports.ts';

/** A keeper of three vaults, of which the first cannot be kept. */
function keeping(fault: Error) {
  const looked: string[] = [];
  const gauge = { set: () => undefined };
  const ports = {
    chain: { chainId: 1, head: async () => ({ number: 1, time: 1 }), balance: async () => 1n },
    signer: { address: '0x' },
    settings: { fulfilsRedemptions: false },
    status: { get: async () => ({ backfilled: true }) },
    snapshots: { all: async () => ['a', 'b', 'c'].map((vault) => ({ chain_id: 1, vault })) },
    journal: {
      open: async () => [],
      vault: async ({ vault }: { vault: string }) => {
        looked.push(vault);
        if (vault === 'a') throw fault;
        return { open: null };
      },
    },
    heartbeats: { beat: async () => undefined },
    strategies: { running: async () => [] },
    intents: { active: async () => [] },
    metrics: { balance: gauge, open: gauge, lastPass: gauge },
    logger: { warn: () => undefined, error: () => undefined },
    now: () => 0,
  } as unknown as KeeperPorts;
  return { looked, pass: () => keeperPass(ports, 1) };
}

test('behavior: a vault that fails, whatever the reason, does not hold up those behind it', async () => {
  const { looked, pass } = keeping(new Error('The token reverts when it is asked for a balance.'));
  await pass();
  expect(looked).toEqual(['a', 'b', 'c']);
});

test('error: a lease that is lost ends the pass', async () => {
  const { looked, pass } = keeping(new KeeperLost('Another keeper works.'));
  await expect(pass()).rejects.toBeInstanceOf(KeeperLost);
  expect(looked).toEqual(['a']);
});
