import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PreparedCall, PreparedResource, PublicVault } from '@castellan/contracts';
import { createClient } from '@castellan/sdk';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { encodeFunctionData, type Hash, parseAbi } from 'viem';
import { account, baseUrl, chain, giveGas, sendRaw, signIn, until } from '../../system/actors.ts';
import { keeperMs, minedMs, promptMs, scenarioMs } from '../../system/patience.ts';
import { patientFetch } from '../../system/patient-fetch.ts';

/** A manager's day through the API: prepare, sign, send, report, followed until the chain shows it, and audited. */

const erc = parseAbi([
  'function deposit(uint256 assets, address receiver) returns (uint256)',
  'function approve(address spender, uint256 value) returns (bool)',
  'function mint(address to, uint256 value)',
]);
type Client = Awaited<ReturnType<typeof signIn>>['client'];
type Row = { action_type: string; tx_hash: string | null; details: Record<string, unknown> };

const root = join(dirname(fileURLToPath(import.meta.url)), '../../..');
let core: PublicVault;
/** Read only: the browser's tests change it meanwhile. */
let growth: PublicVault;
let primary: Client;
let primaryToken: string;
let secondary: Client;

beforeAll(async () => {
  const vaults = await createClient({ baseUrl: baseUrl() }).publicVaults({});
  const named = (wanted: string) => vaults.find(({ name }) => name === wanted) as PublicVault;
  [core, growth] = [named('USDC Core'), named('WETH Growth')];
  ({ client: primary, token: primaryToken } = await signIn(1));
  ({ client: secondary } = await signIn(2));
});

const refOf = ({ vault_address, chain_id }: PublicVault) => ({ vault_address, chain_id });
const queryOf = ({ vault_address, chain_id }: PublicVault) => ({ vault_address, chain_id: String(chain_id) });

/** Signs and sends a prepared call as account `index`, and reports its transaction. */
async function broadcast(client: Client, index: number, call: PreparedCall): Promise<void> {
  expect(call.simulation).toEqual({ ok: true, revert_reason: null });
  expect(call.preconditions.filter(({ ok }) => !ok)).toEqual([]);
  const tx_hash = await sendRaw(index, call);
  const { status } = await client.broadcastPrepared({ params: { id: call.id }, body: { tx_hash } });
  expect(['broadcast', 'mined', 'confirmed', 'verified']).toContain(status);
}

/** Sends prepared calls one after the other, and waits until all of them are verified. */
async function carryOutAll(client: Client, index: number, calls: readonly PreparedCall[]): Promise<PreparedResource[]> {
  for (const call of calls) await broadcast(client, index, call);
  return Promise.all(
    calls.map(({ id, decoded }) =>
      until(
        `${decoded.function} verified`,
        async () => {
          const now = await client.getPrepared({ params: { id }, query: {} });
          return now.status === 'verified' ? now : undefined;
        },
        minedMs,
      ),
    ),
  );
}

const carryOut = async (client: Client, index: number, call: PreparedCall): Promise<PreparedResource> =>
  (await carryOutAll(client, index, [call]))[0] as PreparedResource;

const auditOf = async (vault: PublicVault, tx: string | null): Promise<Row[]> => {
  const { logs } = await primary.auditLogs({ query: { ...queryOf(vault), limit: '500' } });
  return logs.filter(({ tx_hash }) => tx_hash === tx);
};

/** The change's own row and the one of the call that made it. */
const audited = (vault: PublicVault, tx: string | null, event: string) =>
  until(`${event} audited`, async () => {
    const types = (await auditOf(vault, tx)).map(({ action_type }) => action_type);
    return types.includes(event) && types.includes('call_verified');
  });

/** The exported log of USDC Core verifies offline, and not without a row or with another byte. */
async function expectExportVerifies(): Promise<void> {
  const query = new URLSearchParams({ ...queryOf(core), format: 'json' });
  const response = await patientFetch(`${baseUrl()}/api/v1/audit/export?${query}`, {
    headers: { authorization: `Bearer ${primaryToken}` },
  });
  expect(response.status).toBe(200);
  const text = await response.text();
  const folder = mkdtempSync(join(tmpdir(), 'castellan-audit-'));
  const verify = (content: string): { ok: boolean; output: string } => {
    const file = join(folder, 'audit.json');
    writeFileSync(file, content);
    try {
      const output = execFileSync('npm', ['run', '-s', 'verify:audit', '--', file], { cwd: root, encoding: 'utf8' });
      return { ok: true, output };
    } catch (error) {
      const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
      return { ok: false, output: `${stdout}${stderr}` };
    }
  };
  try {
    expect(verify(text)).toMatchObject({ ok: true });
    const whole = JSON.parse(text) as { rows: Row[] };
    expect(whole.rows.length).toBeGreaterThan(5);
    const without = { ...whole, rows: whole.rows.filter((_, place) => place !== 2) };
    expect(verify(JSON.stringify(without)).ok).toBe(false);
    expect(verify(text.replace('"deviation_threshold_updated"', '"deviation_threshold_updatee"')).ok).toBe(false);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('settings', () => {
  const settings = () => primary.vaultSettings({ params: queryOf(core) });

  test('behavior: the deviation guard is set on chain, shown, audited, and the exported log verifies offline', async () => {
    // Another value than there is, on a system where this ran before too.
    const wanted = (await settings()).pps.deviation_threshold_bps === 4_000 ? 4_100 : 4_000;
    const call = await primary.prepareDeviationThreshold({
      body: { ...refOf(core), deviation_threshold_bps: wanted },
    });
    expect(call.changes).toContainEqual(expect.objectContaining({ field: 'deviation_threshold_bps', after: wanted }));
    const done = await carryOut(primary, 1, call);
    expect(done.post_condition.ok).toBe(true);
    expect(done.history.map(({ state }) => state)).toEqual(
      expect.arrayContaining(['prepared', 'broadcast', 'verified']),
    );
    expect((await settings()).pps.deviation_threshold_bps).toBe(wanted);
    await audited(core, done.tx_hash, 'deviation_threshold_updated');
    await expectExportVerifies();
  });

  test(
    'behavior: timelocked parameters are proposed, wait, refuse to be executed early, and are cancelled',
    async () => {
      const ref = refOf(core);
      await carryOutAll(primary, 1, [
        await primary.prepareProposeExpiration({ body: { ...ref, expiration_seconds: 43_200 } }),
        await primary.prepareProposeMinUpdateInterval({ body: { ...ref, min_update_interval_seconds: 120 } }),
      ]);
      const { pps } = await settings();
      expect(pps.pending_expiration).toMatchObject({ expiration_seconds: 43_200, can_execute: false });
      expect(pps.pending_min_update_interval).toMatchObject({ min_update_interval_seconds: 120, can_execute: false });
      await expect(primary.prepareExecuteExpiration({ body: ref })).rejects.toMatchObject({
        status: 422,
        code: 'INVALID_TIMESTAMP',
      });
      await expect(primary.prepareExecuteMinUpdateInterval({ body: ref })).rejects.toMatchObject({
        status: 422,
        code: 'TIMELOCK_NOT_EXPIRED',
      });
      await carryOutAll(primary, 1, [
        await primary.prepareCancelExpiration({ body: ref }),
        await primary.prepareCancelMinUpdateInterval({ body: ref }),
      ]);
      expect((await settings()).pps).toMatchObject({ pending_expiration: null, pending_min_update_interval: null });
    },
    scenarioMs,
  );

  test('behavior: upkeep is paid in two steps, an approval and the deposit', async () => {
    const amount = '1000000000000000000';
    // By the secondary manager: an allowance is of a wallet, whichever vault the upkeep is for.
    const { steps } = await secondary.prepareDepositUpkeep({ body: { ...refOf(core), amount } });
    expect(steps.map(({ decoded }) => decoded.function)).toEqual(['approve', 'depositUpkeep']);
    const [approval, deposit] = steps as [PreparedCall, PreparedCall];
    await carryOut(secondary, 2, approval);
    const allowed = await secondary.vaultSettings({ params: queryOf(core) });
    expect(allowed.upkeep.wallet?.allowance).toBe(amount);
    // The call that could not be tried before the approval passes now.
    const again = await secondary.getPrepared({ params: { id: deposit.id }, query: { recheck: 'true' } });
    const done = await carryOut(secondary, 2, again);
    await audited(core, done.tx_hash, 'upkeep_deposited');
  });
});

describe('pause', () => {
  test(
    'behavior: the panic button is proven, pauses with a reason, and the release waits for a price',
    async () => {
      const params = queryOf(core);
      const proof = await primary.pauseProof({ params, query: { refresh: 'true' } });
      expect(proof).toMatchObject({ ok: true, call: 'pauseStrategy', is_stale: false });
      const pause = await primary.preparePause({ body: { ...refOf(core), reason: 'Drill of the panic button' } });
      const paused = await carryOut(primary, 1, pause);
      await until('is_paused', async () => (await primary.vault({ params })).is_paused);
      await audited(core, paused.tx_hash, 'strategy_paused');
      await until(
        'the reason',
        async () => (await primary.vault({ params })).pause?.reason === 'Drill of the panic button',
      );
      const rows = await auditOf(core, paused.tx_hash);
      expect(JSON.stringify(rows)).toContain('Drill of the panic button');
      await expect(primary.preparePause({ body: { ...refOf(core), reason: 'Again' } })).rejects.toMatchObject({
        status: 422,
        code: 'STRATEGY_ALREADY_PAUSED',
      });
      const release = await primary.prepareUnpause({ body: { ...refOf(core), reason: 'The drill is over' } });
      await carryOut(primary, 1, release);
      const released = await until('not paused', async () => {
        const vault = await primary.vault({ params });
        return vault.is_paused ? undefined : vault;
      });
      expect(['awaiting_price', 'live']).toContain(released.operational_state);
      await until('a price after the release', async () => !(await primary.vault({ params })).is_pps_stale, keeperMs);
    },
    scenarioMs,
  );
});

/** In the file of the pause, because a vault that is paused takes no deposit. */
describe('a large deposit', () => {
  /** A deposit from a wallet that has nothing yet: mints, approves and deposits, one after the other in the pool. */
  async function depositFrom(index: number, assets: bigint): Promise<Hash> {
    const { address } = account(index);
    const call = (functionName: 'mint' | 'approve' | 'deposit', args: readonly unknown[]) =>
      encodeFunctionData({ abi: erc, functionName, args } as Parameters<typeof encodeFunctionData>[0]);
    const token = core.underlying_asset_address;
    await giveGas(index);
    await sendRaw(index, { to: token, data: call('mint', [address, assets]) }, { gas: 600_000n });
    await sendRaw(index, { to: token, data: call('approve', [core.vault_address, assets]) }, { gas: 600_000n });
    const deposit = { to: core.vault_address, data: call('deposit', [assets, address]) };
    const hash = await sendRaw(index, deposit, { gas: 600_000n });
    expect((await chain().waitForTransactionReceipt({ hash })).status).toBe('success');
    return hash;
  }

  test('behavior: is in the feed once, for everybody', async () => {
    // Wallets of this run alone: deposits of one wallet within ten minutes become one item.
    const first = 10_000 + 2 * Number(await chain().getBlockNumber());
    const assets = BigInt(core.total_assets ?? '0') / 10n;
    const hash = await depositFrom(first, assets);
    const itemsOf = async (tx: Hash) => {
      const { items } = await createClient({ baseUrl: baseUrl() }).feed({
        params: queryOf(core),
        query: { kind: 'large_deposit', limit: '20' },
      });
      return items.filter(({ tx_hash }) => tx_hash === tx);
    };
    const [item] = await until('the deposit in the feed', async () => {
      const items = await itemsOf(hash);
      return items.length > 0 && items;
    });
    expect(item).toMatchObject({ severity: 'notice', author: null, metrics: { assets: String(assets), count: 1 } });
    expect(item?.title).toMatch(/^[\d,.]+M? USDC was deposited$/);
    // The deposit of another wallet in a later block: once it is in the feed, the blocks before it were read to their end.
    const later = await depositFrom(first + 1, assets);
    await until('the later deposit in the feed', async () => (await itemsOf(later)).length > 0);
    expect(await itemsOf(hash)).toHaveLength(1);
  });
});

describe('yield sources', () => {
  test('behavior: an oracle is changed, a source taken off and put back', async () => {
    const params = queryOf(core);
    const { yield_sources } = await primary.yieldSources({ params });
    const smallest = [...yield_sources].sort((a, b) => (a.share ?? 0) - (b.share ?? 0))[0];
    if (!smallest) throw new Error('USDC Core has no yield source.');
    const { source_address, oracle_address } = smallest;
    const pair = { ...refOf(core), source_address, oracle_address };
    await carryOut(primary, 1, await primary.prepareUpdateYieldSourceOracle({ body: pair }));
    await expect(primary.prepareAddYieldSource({ body: pair })).rejects.toMatchObject({
      status: 422,
      code: 'YIELD_SOURCE_ALREADY_EXISTS',
    });
    await expect(
      secondary.prepareRemoveYieldSource({ body: { ...refOf(core), source_address } }),
    ).rejects.toMatchObject({ status: 403, code: 'ROLE_REQUIRED' });
  });
});

describe('access', () => {
  test('behavior: a role removed on chain is refused on the next request after it is indexed', async () => {
    const newcomer = account(55).address;
    const body = { ...refOf(core), manager_address: newcomer };
    await carryOut(primary, 1, await primary.prepareAddSecondaryManager({ body }));
    const { client } = await signIn(55);
    await until('let in', () =>
      client.auditLogs({ query: queryOf(core) }).then(
        () => true,
        () => false,
      ),
    );
    await carryOut(primary, 1, await primary.prepareRemoveSecondaryManager({ body }));
    await until('indexed', async () => {
      const { managers } = await primary.vault({ params: queryOf(core) });
      return managers.secondary.every(({ wallet_address }) => wallet_address !== newcomer);
    });
    await expect(client.auditLogs({ query: queryOf(core) })).rejects.toMatchObject({
      status: 403,
      code: 'ROLE_REQUIRED',
    });
  });

  test('behavior: of two who write over the same label one gets 409 and the present name', async () => {
    const wallet = account(4).address;
    const versionOf = async () => {
      const { users } = await primary.users({ query: queryOf(core) });
      return users.find(({ user }) => user.wallet_address === wallet)?.user.label_version ?? 0;
    };
    const version = await versionOf();
    const label = (display_name: string) =>
      primary.setDisplayName({
        params: { wallet_address: wallet },
        body: { ...refOf(core), display_name, version },
      });
    const answers = await Promise.allSettled([label('Desk A'), label('Desk B')]);
    expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const refused = answers.find(({ status }) => status === 'rejected') as PromiseRejectedResult;
    expect(refused.reason).toMatchObject({ status: 409, code: 'VERSION_CONFLICT' });
    await label('never written').catch(() => undefined);
    expect(await versionOf()).toBe(version + 1);
  });

  test('behavior: a read-only token of one vault reads it, prepares nothing, and is refused once revoked', async () => {
    const { access_token, session } = await primary.createScopedToken({
      body: { name: 'Reporting', scope: 'read', vault: refOf(core), expires_in_seconds: 3_600 },
    });
    const reader = createClient({ baseUrl: baseUrl(), token: access_token });
    const detail = await reader.vault({ params: queryOf(core) });
    expect(detail.my_role).toBe('primary_manager');
    await expect(
      reader.prepareDeviationThreshold({ body: { ...refOf(core), deviation_threshold_bps: null } }),
    ).rejects.toMatchObject({ status: 403, code: 'SCOPE_REQUIRED' });
    await expect(reader.auditLogs({ query: queryOf(growth) })).rejects.toMatchObject({ status: 403 });
    const other = await reader.vault({ params: queryOf(growth) });
    expect(other.my_role).toBeNull();
    await primary.revokeSession({ params: { id: session.id } });
    await until(
      'refused',
      () =>
        reader.me({}).then(
          () => false,
          (error: { status?: number }) => error.status === 401,
        ),
      promptMs,
    );
  });
});
