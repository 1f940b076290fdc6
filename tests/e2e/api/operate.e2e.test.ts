import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PreparedCall, PreparedResource, PublicVault } from '@castellan/contracts';
import { createClient } from '@castellan/sdk';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { account, baseUrl, sendRaw, signIn, until } from '../../system/actors.ts';

/** A manager's day through the API: prepare, sign, send, tell, followed until the chain shows it, and audited. */

type Client = Awaited<ReturnType<typeof signIn>>['client'];
type Row = { action_type: string; tx_hash: string | null; details: Record<string, unknown> };

const root = join(dirname(fileURLToPath(import.meta.url)), '../../..');
let growth: PublicVault;
let reserve: PublicVault;
let primary: Client;

beforeAll(async () => {
  const vaults = await createClient({ baseUrl: baseUrl() }).publicVaults({});
  const named = (wanted: string) => vaults.find(({ name }) => name === wanted) as PublicVault;
  [growth, reserve] = [named('WETH Growth'), named('WBTC Reserve')];
  primary = (await signIn(1)).client;
});

const refOf = ({ vault_address, chain_id }: PublicVault) => ({ vault_address, chain_id });
const queryOf = ({ vault_address, chain_id }: PublicVault) => ({ vault_address, chain_id: String(chain_id) });

/** Signs and sends a prepared call as account `index`, tells so, and waits for the end of its way. */
async function carryOut(client: Client, index: number, call: PreparedCall): Promise<PreparedResource> {
  expect(call.simulation).toEqual({ ok: true, revert_reason: null });
  expect(call.preconditions.filter(({ ok }) => !ok)).toEqual([]);
  const tx_hash = await sendRaw(index, call);
  const told = await client.broadcastPrepared({ params: { id: call.id }, body: { tx_hash } });
  expect(['broadcast', 'mined', 'confirmed', 'verified']).toContain(told.status);
  return until(
    `${call.decoded.function} verified`,
    async () => {
      const now = await client.getPrepared({ params: { id: call.id }, query: {} });
      return now.status === 'verified' ? now : undefined;
    },
    30_000,
  );
}

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

describe('settings', () => {
  test('behavior: the deviation guard is set on chain, shown, and audited', async () => {
    const call = await primary.prepareDeviationThreshold({
      body: { ...refOf(growth), deviation_threshold_bps: 4_000 },
    });
    expect(call.changes).toContainEqual(expect.objectContaining({ field: 'deviation_threshold_bps', after: 4_000 }));
    const done = await carryOut(primary, 1, call);
    expect(done.post_condition.ok).toBe(true);
    expect(done.history.map(({ state }) => state)).toEqual(
      expect.arrayContaining(['prepared', 'broadcast', 'verified']),
    );
    const settings = await primary.vaultSettings({
      params: { chain_id: String(growth.chain_id), vault_address: growth.vault_address },
    });
    expect(settings.pps.deviation_threshold_bps).toBe(4_000);
    await audited(growth, done.tx_hash, 'deviation_threshold_updated');
  }, 60_000);

  test('behavior: timelocked parameters are proposed, wait, refuse to be executed early, and are cancelled', async () => {
    const ref = refOf(growth);
    const settings = () =>
      primary.vaultSettings({ params: { chain_id: String(ref.chain_id), vault_address: ref.vault_address } });
    await carryOut(
      primary,
      1,
      await primary.prepareProposeExpiration({ body: { ...ref, expiration_seconds: 43_200 } }),
    );
    await carryOut(
      primary,
      1,
      await primary.prepareProposeMinUpdateInterval({ body: { ...ref, min_update_interval_seconds: 120 } }),
    );
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
    await carryOut(primary, 1, await primary.prepareCancelExpiration({ body: ref }));
    await carryOut(primary, 1, await primary.prepareCancelMinUpdateInterval({ body: ref }));
    expect((await settings()).pps).toMatchObject({ pending_expiration: null, pending_min_update_interval: null });
  }, 120_000);

  test('behavior: upkeep is paid in two steps, an approval and the deposit', async () => {
    const amount = '1000000000000000000';
    const { steps } = await primary.prepareDepositUpkeep({ body: { ...refOf(growth), amount } });
    expect(steps.map(({ decoded }) => decoded.function)).toEqual(['approve', 'depositUpkeep']);
    const [approval, deposit] = steps as [PreparedCall, PreparedCall];
    await carryOut(primary, 1, approval);
    const allowed = await primary.vaultSettings({
      params: { chain_id: String(growth.chain_id), vault_address: growth.vault_address },
    });
    expect(allowed.upkeep.wallet?.allowance).toBe(amount);
    // The call that could not be tried before the approval passes now.
    const again = await primary.getPrepared({ params: { id: deposit.id }, query: { recheck: 'true' } });
    const done = await carryOut(primary, 1, again);
    await audited(growth, done.tx_hash, 'upkeep_deposited');
  }, 90_000);
});

describe('pause', () => {
  test('behavior: the panic button is proven, pauses with a reason, and the release waits for a price', async () => {
    const params = { chain_id: String(reserve.chain_id), vault_address: reserve.vault_address };
    const proof = await primary.pauseProof({ params, query: { refresh: 'true' } });
    expect(proof).toMatchObject({ ok: true, call: 'pauseStrategy', is_stale: false });
    const pause = await primary.preparePause({ body: { ...refOf(reserve), reason: 'Drill of the panic button' } });
    const paused = await carryOut(primary, 1, pause);
    await until('is_paused', async () => (await primary.vault({ params })).is_paused);
    await audited(reserve, paused.tx_hash, 'strategy_paused');
    await until(
      'the reason',
      async () => (await primary.vault({ params })).pause?.reason === 'Drill of the panic button',
      20_000,
    );
    const rows = await auditOf(reserve, paused.tx_hash);
    expect(JSON.stringify(rows)).toContain('Drill of the panic button');
    await expect(primary.preparePause({ body: { ...refOf(reserve), reason: 'Again' } })).rejects.toMatchObject({
      status: 422,
      code: 'STRATEGY_ALREADY_PAUSED',
    });
    const release = await primary.prepareUnpause({ body: { ...refOf(reserve), reason: 'The drill is over' } });
    await carryOut(primary, 1, release);
    const released = await until('not paused', async () => {
      const vault = await primary.vault({ params });
      return vault.is_paused ? undefined : vault;
    });
    expect(['awaiting_price', 'live']).toContain(released.operational_state);
    await until('a price after the release', async () => !(await primary.vault({ params })).is_pps_stale, 150_000);
  }, 240_000);
});

describe('yield sources', () => {
  test('behavior: an oracle is changed, a source taken off and put back', async () => {
    const params = { chain_id: String(growth.chain_id), vault_address: growth.vault_address };
    const { yield_sources } = await primary.yieldSources({ params });
    const smallest = [...yield_sources].sort((a, b) => (a.share ?? 0) - (b.share ?? 0))[0];
    if (!smallest) throw new Error('WETH Growth has no yield source.');
    const { source_address, oracle_address } = smallest;
    const pair = { ...refOf(growth), source_address, oracle_address };
    await carryOut(primary, 1, await primary.prepareUpdateYieldSourceOracle({ body: pair }));
    await expect(primary.prepareAddYieldSource({ body: pair })).rejects.toMatchObject({
      status: 422,
      code: 'YIELD_SOURCE_ALREADY_EXISTS',
    });
    const secondary = (await signIn(2)).client;
    await expect(
      secondary.prepareRemoveYieldSource({ body: { ...refOf(growth), source_address } }),
    ).rejects.toMatchObject({ status: 403, code: 'ROLE_REQUIRED' });
  }, 90_000);
});

describe('access', () => {
  test('behavior: a role removed on chain is refused on the next request after it is indexed', async () => {
    const newcomer = account(55).address;
    const body = { ...refOf(growth), manager_address: newcomer };
    await carryOut(primary, 1, await primary.prepareAddSecondaryManager({ body }));
    const { client } = await signIn(55);
    await until('let in', () =>
      client.auditLogs({ query: queryOf(growth) }).then(
        () => true,
        () => false,
      ),
    );
    await carryOut(primary, 1, await primary.prepareRemoveSecondaryManager({ body }));
    await until('indexed', async () => {
      const { managers } = await primary.vault({
        params: { chain_id: String(growth.chain_id), vault_address: growth.vault_address },
      });
      return managers.secondary.every(({ wallet_address }) => wallet_address !== newcomer);
    });
    await expect(client.auditLogs({ query: queryOf(growth) })).rejects.toMatchObject({
      status: 403,
      code: 'ROLE_REQUIRED',
    });
  }, 90_000);

  test('behavior: of two who write over the same label one gets 409 and the present name', async () => {
    const wallet = account(4).address;
    const versionOf = async () => {
      const { users } = await primary.users({ query: queryOf(growth) });
      return users.find(({ user }) => user.wallet_address === wallet)?.user.label_version ?? 0;
    };
    const version = await versionOf();
    const label = (display_name: string) =>
      primary.setDisplayName({
        params: { wallet_address: wallet },
        body: { ...refOf(growth), display_name, version },
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
      body: { name: 'Reporting', scope: 'read', vault: refOf(growth), expires_in_seconds: 3_600 },
    });
    const reader = createClient({ baseUrl: baseUrl(), token: access_token });
    const detail = await reader.vault({
      params: { chain_id: String(growth.chain_id), vault_address: growth.vault_address },
    });
    expect(detail.my_role).toBe('primary_manager');
    await expect(
      reader.prepareDeviationThreshold({ body: { ...refOf(growth), deviation_threshold_bps: null } }),
    ).rejects.toMatchObject({ status: 403, code: 'SCOPE_REQUIRED' });
    await expect(reader.auditLogs({ query: queryOf(reserve) })).rejects.toMatchObject({ status: 403 });
    const other = await reader.vault({
      params: { chain_id: String(reserve.chain_id), vault_address: reserve.vault_address },
    });
    expect(other.my_role).toBeNull();
    await primary.revokeSession({ params: { id: session.id } });
    await until(
      'refused',
      () =>
        reader.me({}).then(
          () => false,
          (error: { status?: number }) => error.status === 401,
        ),
      2_000,
    );
  });
});

describe('audit', () => {
  test('behavior: the exported log verifies offline, and not without a row or with another byte', async () => {
    const response = await fetch(
      `${baseUrl()}/api/v1/audit/export?vault_address=${growth.vault_address}&chain_id=${growth.chain_id}&format=json`,
      { headers: { authorization: `Bearer ${(await signIn(1)).token}` } },
    );
    expect(response.status).toBe(200);
    const text = await response.text();
    const folder = mkdtempSync(join(tmpdir(), 'castellan-audit-'));
    const verify = (content: string): { ok: boolean; told: string } => {
      const file = join(folder, 'audit.json');
      writeFileSync(file, content);
      try {
        return {
          ok: true,
          told: execFileSync('npm', ['run', '-s', 'verify:audit', '--', file], { cwd: root, encoding: 'utf8' }),
        };
      } catch (error) {
        const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
        return { ok: false, told: `${stdout}${stderr}` };
      }
    };
    expect(verify(text)).toMatchObject({ ok: true });
    const whole = JSON.parse(text) as { rows: Row[] };
    expect(whole.rows.length).toBeGreaterThan(5);
    const without = { ...whole, rows: whole.rows.filter((_, place) => place !== 2) };
    expect(verify(JSON.stringify(without)).ok).toBe(false);
    expect(verify(text.replace('"deviation_threshold_updated"', '"deviation_threshold_updatee"')).ok).toBe(false);
  }, 60_000);
});
