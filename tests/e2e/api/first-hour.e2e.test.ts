import type { PublicVault } from '@castellan/contracts';
import { createClient } from '@castellan/sdk';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { account, baseUrl, chain, sendRaw, signIn, until } from '../../system/actors.ts';
import { promptMs } from '../../system/patience.ts';

type Client = Awaited<ReturnType<typeof signIn>>['client'];

const newcomer = account(54).address;
let core: PublicVault;
let primary: { token: string; client: Client };

const publicVaults = () => createClient({ baseUrl: baseUrl() }).publicVaults({});

beforeAll(async () => {
  const vaults = await publicVaults();
  const found = vaults.find(({ name }) => name === 'USDC Core');
  if (!found) throw new Error('USDC Core is not in the public list');
  core = found;
  primary = await signIn(1);
});

describe('the public list', () => {
  test('default: three vaults with TVL from the chain', async () => {
    const vaults = await publicVaults();
    expect(vaults.map(({ name }) => name).sort()).toEqual(['USDC Core', 'WBTC Reserve', 'WETH Growth']);
    for (const vault of vaults) {
      const total = await chain().readContract({
        address: vault.vault_address as `0x${string}`,
        abi: [
          {
            type: 'function',
            name: 'totalAssets',
            stateMutability: 'view',
            inputs: [],
            outputs: [{ type: 'uint256' }],
          },
        ],
        functionName: 'totalAssets',
        blockNumber: BigInt(vault.block_number),
      });
      expect(vault.total_assets).toBe(String(total));
      expect(vault.tvl_usd).toBeGreaterThan(0);
    }
  });
});

describe('sign-in', () => {
  test('default: account 1 is primary manager of three vaults', async () => {
    const me = await primary.client.me({});
    expect(me.wallet_address).toBe(account(1).address);
    expect(me.is_manager).toBe(true);
    expect(me.vaults.map(({ role }) => role)).toEqual(['primary_manager', 'primary_manager', 'primary_manager']);
  });

  test('default: account 4 is view-only, granted during the start', async () => {
    const { client } = await signIn(4);
    const me = await client.me({});
    expect(me.is_manager).toBe(false);
    expect(new Set(me.vaults.map(({ role }) => role))).toEqual(new Set(['view_only']));
  });

  test('error: a tampered token is 401', async () => {
    const [head, body, signature] = primary.token.split('.') as [string, string, string];
    const other = JSON.parse(Buffer.from(body, 'base64url').toString()) as Record<string, unknown>;
    other.wallet_address = account(50).address;
    const forged = `${head}.${Buffer.from(JSON.stringify(other)).toString('base64url')}.${signature}`;
    await expect(createClient({ baseUrl: baseUrl(), token: forged }).me({})).rejects.toMatchObject({ status: 401 });
  });

  test('behavior: a session that was logged out is refused at once', async () => {
    const { client } = await signIn(1);
    await client.logout({});
    await until(
      '401',
      async () =>
        client.me({}).then(
          () => false,
          (error: { status?: number }) => error.status === 401,
        ),
      promptMs,
    );
  });
});

describe('a secondary manager', () => {
  const listed = async () => {
    const { users } = await primary.client.users({
      query: { vault_address: core.vault_address, chain_id: String(core.chain_id) },
    });
    return users.find(({ user }) => user.wallet_address === newcomer);
  };
  const body = () => ({ vault_address: core.vault_address, chain_id: core.chain_id, manager_address: newcomer });
  const transaction = (tx_hash: string) =>
    primary.client.transaction({ params: { chain_id: String(core.chain_id), tx_hash } });

  async function removed(): Promise<void> {
    const hash = await sendRaw(1, await primary.client.prepareRemoveSecondaryManager({ body: body() }));
    await chain().waitForTransactionReceipt({ hash });
    await until('gone from /users', async () => !(await listed()), promptMs);
  }

  /** Follows the vault. @returns when updates of roles came, once the stream is open and the current vault was received. */
  async function rolesHeard(signal: AbortSignal): Promise<number[]> {
    const heard: number[] = [];
    await new Promise<void>((resolve, reject) => {
      const params = { chain_id: String(core.chain_id), vault_address: core.vault_address };
      const onEvent = ({ update }: { update: { kind: string } }) => {
        if (update.kind === 'roles') heard.push(Date.now());
        resolve();
      };
      primary.client.followVault({ params, signal, onEvent }).catch(reject);
    });
    return heard;
  }

  const abort = new AbortController();
  afterAll(() => abort.abort());

  test('behavior: added by a raw transaction it is streamed and listed at once; again it is refused; then it is removed', async () => {
    const { client } = primary;
    if (await listed()) await removed();
    const heard = await rolesHeard(abort.signal);
    const call = await client.prepareAddSecondaryManager({ body: body() });
    expect(call.simulation).toEqual({ ok: true, revert_reason: null });
    const hash = await sendRaw(1, call);
    await chain().waitForTransactionReceipt({ hash });
    const minedAt = Date.now();
    const user = await until('the newcomer in /users', listed);
    expect(Date.now() - minedAt).toBeLessThan(promptMs);
    expect(user.roles.map(({ role }) => role)).toContain('secondary_manager');
    const heardAt = await until('a roles event', async () => heard.find((at) => at > minedAt - promptMs));
    expect(heardAt - minedAt).toBeLessThan(promptMs);
    const status = await until('indexed', async () => {
      const read = await transaction(hash);
      return read.indexed ? read : undefined;
    });
    expect(status.status).toBe('mined');
    expect(status.events.map(({ name }) => name)).toContain('SecondaryManagerAdded');

    // Again: predicted by name; forced and sent, it is reported as reverted with the reason.
    await expect(client.prepareAddSecondaryManager({ body: body() })).rejects.toMatchObject({
      status: 422,
      code: 'MANAGER_ALREADY_EXISTS',
    });
    const forced = await client.prepareAddSecondaryManager({ body: body(), query: { force: 'true' } });
    expect(forced.simulation.ok).toBe(false);
    const failed = await sendRaw(1, forced, { gas: 300_000n });
    const reverted = await until('reverted', async () => {
      const read = await transaction(failed);
      return read.status === 'reverted' ? read : undefined;
    });
    expect(reverted.revert_reason).toContain('MANAGER_ALREADY_EXISTS');
    await removed();
  });

  test.each([
    [2, 'a secondary manager'],
    [4, 'a viewer'],
    [50, 'a stranger'],
  ])('error: account %i (%s) may not prepare', async (index) => {
    const { client } = await signIn(index);
    await expect(client.prepareAddSecondaryManager({ body: body() })).rejects.toMatchObject({
      status: 403,
      code: 'ROLE_REQUIRED',
    });
  });
});

describe('bad input', () => {
  const good = () => `${baseUrl()}/api/v1/vaults/31337/${core.vault_address}`;
  const cases: [string, () => [string, RequestInit?], number, string][] = [
    ['malformed address', () => [`${baseUrl()}/api/v1/vaults/31337/0x12`], 400, 'ADDRESS_MALFORMED'],
    [
      'wrong checksum',
      () => [`${baseUrl()}/api/v1/vaults/31337/0xF39fd6e51aad88F6F4ce6aB8827279cffFb92266`],
      400,
      'ADDRESS_CHECKSUM',
    ],
    ['unknown chain', () => [`${baseUrl()}/api/v1/vaults/424242/${core.vault_address}`], 404, 'CHAIN_NOT_FOUND'],
    ['unknown vault', () => [`${baseUrl()}/api/v1/vaults/31337/0x${'1'.repeat(40)}`], 404, 'VAULT_NOT_FOUND'],
    ['unknown route', () => [`${baseUrl()}/api/v1/nothing`], 404, 'ROUTE_NOT_FOUND'],
    ['wrong method', () => [good(), { method: 'PUT' }], 405, 'METHOD_NOT_ALLOWED'],
    ['unknown query parameter', () => [`${good()}?surprise=1`], 400, 'VALIDATION_FAILED'],
    ['a bad token', () => [good(), { headers: { authorization: 'Bearer nonsense' } }], 401, 'TOKEN_INVALID'],
    [
      'invalid JSON',
      () => [
        `${baseUrl()}/idp/v1/nonce`,
        { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{' },
      ],
      400,
      'MALFORMED_JSON',
    ],
    [
      'a huge body',
      () => [
        `${baseUrl()}/idp/v1/nonce`,
        {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ x: 'x'.repeat(2 ** 21) }),
        },
      ],
      413,
      'BODY_TOO_LARGE',
    ],
  ];
  test.each(cases)('error: %s', async (_, request, status, code) => {
    const response = await fetch(...request());
    expect([response.status, response.headers.get('content-type')?.split(';')[0]]).toEqual([
      status,
      'application/problem+json',
    ]);
    const problem = (await response.json()) as { code: string; request_id: string };
    expect(problem.code).toBe(code);
    expect(problem.request_id).toBe(response.headers.get('x-request-id'));
  });
});
