import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { Keystore } from 'ox';
import { type Answer, aChain, account, address, detail, folder, key, run, vault } from '../test/deployment.ts';
import { command, runCommand, UsageError } from './index.ts';

describe('the command line', () => {
  test('default: version, help of all and of one', async () => {
    expect(await run(['--version'])).toMatchObject({ code: 0, out: 'castellan 1.2.3\n' });
    expect((await run(['--help'])).out).toContain('castellan vault show VAULT');
    const { code, out } = await run(['vault', 'watch', '--help']);
    expect([code, out]).toEqual([0, expect.stringMatching(/^castellan vault watch VAULT .*--count N/)]);
  });

  test('behavior: of a word that several commands begin with, the help has those', async () => {
    const { code, out } = await run(['vault', '--help']);
    expect([code, out.match(/castellan \S+ \S+/g)]).toEqual([
      0,
      ['castellan vault show', 'castellan vault watch', 'castellan COMMAND --help', 'castellan is npm'],
    ]);
    const wrong = await run(['vault', 'sell']);
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('There is no command "vault sell".')]);
    expect((await run(['nonsense', '--help'])).out).toContain('castellan vaults');
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
    [403, 'ROLE_REQUIRED', 3],
    [422, 'INVALID_TIMESTAMP', 4],
    [409, 'MANDATE_REFUSES', 4],
    [409, 'VERSION_CONFLICT', 2],
    [404, 'VAULT_NOT_FOUND', 2],
    [500, 'INTERNAL', 2],
  ])('default: an answer of %d ends with its code, and says what to do next', async (status, code, exit) => {
    const answers = { '/vaults': () => Response.json({ code, detail: 'no' }, { status }) };
    const { code: ended, err } = await run(['vaults'], { answers });
    expect([ended, err.split('\n')]).toEqual([exit, [`${status} ${code}: no`, expect.stringMatching(/\.$/), '']]);
  });

  test('error: a deployment that does not answer is named, with the reason, and ends with 5', async () => {
    const args = ['login', '--url', 'http://127.0.0.1:1'];
    const away: typeof fetch = async () => {
      throw new TypeError('fetch failed', { cause: Object.assign(new Error(''), { code: 'ECONNREFUSED' }) });
    };
    const { code, err } = await run(args, { env: { WALLET_PRIVATE_KEY: key }, fetch: away });
    expect([code, err]).toEqual([
      5,
      expect.stringMatching(/^Nobody answers at http:\/\/127\.0\.0\.1:1 \(ECONNREFUSED\)/),
    ]);
  });

  test.each([
    ['a fault of the program', new TypeError('Map.groupBy is not a function'), 2],
    ['a fault of the machine', Object.assign(new Error('EACCES'), { syscall: 'open' }), 2],
    ['what failed', new Error('It is there already.'), 1],
  ])('error: %s is no fault that a check found, or is one', async (_, fault, exit) => {
    const broken = command({ path: 'broken', summary: '', run: () => Promise.reject(fault) });
    const world = { env: {}, out: () => undefined, err: () => undefined };
    expect(await runCommand([broken], '', ['broken'], world)).toBe(exit);
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

describe('completions', () => {
  test.each([
    ['vault s', 'show'],
    ['prepare skim', 'skim_fees'],
    ['vault show USDC --j', '--json'],
    ['completion z', 'zsh'],
    ['nonsense lo', 'login logout'],
  ])('default: bash completes "castellan %s" with %s', async (line, completed) => {
    const { out } = await run(['completion', 'bash']);
    const words = `castellan ${line}`.split(' ');
    const script = `${out}\nCOMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _castellan; echo "\${COMPREPLY[@]}"`;
    expect(spawnSync('bash', ['-c', script], { encoding: 'utf8' }).stdout.trim()).toBe(completed);
  });

  test('default: zsh reads those of bash, fish has its own', async () => {
    expect((await run(['completion', 'zsh'])).out).toMatch(/^autoload -U \+X bashcompinit/);
    expect((await run(['completion', 'fish'])).out).toContain("'castellan vault*'");
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

  test('default: one vault in full, by name or by chain and address', async () => {
    const one = { ...answers, [`/vaults/31337/${detail.vault_address}`]: detail };
    const { code, out } = await run(['vault', 'show', 'usdc core'], { answers: one });
    expect([code, out]).toEqual([0, expect.stringMatching(/^name +USDC Core \(cUSDC\)\n/)]);
    const { asked } = await run(['vault', 'show', `31337:${detail.vault_address}`, '--json'], { answers: one });
    expect(asked).toHaveLength(1);
  });

  test('default: updates as they come, until there were enough', async () => {
    const event = (id: number) => {
      const update = { chain_id: 31337, vault_address: detail.vault_address, kind: 'pps', block_number: id };
      return `id: ${id}\nevent: pps\ndata: ${JSON.stringify(update)}\n\n`;
    };
    const stream = () =>
      new Response([1, 2, 3].map(event).join(''), { headers: { 'content-type': 'text/event-stream' } });
    const args = ['vault', 'watch', 'cUSDC', '--count', '2'];
    expect(await run(args, { answers: { ...answers, '/stream': stream } })).toMatchObject({
      code: 0,
      out: '1  pps\n2  pps\n',
    });
  });

  test('default: a strategy is checked, and replayed', async () => {
    const file = join(folder, 'strategy.json');
    writeFileSync(file, '{ "name": "Deposit what is idle" }');
    const position = { offset: 0, line: 1, column: 2 };
    const fault = { path: 'rules.expr', code: 'NAME', message: 'No such variable.', position, suggestion: 'tvl' };
    const warning = { path: 'name', code: 'LONG', message: 'Long.' };
    const found = { ok: false, errors: [fault], warnings: [warning], decision: null };
    const checked = await run(['strategy', 'check', file, 'cUSDC'], { answers: { ...answers, '/validate': found } });
    expect([checked.code, checked.out.split('\n')]).toEqual([
      1,
      [
        `${file}: rules.expr 1:2: No such variable. Did you mean tvl?`,
        `${file}: name: warning: Long.`,
        '1 faults.',
        '',
      ],
    ]);
    const t = '2026-06-01T12:00:00.000Z';
    const result = {
      vault_id: '1:0x',
      kind: 'backtest',
      from: t,
      to: t,
      snapshots: { total: 1, recorded: 1, observed: 0, projected: 0 },
      strategies: [],
      firings: [],
      firings_omitted: 0,
      points: [],
      gained_assets: '0',
      assumptions: ['No slippage.'],
    };
    const replayed = await run(['strategy', 'backtest', file, 'cUSDC'], {
      answers: { ...answers, '/backtest': result },
    });
    expect([replayed.code, replayed.out]).toEqual([0, expect.stringContaining('assumed: No slippage.\n')]);
    expect((await run(['strategy', 'check', folder, 'cUSDC'])).code).toBe(2);
  });

  test('behavior: a name that several have is asked for by address', async () => {
    const two = { '/public/vaults': [vault, { ...vault, vault_address: address('33') }] };
    expect((await run(['vault', 'show', 'usdc core'], { answers: two })).err).toContain('give chain and address');
  });

  test('default: an export is written to a file, never over another', async () => {
    const files = { ...answers, '/audit/export': () => new Response('{ "as": "written" }') };
    const args = ['export', 'audit', 'cUSDC', '--json', '--to', 'audit.json'];
    const env = { INIT_CWD: folder };
    expect((await run(args, { answers: files, env })).code).toBe(0);
    expect(readFileSync(join(folder, 'audit.json'), 'utf8')).toBe('{ "as": "written" }');
    expect(await run(args, { answers: files, env })).toMatchObject({ code: 2, err: expect.stringContaining('EEXIST') });
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
    ['a keystore that is not there', ['--keystore', 'gone.json'], [], 'There is no file'],
    ['a passphrase that is not there', ['--keystore', 'key.json', '--passphrase-file', 'gone'], [], 'There is no file'],
  ])('error: %s is refused, and nothing of the key is said', async (_, args, typed, message) => {
    const paths = args.map((arg) => (arg.startsWith('--') ? arg : join(folder, arg)));
    const { code, err } = await run(['login', ...paths], { answers, typed });
    expect([code > 0, err]).toEqual([true, expect.stringContaining(message)]);
    expect(err).not.toContain(key.slice(2));
  });

  test('security: a key or a file that is broken is not shown', async () => {
    const broken = await run(['login'], { answers, env: { WALLET_PRIVATE_KEY: `${key}ff` } });
    expect([broken.code, broken.err]).toEqual([2, expect.stringContaining('64 hexadecimal digits')]);
    await run(['login', '--address', account.address], { answers, typed: ['0x51'] });
    writeFileSync(session(), '{ "access_token": "secret-tok');
    const { code, err } = await run(['whoami'], { answers });
    expect([code, err]).toEqual([2, `${session()} cannot be read. Remove it and sign in again.\n`]);
    expect(broken.err).not.toContain(key.slice(2));
    rmSync(session());
  });

  test('error: nobody at the terminal is asked nothing', async () => {
    expect((await run(['login', '--address', account.address], { answers })).err).toContain('Nobody is there');
    const args = ['login', '--keystore', join(folder, 'key.json')];
    expect((await run(args, { answers })).err).toContain('Nobody is there');
  });
});
