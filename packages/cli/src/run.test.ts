import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aVault } from '@castellan/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Keystore } from 'ox';
import { toFunctionSelector } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { askedOf } from './calls.ts';
import { apiCommands, command, runCommand, UsageError, type World, withCompletion } from './index.ts';

const key = `0x${'11'.repeat(32)}` as const;
const account = privateKeyToAccount(key);
const address = (byte: string) => `0x${byte.repeat(20)}`;
const aChain = {
  chain_id: 1,
  slug: 'ethereum',
  name: 'Ethereum',
  explorer_url: null,
  native_symbol: 'ETH',
  head_block: 1,
  indexed_block: 1,
  lag_seconds: 0,
};
const detail = aVault({ name: 'USDC Core', symbol: 'cUSDC', total_assets: '1500000' });
const vault = {
  ...detail,
  underlying_asset_symbol: 'USDC',
  underlying_asset_decimals: 6,
  underlying_asset_address: detail.asset.address,
};

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'castellan-cli-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Answer = object | ((body: Record<string, string>) => Response);
type Parts = { env?: World['env']; answers?: Record<string, Answer>; typed?: string[] };

/** Runs a command against a deployment that answers by the end of a path; what it says and what was asked. */
async function run(args: string[], { env = {}, answers = {}, typed }: Parts = {}) {
  const said = { out: '', err: '' };
  const asked: { path: string; token: string | null; origin: string }[] = [];
  const questions: [string, boolean | undefined][] = [];
  const fake: typeof fetch = async (url, init) => {
    const { pathname, origin } = new URL(String(url));
    asked.push({ path: pathname, origin, token: new Headers(init?.headers).get('authorization') });
    const found = Object.entries(answers).find(([end]) => pathname.endsWith(end))?.[1];
    if (found === undefined) return Response.json({ code: 'VAULT_NOT_FOUND', detail: 'None.' }, { status: 404 });
    const body = typeof init?.body === 'string' ? JSON.parse(init.body) : {};
    return typeof found === 'function' ? found(body) : Response.json(found);
  };
  const world: World = {
    env: { XDG_CONFIG_HOME: join(folder, 'config'), CASTELLAN_URL: 'https://app.example.org', ...env },
    out: (text) => {
      said.out += text;
    },
    err: (text) => {
      said.err += text;
    },
    fetch: fake,
    ...(typed === undefined
      ? {}
      : {
          ask: async (question: string, isSecret?: boolean) => {
            questions.push([question, isSecret]);
            return typed.shift() ?? '';
          },
        }),
  };
  const code = await runCommand(withCompletion(apiCommands), 'castellan 1.2.3', args, world);
  return { code, ...said, asked, questions };
}

describe('the command line', () => {
  test('default: version, help of all and of one', async () => {
    expect(await run(['--version'])).toMatchObject({ code: 0, out: 'castellan 1.2.3\n' });
    expect((await run(['--help'])).out).toContain('castellan vault show VAULT');
    const { code, out } = await run(['vault', 'watch', '--help']);
    expect([code, out]).toEqual([0, expect.stringMatching(/^castellan vault watch VAULT .*--count N/)]);
  });

  test.each([
    [['vault'], 'There is no command "vault".'],
    [[], 'Which command?'],
    [['vault', 'show'], 'VAULT is missing'],
    [['vaults', 'x'], '"x" is one too many.'],
    [['vaults', '--what'], "Unknown option '--what'"],
    [['vaults', '--url', 'nowhere'], 'is no URL'],
    [['vault', 'watch', 'USDC Core', '--count', '0'], '--count'],
    [['export', 'pps', 'USDC Core', '--format', 'xml'], 'There is no format xml'],
    [['export', 'dust', 'USDC Core'], 'There is no data set dust'],
    [['completion', 'csh'], 'bash, zsh, fish'],
  ])('error: %j ends with 2 and says how it is used', async (args, message) => {
    const { code, err } = await run(args, { answers: { '/public/vaults': [] } });
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
    expect(err).toContain('castellan ');
  });

  test.each([
    [401, 'TOKEN_EXPIRED', 3],
    [422, 'ROLE_REQUIRED', 4],
    [404, 'VAULT_NOT_FOUND', 1],
  ])('default: an answer of %d ends with its code, and says what to do next', async (status, code, exit) => {
    const answers = { '/vaults': () => Response.json({ code, detail: 'no' }, { status }) };
    const { code: ended, err } = await run(['vaults'], { answers });
    expect([ended, err.split('\n')]).toEqual([exit, [`${status} ${code}: no`, expect.stringMatching(/\.$/), '']]);
  });

  test('behavior: a command with arguments of its own gets them as they are', async () => {
    const given: (readonly string[])[] = [];
    const own = command({
      path: 'own thing',
      summary: '',
      hasOwnArguments: true,
      run: async ({ operands }) => {
        given.push(operands);
        if (operands.includes('wrong')) throw new UsageError('No.', 'own usage\n');
        return 7;
      },
    });
    const said: string[] = [];
    const world = { env: {}, out: () => undefined, err: (text: string) => void said.push(text) };
    expect(await runCommand([own], '', ['own', 'thing', '--help', 'x'], world)).toBe(7);
    expect(await runCommand([own], '', ['own', 'thing', 'wrong'], world)).toBe(2);
    expect([given, said.join('')]).toEqual([[['--help', 'x'], ['wrong']], 'No.\n\nown usage\n']);
  });
});

describe('reading', () => {
  const answers = { '/public/vaults': [vault] };

  test('default: a table, or JSON', async () => {
    const { code, out } = await run(['vaults'], { answers });
    const [head, line] = out.split('\n');
    expect([code, head, line]).toEqual([
      0,
      expect.stringMatching(/^vault +name +assets/),
      expect.stringContaining('1.5 USDC'),
    ]);
    expect(JSON.parse((await run(['vaults', '--json'], { answers })).out)).toMatchObject([{ name: 'USDC Core' }]);
  });

  test('behavior: a name that several have is asked for by address', async () => {
    const two = { '/public/vaults': [vault, { ...vault, vault_address: address('33') }] };
    expect((await run(['vault', 'show', 'usdc core'], { answers: two })).err).toContain('give chain and address');
  });

  test('default: an export is written to a file, never over another', async () => {
    const to = join(folder, 'audit.json');
    const files = { ...answers, '/audit/export': () => new Response('{ "as": "written" }') };
    const args = ['export', 'audit', 'cUSDC', '--json', '--to', to];
    expect((await run(args, { answers: files })).code).toBe(0);
    expect(await run(args, { answers: files })).toMatchObject({ code: 1, err: expect.stringContaining('EEXIST') });
  });
});

describe('signing in', () => {
  const challenge = {
    nonce: 'n',
    issued_at: '2026-06-01T12:00:00.000Z',
    expires_at: '2026-06-01T12:05:00.000Z',
    siwe_message: `app.example.org wants you to sign in with your Ethereum account:\n${account.address}\n\nURI: https://app.example.org`,
    typed_data: {
      domain: { name: 'Castellan', version: '1', chainId: 1 },
      types: { Authentication: [{ name: 'uri', type: 'string' }] },
      primaryType: 'Authentication',
      message: {
        wallet: account.address,
        uri: 'https://app.example.org',
        statement: '',
        nonce: 'n',
        issuedAt: '',
        expirationTime: '',
      },
    },
  };
  const sent: Record<string, string>[] = [];
  const answers: Record<string, Answer> = {
    '/idp/v1/nonce': challenge,
    '/idp/v1/token': (body) => {
      sent.push(body);
      return Response.json({
        access_token: 'secret-token',
        expires_in: 600,
        token_type: 'Bearer',
        wallet_address: account.address,
      });
    },
    '/idp/v1/logout': () => new Response(null, { status: 204 }),
    '/auth/me': { wallet_address: account.address, is_manager: true, vaults: [] },
    '/chains': { chains: [aChain] },
  };
  const session = () => join(folder, 'config/castellan/session.json');

  beforeAll(async () => {
    const [password, options] = Keystore.pbkdf2({ password: 'a passphrase', iterations: 1_000 });
    const keystore = await Keystore.encrypt(key, password, options);
    writeFileSync(join(folder, 'key.json'), JSON.stringify(keystore));
    writeFileSync(join(folder, 'passphrase'), 'a passphrase\n', { mode: 0o600 });
    writeFileSync(join(folder, 'open'), 'a passphrase\n', { mode: 0o644 });
  });

  test('default: with a keystore; the token is kept for this user alone, used there, and forgotten', async () => {
    const args = ['login', '--keystore', join(folder, 'key.json'), '--passphrase-file', join(folder, 'passphrase')];
    const { code, out } = await run(args, { answers });
    expect([code, out]).toEqual([0, expect.stringContaining(account.address)]);
    expect(out).not.toContain('secret-token');
    expect(sent.at(-1)).toMatchObject({ method: 'eip712' });
    expect(statSync(session()).mode & 0o777).toBe(0o600);
    expect((await run(['whoami'], { answers })).asked[0]?.token).toBe('Bearer secret-token');
    expect(await run(['logout'], { answers })).toMatchObject({ code: 0, out: 'Signed out.\n' });
    expect(() => statSync(session())).toThrow('ENOENT');
  });

  test('default: with a signature that is pasted', async () => {
    const { err, questions } = await run(['login', '--address', account.address], { answers, typed: [' 0x51 '] });
    expect(err).toContain(challenge.siwe_message);
    expect(questions).toEqual([['Signature: ', undefined]]);
    expect(sent.at(-1)).toMatchObject({ method: 'siwe', signature: '0x51' });
  });

  test('default: the passphrase is asked for without showing it', async () => {
    const args = ['login', '--keystore', join(folder, 'key.json')];
    const { code, questions } = await run(args, { answers, typed: ['a passphrase'] });
    expect([code, questions]).toEqual([0, [['Passphrase of the keystore: ', true]]]);
  });

  test('security: the token goes to the deployment that gave it, and to no other', async () => {
    await run(['login', '--address', account.address], { answers, typed: ['0x51'] });
    const elsewhere = await run(['whoami', '--url', 'https://evil.example.org'], { answers });
    expect(elsewhere.asked).toEqual([{ path: '/api/v1/auth/me', origin: 'https://evil.example.org', token: null }]);
    const named = await run(['whoami'], { answers, env: { CASTELLAN_TOKEN: 'own' } });
    expect(named.asked[0]?.token).toBe('Bearer own');
  });

  test.each([
    ['another passphrase', ['--keystore', 'key.json'], ['wrong'], 'does not open'],
    ['a passphrase that others may read', ['--keystore', 'key.json', '--passphrase-file', 'open'], [], 'chmod 600'],
    ['no key', [], [], 'Name a --keystore'],
  ])('error: %s is refused, and nothing of the key is said', async (_, args, typed, message) => {
    const paths = args.map((arg) => (arg.startsWith('--') ? arg : join(folder, arg)));
    const { code, err } = await run(['login', ...paths], { answers, typed });
    expect([code > 0, err]).toEqual([true, expect.stringContaining(message)]);
    expect(err).not.toContain(key.slice(2));
  });

  test('error: nobody at the terminal is asked nothing', async () => {
    expect((await run(['login', '--address', account.address], { answers })).err).toContain('Nobody is there');
    const args = ['login', '--keystore', join(folder, 'key.json')];
    expect((await run(args, { answers })).err).toContain('Nobody is there');
  });
});

describe('preparing', () => {
  const call = {
    id: 'c1',
    to: address('33'),
    data: '0x1234',
    value: '0',
    chain_id: detail.chain_id,
    description: 'Skims the performance fee.',
    decoded: { function: 'skimPerformanceFee', args: {} },
    simulation: { ok: true, revert_reason: null },
    preconditions: [],
    changes: [{ field: 'fee', before: null, after: '5' }],
    post_condition: { description: '' },
    expires_at: '2026-06-01T12:05:00.000Z',
    signer: { wallet_address: account.address, kind: 'eoa', package: null },
  };
  const skim = { ...call, to: vault.strategy_address, data: toFunctionSelector('function skimPerformanceFee()') };
  const answersWith = (prepared: object) => ({
    '/public/vaults': [vault],
    [`/vaults/${detail.chain_id}/${detail.vault_address}`]: detail,
    '/prepare': prepared,
  });

  test('security: a call that is not what was asked for is shown as such, ends with 4 and is not sent', async () => {
    const args = ['prepare', 'skim_fees', 'USDC Core', '--send', '--yes'];
    const { code, err, asked } = await run(args, { answers: answersWith(call), env: { WALLET_PRIVATE_KEY: key } });
    expect([code, err]).toEqual([4, expect.stringContaining('DO NOT SIGN')]);
    expect(asked.some(({ path }) => path.includes('/prepared/'))).toBe(false);
  });

  test('default: what changes is shown before and after, with the digest; JSON has the same', async () => {
    const reverting = { ...skim, simulation: { ok: false, revert_reason: 'NOT_YOU' } };
    const { out } = await run(['prepare', 'skim_fees', 'USDC Core'], { answers: answersWith(reverting) });
    expect(out).toMatch(/digest +0x[0-9a-f]{64}\n/);
    expect(out).toMatch(/what changes +before +after\n +fee +- +5\n/);
    const { code, out: json } = await run(['prepare', 'skim_fees', 'USDC Core', '--json'], {
      answers: answersWith(skim),
    });
    expect([code, JSON.parse(json)]).toEqual([0, [expect.objectContaining({ problems: [], refusals: [] })]]);
  });

  const rpc = { RPC_URL: 'http://127.0.0.1:9' };
  const withKey = { WALLET_PRIVATE_KEY: key };
  test.each<[string, World['env'], string[] | undefined, number, string]>([
    ['without a key', rpc, undefined, 2, 'Which key sends it?'],
    ['without a node', withKey, undefined, 2, 'Which node takes the transaction?'],
    ['that nobody can confirm', { ...rpc, ...withKey }, undefined, 2, 'pass --yes'],
    ['that is not confirmed', { ...rpc, ...withKey }, ['y'], 1, 'Nothing was sent.'],
  ])('security: a call %s is not sent', async (_, env, typed, exit, message) => {
    const args = ['prepare', 'skim_fees', 'USDC Core', '--send'];
    const { code, err, asked } = await run(args, { answers: answersWith(skim), env, ...(typed ? { typed } : {}) });
    expect([code, err]).toEqual([exit, expect.stringContaining(message)]);
    expect(asked.some(({ path }) => path.includes('/prepared/'))).toBe(false);
  });

  test('default: fields are text or JSON, as the change has them', () => {
    expect(
      askedOf('propose_fees', ['performance_fee_bps=900', 'management_fee_bps=0', `recipient=${address('44')}`]),
    ).toEqual({
      kind: 'propose_fees',
      args: { performance_fee_bps: 900, management_fee_bps: 0, recipient: address('44') },
    });
    expect(askedOf('pause', ['reason=1 = 1'])).toEqual({ kind: 'pause', args: { reason: '1 = 1' } });
    expect(askedOf('deposit_upkeep', ['amount=1000'])).toEqual({ kind: 'deposit_upkeep', args: { amount: '1000' } });
    expect(askedOf('set_deviation_threshold', ['deviation_threshold_bps=null']).args).toEqual({
      deviation_threshold_bps: null,
    });
  });

  test.each([
    ['dance', [], 'There is no change dance'],
    ['pause', ['reason'], 'is not FIELD=VALUE'],
    ['pause', ['why=x'], 'Fields: reason'],
    ['propose_fees', ['performance_fee_bps=much'], 'performance_fee_bps:'],
  ])('error: %s %j is refused with what is allowed', (kind, words, message) => {
    expect(() => askedOf(kind, words)).toThrow(message);
  });
});
