import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Address, Hex } from 'viem';
import { who } from '../../../packages/protocol/test/test-chain.ts';
import { rpcPauseFacts } from '../src/prepared-calls/pause-proof/adapters/pause-facts.rpc.ts';
import { mongoPauseProofs, type StoredProof } from '../src/prepared-calls/pause-proof/adapters/pause-proofs.mongo.ts';
import { getPauseProof } from '../src/prepared-calls/pause-proof/use-cases/get-pause-proof.ts';
import { proveDue } from '../src/prepared-calls/pause-proof/use-cases/keep-proving.ts';
import { signsItself } from '../src/prepared-calls/signers/signer.ts';
import type { Snapshot } from '../src/vault/adapters/snapshot-store.mongo.ts';
import { deploySafe } from './contract-signers.ts';
import { callerOf, chain_id, PreparedWorld } from './prepared-world.ts';

/** Whether the panic button works, tried on a real chain, and that it is reported when it does not. */

const interval = 3600;
const oneEther = 10n ** 18n;
let world: PreparedWorld;
let shown: (Pick<StoredProof, 'ok' | 'checked_at'> & { chain_id: number })[] = [];
beforeAll(async () => {
  world = await PreparedWorld.start();
});
afterAll(async () => world?.stop());

/** Each test begins with the same managers, their gas, and no proof. */
let snapshot: Hex;
beforeEach(async () => {
  snapshot = await world.chain.client.snapshot();
});
afterEach(async () => {
  await world.chain.client.revert({ id: snapshot });
  await world.mongo.collection('pause_proofs').deleteMany({});
});

function portsOf() {
  const { vault, strategy, escrow } = world.protocol;
  const detail = {
    vault_address: vault.address,
    strategy_address: strategy.address,
    escrow_address: escrow.address,
    tvl_usd: 12.5,
    total_assets: '77',
  };
  const { ports } = world;
  const snapshotOf = async (chainId: number, of: string) => {
    const found = await (ports.snapshots as { get(id: number, vault: string): Promise<Snapshot | null> }).get(
      chainId,
      of,
    );
    return found && ({ ...found, detail } as unknown as Snapshot);
  };
  return {
    ...ports,
    snapshots: { get: snapshotOf, all: async () => [await snapshotOf(chain_id, vault.address)] } as never,
    proofs: mongoPauseProofs(world.mongo),
    facts: rpcPauseFacts(),
    signsItself: ({ client }: { client: never }, wallet: Address) => signsItself(client, wallet),
    pauseProofSeconds: interval,
  };
}
const get = (wallet: string | undefined = who.alice, refresh = false) =>
  getPauseProof(portsOf() as never)(
    { chain_id, vault_address: world.protocol.vault.address, refresh },
    callerOf(wallet),
  );
const pass = async () => {
  shown = [];
  await proveDue(portsOf() as never, chain_id, (proof) => shown.push(proof));
};
const later = (seconds: number) => world.clock.advance(seconds * 1000);
const setBalance = (address: Address, value: bigint) => world.chain.client.setBalance({ address, value });

test('default: made when first asked for, from every manager, with what a pause would stop', async () => {
  const proof = await get();
  expect(proof).toEqual({
    chain_id,
    vault_address: world.protocol.vault.address,
    call: 'pauseStrategy',
    ok: true,
    checked_at: new Date(world.clock.now()).toISOString(),
    block_number: Number(await world.chain.client.getBlockNumber()),
    interval_seconds: interval,
    is_stale: false,
    trials: [
      expect.objectContaining({ wallet_address: who.main, role: 'primary_manager', ok: true, reason: null }),
      expect.objectContaining({ wallet_address: who.secondary, role: 'secondary_manager', ok: true, reason: null }),
    ],
    removals: [{ wallet_address: who.secondary, ok: true, reason: null }],
    blast_radius: { tvl_usd: 12.5, total_assets: '77', pending_redeem_shares: '0' },
  });
  const { gas, gas_price, balance } = proof.trials[0] ?? {};
  expect(BigInt(gas ?? 0)).toBeGreaterThan(21_000n);
  expect(BigInt(gas_price ?? 0)).toBeGreaterThan(0n);
  expect(BigInt(balance ?? 0)).toBe(await world.chain.client.getBalance({ address: who.main }));
});

test('behavior: the hourly pass makes it again when it is due, not before', async () => {
  const first = (await get()).checked_at;
  later(interval - 1);
  await pass();
  expect(shown).toMatchObject([{ checked_at: first, ok: true }]);
  later(1);
  await pass();
  expect(shown.map(({ checked_at }) => checked_at)).toEqual([first, new Date(world.clock.now()).toISOString()]);
});

test('behavior: managers without gas turn it red within the interval, and gas turns it green again', async () => {
  await setBalance(who.secondary, 0n);
  later(interval);
  await pass();
  expect(await get()).toMatchObject({
    ok: true,
    trials: [{ ok: true }, { ok: false, reason: 'NO_GAS', balance: '0' }],
  });
  await setBalance(who.main, 1n);
  later(interval);
  await pass();
  expect(shown.at(-1)).toMatchObject({ ok: false });
  expect(await get()).toMatchObject({
    ok: false,
    trials: [{ ok: false, reason: 'NO_GAS', balance: '1' }, { ok: false }],
  });
  await setBalance(who.main, oneEther);
  await setBalance(who.secondary, oneEther);
  later(interval);
  await pass();
  expect(await get()).toMatchObject({ ok: true, trials: [{ ok: true }, { ok: true }] });
});

test('behavior: of a paused vault the release is tried, which only the primary manager may', async () => {
  const { aggregator, strategy } = world.protocol;
  await world.chain.send(who.main, aggregator, 'pauseStrategy', [strategy.address]);
  later(30);
  expect(await get(who.alice, true)).toMatchObject({ call: 'unpauseStrategy', ok: true, trials: [{ ok: true }, {}] });
});

test('behavior: refreshed at most every 30 seconds, and once for all who ask at the same time', async () => {
  const { checked_at } = await get(who.alice, true);
  expect(checked_at).toBe(new Date(world.clock.now()).toISOString());
  later(29);
  expect((await get(who.main, true)).checked_at).toBe(checked_at);
  later(1);
  expect((await get()).checked_at).toBe(checked_at);
  expect((await get(who.main, true)).checked_at).not.toBe(checked_at);
});

test('behavior: a Safe needs no gas of its own', async () => {
  const { aggregator, strategy } = world.protocol;
  const safe = await deploySafe(world.chain);
  await world.chain.send(who.main, aggregator, 'addSecondaryManager', [strategy.address, safe]);
  later(30);
  const { trials, removals } = await get(who.alice, true);
  expect(trials.at(-1)).toMatchObject({ wallet_address: safe, ok: true, balance: '0' });
  expect(removals).toHaveLength(2);
});

test('behavior: a chain that does not answer leaves the old proof, which grows stale', async () => {
  const { checked_at } = await get();
  const { client } = world.known;
  (world.known as { client: unknown }).client = {
    request: async () => {
      throw Object.assign(new Error('away'), { code: 'RPC_UNAVAILABLE' });
    },
  };
  later(2 * interval);
  await expect(pass()).rejects.toThrow('away');
  expect(await get()).toMatchObject({ checked_at, ok: true, is_stale: false });
  later(1);
  expect(await get()).toMatchObject({ checked_at, is_stale: true });
  expect(shown).toMatchObject([{ checked_at, ok: true }]);
  await world.mongo.collection('pause_proofs').deleteMany({});
  // Never tried is not proven.
  await expect(pass()).rejects.toThrow('away');
  expect(shown).toMatchObject([{ ok: false }]);
  (world.known as { client: unknown }).client = client;
  expect(await get()).toMatchObject({ ok: true, is_stale: false });
});

test('error: ROLE_REQUIRED without a role on the vault, TOKEN_MISSING for the public', async () => {
  for (const wallet of [who.main, who.secondary, who.alice]) expect(await get(wallet)).toMatchObject({ ok: true });
  await expect(get(who.stranger)).rejects.toMatchObject({ code: 'ROLE_REQUIRED' });
  const ask = getPauseProof(portsOf() as never);
  const params = { chain_id, vault_address: world.protocol.vault.address, refresh: false };
  await expect(ask(params, undefined)).rejects.toMatchObject({ code: 'TOKEN_MISSING' });
});
