import { until } from '@castellan/testkit';
import { expect, test } from '@jest/globals';
import { price } from '../../packages/protocol/test/test-chain.ts';
import { type World, wallets } from './world.ts';

type Stored = { _id: string; [field: string]: unknown };

/** What somebody puts into the store of a running system who can write to it, but holds none of its secrets. */
export function hostileDocuments(worldNow: () => World): void {
  const collectionOf = (database: string, name: string) => {
    const client = worldNow().running.auth?.context.mongo.getClient();
    if (!client) throw new Error('The auth service does not run.');
    return client.db(database).collection<Stored>(name);
  };
  /** Who has a role on the vault, which its people may ask. */
  const usersOf = async ({ vault }: World, token: string): Promise<number> => {
    const query = `chain_id=${vault.chain_id}&vault_address=${vault.vault_address}`;
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`${worldNow().origin}/api/v1/users?${query}`, { headers });
    await answer.arrayBuffer();
    return answer.status;
  };

  test('error: a snapshot with another manager gives no role, and gives way to the chain', async () => {
    const world = worldNow();
    const { vaults, vault } = world;
    const [thief, primary] = [await world.signIn(wallets.stranger), await world.signIn(wallets.primary)];
    expect([await usersOf(world, thief), await usersOf(world, primary)]).toEqual([403, 200]);
    const wallet = wallets.stranger.address.toLowerCase();
    const appointed = { wallet, grantedBy: null, grantedAt: '2026-01-01T00:00:00.000Z' };
    const managers = { primary: appointed, secondary: [] };
    const _id = `${vault.chain_id}:${vault.vault_address.toLowerCase()}`;
    const { matchedCount } = await collectionOf(vaults.config.mongo.database, 'vault_snapshots').updateOne(
      { _id },
      // Newer than any reading, so that none replaces it by itself.
      { $set: { managers, wallets: [wallet], block_number: 1e9, branch: 1e9 } },
    );
    expect(matchedCount).toBe(1);
    expect(await usersOf(world, thief)).not.toBe(200);
    await price(vaults.chain, vaults.protocol, 1_000_000n);
    await until('the vault is read again', async () => (await usersOf(world, primary)) === 200, 30_000);
    expect(await usersOf(world, thief)).toBe(403);
  });
}
