import { type Route, type Routes, routes } from '@castellan/contracts';
import { until } from '@castellan/testkit';
import { expect, test } from '@jest/globals';
import { price } from '../../packages/protocol/test/test-chain.ts';
import { requestsFor } from '../../services/gateway/test/route-requests.ts';
import { type World, wallets } from './world.ts';

const services = ['auth', 'users', 'analytics', 'ai', 'gateway'] as const;

type Stored = { _id: string; [field: string]: unknown };

/** Another type than the value has. */
function misshapen(value: unknown): unknown {
  if (typeof value === 'string') return 7;
  if (typeof value === 'number') return 'x';
  if (value instanceof Date || typeof value === 'boolean') return 'never';
  return value === null ? { $ne: '' } : null;
}
const isPlain = (value: unknown): boolean =>
  ['string', 'number', 'boolean'].includes(typeof value) || value instanceof Date;

/** Wrong in every field, in all but the chain, or only in what lies within: found by more and more queries. */
const shapes: ((field: string, value: unknown) => unknown)[] = [
  (_field, value) => misshapen(value),
  (field, value) => (field === 'chain_id' ? value : misshapen(value)),
  (_field, value) => (isPlain(value) ? value : misshapen(value)),
];

/** What somebody puts into the store of a running system who can write to it, but holds none of its secrets. */
export function hostileDocuments(worldNow: () => World): void {
  const collectionOf = (database: string, name: string) => {
    const client = worldNow().running.auth?.context.mongo.getClient();
    if (!client) throw new Error('The auth service does not run.');
    return client.db(database).collection<Stored>(name);
  };
  const databaseOf = (database: string) => worldNow().running.auth?.context.mongo.getClient().db(database);
  /** Plants documents in each collection, made of one that is there. @returns how many were taken. */
  const plantIn = async (database: string): Promise<number> => {
    let taken = 0;
    for (const { name } of (await databaseOf(database)?.listCollections().toArray()) ?? []) {
      const collection = collectionOf(database, name);
      const { _id, ...genuine } = (await collection.findOne()) ?? { _id: '' };
      for (const [n, shape] of shapes.entries()) {
        const fields = Object.fromEntries(
          Object.entries(genuine).map(([field, value]) => [field, shape(field, value)]),
        );
        await collection.insertOne({ ...fields, _id: `${_id}-hostile-${n}` }).then(
          () => (taken += 1),
          // Where it contradicts a unique index.
          () => undefined,
        );
      }
    }
    return taken;
  };
  const judgedUntil = async (): Promise<number> => {
    const metric = worldNow().running.users?.context.registry.getSingleMetric('alerts_chain_time_seconds');
    return (await metric?.get())?.values[0]?.value ?? 0;
  };
  /** Reads that answer a manager with a fault of ours. */
  const failingReads = async ({ vault_address }: World['vault'], token: string): Promise<string[]> => {
    const failing: string[] = [];
    const requestOf = requestsFor({ vault_address, wallet_address: wallets.primary.address });
    for (const name of Object.keys(routes) as (keyof Routes)[]) {
      const { method, media } = routes[name] as unknown as Route;
      if (method !== 'GET' || media === 'text/event-stream') continue;
      const headers = { authorization: `Bearer ${token}` };
      const answer = await fetch(`${worldNow().origin}${requestOf(name).url}`, { headers });
      const text = await answer.text();
      if (answer.status >= 500) failing.push(`${name} ${text.slice(0, 200)}`);
    }
    return failing;
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
    const thief = await world.signIn(wallets.stranger);
    const primary = await world.signIn(wallets.primary);
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
    await until('the vault is read again', async () => (await usersOf(world, primary)) === 200);
    expect(await usersOf(world, thief)).toBe(403);
  });

  test('error: malformed documents in every collection stop no service, running or as it starts, and give no role', async () => {
    const world = worldNow();
    const { database } = world.vaults.config.mongo;
    const planted = await Promise.all([database, ...services.map((name) => `${database}_${name}`)].map(plantIn));
    expect(planted.every((count) => count > 0)).toBe(true);
    const isServed = async () => {
      const { vaults, vault } = world;
      const before = await judgedUntil();
      await price(vaults.chain, vaults.protocol, 1_000_000n);
      await vaults.indexed();
      const thief = await world.signIn(wallets.stranger);
      const primary = await world.signIn(wallets.primary);
      expect([await usersOf(world, thief), await usersOf(world, primary)]).toEqual([403, 200]);
      await until('the alerts of the chain are judged on', async () => (await judgedUntil()) > before);
      expect(await failingReads(vault, primary)).toEqual([]);
    };
    await isServed();
    for (const name of services) await world.restart(name);
    await isServed();
  });
}
