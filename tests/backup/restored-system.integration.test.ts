import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type Route, type Routes, routes } from '@castellan/contracts';
import { createClient } from '@castellan/sdk';
import { startTestNats, type TestNats, until } from '@castellan/testkit';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { person, who } from '../../packages/protocol/test/test-chain.ts';
import { descriptions } from '../../services/gateway/src/openapi/descriptions.ts';
import { requestsFor } from '../../services/gateway/test/route-requests.ts';
import { verifyExport } from '../../services/users/src/audit/verify/verify.ts';
import { databaseServices } from '../../tools/castellan/collections.ts';
import { runCastellan } from '../../tools/castellan/commands.ts';
import { World, wallets } from '../security/world.ts';

jest.setTimeout(600_000);

/** All services, filled by people, backed up while they run, and started on what was restored, over the same chain. */
let world: World;
let nats: TestNats;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'castellan-restored-'));
  world = await World.start();
  nats = await startTestNats();
});
afterAll(async () => {
  await world?.stop();
  await nats?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const signedIn = async (role: keyof typeof wallets) =>
  createClient({ baseUrl: world.origin, token: await world.signIn(wallets[role]) });
type Client = Awaited<ReturnType<typeof signedIn>>;

const vaultInPath = () => ({ ...world.vault, chain_id: `${world.vault.chain_id}` });
const rowsOf = async (client: Client, actionType: string): Promise<number> =>
  (await client.auditLogs({ query: { ...vaultInPath(), action_type: actionType } })).logs.length;

async function fill(): Promise<void> {
  const { vault, vaults } = world;
  const { strategy, sources, sourceOracle, depositHook } = vaults.protocol;
  const source = sources[0]?.address as string;
  await vaults.chain.send(who.main, strategy, 'manageYieldSource', [source, sourceOracle.address, 0]);
  await vaults.indexed();
  const client = await signedIn('primary');
  await client.grantViewOnly({ body: { ...vault, wallet_address: wallets.viewer.address } });
  const self = { wallet_address: wallets.primary.address };
  await client.setDisplayName({ params: self, body: { display_name: 'Treasury' } });
  await client.setAlertRule({ params: { rule_id: 'vault_paused' }, body: { ...vault, version: 0, enabled: false } });
  await client.createChannel({ body: { provider: 'websocket', name: 'Desk' } });
  await client.createPost({ params: vaultInPath(), body: { title: 'Note', body: 'Text' } });
  await client.createStrategy({
    body: {
      vault_id: `${vault.chain_id}:${vault.vault_address}`,
      id: 'idle',
      name: 'Idle to the source',
      indicators: [],
      rules: { type: 'EXPR', expr: 'vault_free_assets > 1' },
      action_config: {
        action: 'DEPOSIT',
        size_expr: 'vault_free_assets',
        execution_name: 'Deposit',
        execution_address: depositHook.address,
        target_address: source,
      },
      max_concurrent: 1,
    },
  });
  const vault_id = `${vault.chain_id}:${vault.vault_address}`;
  await until('the source has its exit', async () => {
    const { strategies } = await client.listStrategies({ query: { vault_id } });
    return strategies.some(({ kind }) => kind === 'EMERGENCY_EXIT');
  });
  for (const row of ['view_only_granted', 'yield_source_added', 'strategy_created'])
    await until(`there is a row ${row}`, async () => (await rowsOf(client, row)) === 1);
}

/** What says when it was answered or read, and not what is so: vaults are read again as time passes. */
const whenRead = new Set(['request_id', 'as_of', 'generated_at', 'exported_at', 'updated_at', 'block_number']);
/** Of windows that end with the moment of the request. */
const windowed = new Set<keyof Routes>(['keeperRecord', 'validatorHistory']);
const timeless = (name: keyof Routes, text: string): unknown => {
  const isWhen = (key: string) => whenRead.has(key) || (windowed.has(name) && ['from', 'to'].includes(key));
  const drop = (key: string, value: unknown) => (isWhen(key) ? undefined : value);
  try {
    return JSON.parse(text, drop);
  } catch {
    return text;
  }
};

/** Keys, sessions and what was made with them are in no backup: attestations are signed by another key from then on. */
const anew = new Set<keyof Routes>(['jwks', 'listSessions', 'attestationKeys']);

/** What every read answers to a manager, and to others where their role decides. */
async function answers(): Promise<Map<string, unknown>> {
  const read = new Map<string, unknown>();
  const requestOf = requestsFor({ vault_address: world.vault.vault_address, wallet_address: wallets.viewer.address });
  for (const role of ['primary', 'viewer', 'stranger'] as const) {
    const headers = { authorization: `Bearer ${await world.signIn(wallets[role])}` };
    for (const name of Object.keys(routes) as (keyof Routes)[]) {
      const { method, media } = routes[name] as unknown as Route;
      if (method !== 'GET' || media === 'text/event-stream' || anew.has(name)) continue;
      if (role !== 'primary' && descriptions[name].role === 'anyone' && name !== 'myVaults') continue;
      const answer = await fetch(`${world.origin}${requestOf(name).url}`, { headers });
      read.set(`${role} ${name}`, [answer.status, timeless(name, await answer.text())]);
    }
  }
  return read;
}

/** Services follow each other's events: what was filled in is everywhere once two readings in a row say the same. */
async function settledAnswers(): Promise<Map<string, unknown>> {
  let last = await answers();
  return until('all services are at rest', async () => {
    const next = await answers();
    const isSettled = isDeepStrictEqual(next, last);
    last = next;
    return isSettled && next;
  });
}

async function castellan(...args: string[]): Promise<void> {
  let text = '';
  const write = (more: string) => {
    text += more;
  };
  const { uri } = world.vaults.config.mongo;
  const env = { CASTELLAN_BACKUP_PASSPHRASE: 'a passphrase of some length', MONGODB_URI: uri };
  expect([await runCastellan(args, { env, out: write, err: write }), text]).toEqual([0, text]);
}

const namesFor = (database: string) =>
  databaseServices.flatMap((service) => [
    '--database',
    `${service}=${service === 'vaults' ? database : `${database}_${service}`}`,
  ]);

async function auditFinding(): Promise<string> {
  const { vault_address, chain_id } = world.vault;
  const query = `vault_address=${vault_address}&chain_id=${chain_id}&format=json`;
  const headers = { authorization: `Bearer ${await world.signIn(wallets.primary)}` };
  const answer = await fetch(`${world.origin}${routes.auditExport.path}?${query}`, { headers });
  return verifyExport(await answer.text(), { head: undefined, anyLayout: false, filtered: false }).line;
}

test('default: a restored system answers everyone as the one that was backed up, goes on, and its audit log verifies', async () => {
  await fill();
  const file = join(folder, 'backup');
  const { database } = world.vaults.config.mongo;
  const before = await settledAnswers();
  await castellan('backup', '--to', file, ...namesFor(database));
  await castellan('restore', '--from', file, ...namesFor(`${database}_new`));
  const token = await world.signIn(wallets.primary);
  await world.move({ nats: { url: nats.url, namespace: nats.namespace }, database: `${database}_new` });
  let after = await answers();
  // What is rebuilt takes a moment; what differs in the end is compared below.
  const isAsBefore = async () => {
    after = await answers();
    return isDeepStrictEqual(after, before);
  };
  await until('everything is answered as before', isAsBefore).catch(() => undefined);
  expect(before.get('primary auditLogs')).toMatchObject([200, { logs: expect.arrayContaining([expect.anything()]) }]);
  for (const [key, answer] of before) expect([key, after.get(key)]).toEqual([key, answer]);
  const old = await fetch(`${world.origin}${routes.me.path}`, { headers: { authorization: `Bearer ${token}` } });
  expect(old.status).toBe(401);

  const client = await signedIn('primary');
  const { chain, protocol } = world.vaults;
  const added = [protocol.strategy.address, person(40).address];
  await chain.send(who.main, protocol.aggregator, 'addSecondaryManager', added);
  const rows = await rowsOf(client, 'secondary_manager_added');
  await until('the chain goes on', async () => (await rowsOf(client, 'secondary_manager_added')) === rows + 1);
  expect(await auditFinding()).toMatch(/^ok: \d+ rows, head /);
});
