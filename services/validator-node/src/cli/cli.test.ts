import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keyService, manualClock, servedKey, web3signer } from '@castellan/testkit';
import { afterAll, describe, expect, test } from '@jest/globals';
import { bytesToHex } from '@noble/hashes/utils.js';
import { privateKeyToAddress } from 'viem/accounts';
import { encryptKey } from '../keys/keystore.ts';
import { createMetrics, type Metrics } from '../monitoring/metrics.ts';
import { main } from './main.ts';
import type { World } from './world.ts';

const root = mkdtempSync(join(tmpdir(), 'castellan-cli-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function cli(argv: string[], more: Partial<World> = {}) {
  let out = '';
  let err = '';
  const code = await main({
    argv,
    env: {},
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    fetch: () => Promise.reject(Object.assign(new Error('fetch failed'), { cause: { code: 'ECONNREFUSED' } })),
    sleep: async () => undefined,
    now: () => 0,
    scryptCost: { n: 1024, r: 8, p: 1 },
    ...more,
  });
  return { code, out, err };
}

function config(more = '') {
  const folder = mkdtempSync(join(root, 'config-'));
  writeFileSync(
    join(folder, 'chains.toml'),
    `[[chains]]\nname = "local"\nchain_id = 31337\nhttps_rpc = ["http://127.0.0.1:1"]\n${['ecdsa_oracle', 'super_governor'].map((name) => `${name}_address = "0x${'0'.repeat(39)}1"`).join('\n')}\n`,
  );
  writeFileSync(
    join(folder, 'config.toml'),
    `[node]\nnode_id = "n"\n[keys]\nkey_file_path = "k"\npassword_file = "p"\n[bus]\nurls = ["nats://h"]\n[database]\nurl = "mongodb://u:hunter22hunter@h"\n[ocr2]\nconfig_sync_chain_id = 31337\n[monitoring]\nmetrics_port = 7001\nhealth_port = 7002\n${more}`,
  );
  return join(folder, 'config.toml');
}

describe('usage', () => {
  test('default: help names every command, and each command its options', async () => {
    const { code, out } = await cli(['--help']);
    expect(code).toBe(0);
    for (const name of ['run', 'validate', 'status', 'check', 'keys generate', 'keys export', 'keys import']) {
      expect(out).toContain(`  ${name} `);
      const help = await cli([...name.split(' '), '--help']);
      expect(help).toMatchObject({ code: 0, out: expect.stringContaining(`Usage: castellan-validator ${name}`) });
    }
  });

  test('error: unknown commands and options end with 2 and the help', async () => {
    expect(await cli([])).toMatchObject({ code: 2 });
    expect(await cli(['keys', 'delete'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('Unknown command: keys delete'),
    });
    expect(await cli(['status', '--colour'])).toMatchObject({ code: 2, err: expect.stringContaining('--colour') });
    expect(await cli(['keys', 'export'])).toMatchObject({ code: 2 });
  });
});

describe('validate and run', () => {
  test('behavior: the configuration masked on stdout, 0', async () => {
    const { code, out, err } = await cli(['validate', '-c', config()]);
    expect([code, err]).toEqual([0, expect.stringContaining('is valid')]);
    expect(out).toContain('url = "mongodb://h/[secret]"');
    expect(out).not.toContain('hunter22');
  });

  test('error: every fault on stderr, 2', async () => {
    const { code, out, err } = await cli([
      'validate',
      '-c',
      config('log_levle = 1\nbind = 2\n'),
      '--set',
      'node.node_id=X',
    ]);
    expect(code).toBe(2);
    expect(out).toContain('node_id');
    expect(err).toMatch(/3 fault\(s\)/);
    expect(err).toMatch(
      /config\.toml:15:1: monitoring\.log_levle: got an unknown key, expected a known key; did you mean log_level\?/,
    );
  });

  test('behavior: run hands over the configuration; with faults it does not start', async () => {
    const started: string[] = [];
    const run: World['run'] = async (configs) => {
      started.push(configs.map(({ node }) => node.node_id).join('+'));
      return 0;
    };
    expect(await cli(['run', '-c', config()], { run })).toMatchObject({ code: 0 });
    expect(await cli(['run', '-c', config('bind = 1')], { run })).toMatchObject({ code: 2 });
    const two = ['run', '-c', config(), '-c', config()];
    expect(await cli(two, { run })).toMatchObject({ code: 0 });
    expect(await cli([...two, '-c', config('bind = 1')], { run })).toMatchObject({ code: 2 });
    expect(started).toEqual(['n', 'n+n']);
  });

  test('behavior: with --json the faults alone, and still 2', async () => {
    const good = await cli(['validate', '-c', config(), '--json']);
    expect([good.code, JSON.parse(good.out)]).toEqual([0, { ok: true, faults: [] }]);
    const { code, out } = await cli(['validate', '-c', config('log_levle = 1\n'), '--json']);
    expect([code, JSON.parse(out)]).toMatchObject([2, { ok: false, faults: [{ path: 'monitoring.log_levle' }] }]);
    expect(out).not.toContain('hunter22');
  });

  test('behavior: the templates are printed', async () => {
    expect((await cli(['validate', '--template'])).out).toContain('[monitoring]');
    expect((await cli(['validate', '--chains-template'])).out).toContain('[[chains]]');
  });
});

describe('bus permissions', () => {
  const key = 'ab'.repeat(32);

  test('default: of the network of the configuration, for the keys that are given', async () => {
    const { code, out } = await cli(['bus', 'permissions', '-c', config(), '--key', key]);
    expect(code).toBe(0);
    expect(out).toMatch(new RegExp(`publish: \\{ allow: \\[\\s+"ocr2\\.castellan\\.\\*\\.${key}\\.\\*"`));
  });

  test('error: what is no key', async () => {
    expect(await cli(['bus', 'permissions', '-c', config(), '--key', 'ab'])).toMatchObject({ code: 2 });
  });
});

describe('status and check', () => {
  const strategy = '0x00000000000000000000000000000000000000AA';

  function node(version = 4n) {
    const clock = manualClock();
    const metrics = createMetrics({
      chains: [{ chainId: 31337, strategies: [strategy] }],
      version: '1',
      now: clock.now,
      healthCheckIntervalMs: 3_600_000,
      tickMs: 1e9,
      processMetrics: false,
    });
    metrics.observe({ type: 'config_active', digest: '0xaa', version, signers: 4, f: 1, firstAfterStart: true });
    let healthy = true;
    const asked: string[] = [];
    const fetch: World['fetch'] = async (url) => {
      asked.push(url);
      const body = url.endsWith('/metrics') ? await metrics.registry.metrics() : '{"status":"ok"}';
      return { status: healthy ? 200 : 503, text: async () => body };
    };
    const sleep = async (ms: number) => clock.advance(ms);
    const heal = (value: boolean) => {
      healthy = value;
    };
    return { metrics, clock, asked, heal, world: { fetch, sleep, now: clock.now } satisfies Partial<World> };
  }
  const hear = (metrics: Metrics, blockSeconds: number) =>
    metrics.observe({ type: 'price_validated', chainId: 31337, strategy, blockSeconds, headSeconds: blockSeconds });

  test('behavior: a summary in words, from the ports of the configuration', async () => {
    const { metrics, clock, world, asked } = node();
    hear(metrics, clock.now() / 1000 - 720);
    metrics.observe({ type: 'transmit_finished', chainId: 31337, status: 'success', seconds: 1 });
    const { code, out } = await cli(['status', '-c', config()], world);
    expect(asked).toEqual(['http://127.0.0.1:7001/metrics', 'http://127.0.0.1:7002/healthz']);
    expect(code).toBe(0);
    expect(out).toContain('version 4, 4 signers, f 1');
    expect(out).toContain('1 success, 0 failure');
    expect(out).toContain(`${strategy} on chain 31337: updated 12 min ago\n`);
    clock.advance(3_600_000);
    metrics.staleness.watch(31337, [strategy]);
    expect((await cli(['status', '-c', config()], world)).out).toContain(
      'updated 1 h 12 min ago'.replace('1 h 12', '72'),
    );
    metrics.close();
    expect(await cli(['status', '-c', config()], world)).toMatchObject({
      code: 1,
      out: expect.stringContaining('node           down'),
    });
  });

  test('default: with --json what the node says of itself, as far as it does', async () => {
    const { metrics, clock, world } = node();
    hear(metrics, clock.now() / 1000 - 720);
    const { code, out } = await cli(['status', '-c', config(), '--json'], world);
    expect([code, JSON.parse(out)]).toMatchObject([
      0,
      {
        is_up: true,
        health: 200,
        configuration: { version: 4, signers: 4, f: 1 },
        transmissions: { success: 0, failure: 0 },
        strategies: [{ chain_id: '31337', strategy, updated_seconds_ago: 720, is_stale: false }],
      },
    ]);
    const { world: silent, metrics: closed } = node();
    closed.close();
    const down = await cli(['status', '-c', config(), '--json'], silent);
    expect([down.code, JSON.parse(down.out)]).toMatchObject([1, { is_up: false }]);
  });

  test('error: a node that does not answer', async () => {
    expect(await cli(['status', '-c', config()])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/7001\/metrics does not answer \(ECONNREFUSED\)/),
    });
  });

  const check = (world: Partial<World>, ...more: string[]) =>
    cli(['check', '-c', config(), '--within', '1m', ...more], world);

  test('behavior: three steps, the last once every price advanced', async () => {
    const { metrics, clock, world } = node();
    hear(metrics, 100);
    const sleep = async (ms: number) => {
      clock.advance(ms);
      hear(metrics, 112);
    };
    const { code, out } = await check({ ...world, sleep }, '--expect-version', '4', '--expect-signers', '4');
    expect(out.split('\n').map((line) => line.slice(0, 8))).toEqual(['1/3 ok  ', '2/3 ok  ', '3/3 ok  ', '']);
    expect(code).toBe(0);
  });

  test('error: each step that fails ends it', async () => {
    const sick = node();
    sick.heal(false);
    expect(await check(sick.world)).toMatchObject({ code: 1, out: expect.stringMatching(/^1\/3 FAIL health: 503/) });
    const { world, metrics } = node();
    hear(metrics, 100);
    expect(await check(world, '--expect-version', '5')).toMatchObject({
      code: 1,
      out: expect.stringContaining('2/3 FAIL configuration: version 4 (expected 5), signers 4'),
    });
    expect(await check(world, '--expect-signers', '7')).toMatchObject({
      code: 1,
      out: expect.stringContaining('signers 4 (expected 7)'),
    });
    expect(await check(node(0n).world)).toMatchObject({ code: 1, out: expect.stringContaining('none is active') });
    const late = await check(world);
    expect([late.code, late.out]).toEqual([
      1,
      expect.stringContaining(`3/3 FAIL prices: no new one within 1m of ${strategy} on chain 31337`),
    ]);
    expect(await check(world, '--within', 'soon')).toMatchObject({ code: 2 });
    const asJson = await check(world, '--expect-signers', '7', '--json');
    expect([asJson.code, JSON.parse(asJson.out)]).toMatchObject([
      1,
      { ok: false, of: 3, steps: [{ ok: true }, { ok: false, message: expect.stringContaining('expected 7') }] },
    ]);
  });
});

describe('keys', () => {
  function folder() {
    const path = mkdtempSync(join(root, 'keys-'));
    writeFileSync(join(path, 'password'), 'a long password\n', { mode: 0o600 });
    return { bundle: join(path, 'oracle.json'), password: join(path, 'password'), path };
  }

  test('behavior: generate, then export what governance needs; never over an existing file', async () => {
    const { bundle, password, path } = folder();
    const made = await cli(['keys', 'generate', '--name', 'oracle-1', '--out', bundle, '--password-file', password]);
    expect(made).toMatchObject({ code: 0, out: expect.stringMatching(/signer {6}0x/) });
    const exported = await cli(['keys', 'export', '--bundle', bundle], {
      env: { VALIDATOR_KEYS_PASSWORD_FILE: password },
    });
    expect(exported.code).toBe(0);
    expect(JSON.parse(exported.out)).toMatchObject({
      validator_name: 'oracle-1',
      onchain_public_key: expect.stringMatching(/^04/),
    });
    expect(exported.err).toMatch(/^(ok {3}.*\n){7}$/);
    const copy = join(path, 'copy.json');
    const imported = await cli([
      'keys',
      'import',
      '--bundle',
      bundle,
      '--out',
      copy,
      '--password-file',
      password,
      '--json',
    ]);
    expect(JSON.parse(imported.out)).toEqual({ bundle: copy, ...JSON.parse(exported.out) });
    expect(await cli(['keys', 'generate', '--name', 'x', '--out', bundle, '--password-file', password])).toMatchObject({
      code: 1,
      err: expect.stringContaining('exists'),
    });
    expect(await cli(['keys', 'export', '--bundle', bundle])).toMatchObject({
      code: 2,
      err: expect.stringContaining('--password-file is missing'),
    });
  });

  test('behavior: a key of a key service is not in the bundle; an old bundle becomes one without it', async () => {
    const { bundle, password, path } = folder();
    const key = servedKey(`0x${'5a'.repeat(32)}`);
    const service = await keyService(web3signer([key]));
    const remote = ['--onchain', `web3signer:${service.url}/${key.point}`];
    const address = privateKeyToAddress(`0x${'5a'.repeat(32)}`);
    const common = ['--password-file', password];
    const made = await cli(['keys', 'generate', '--name', 'n', '--out', bundle, ...common, ...remote]);
    expect(made).toMatchObject({ code: 0, out: expect.stringContaining(`signer      ${address}`) });
    expect(Object.keys(JSON.parse(readFileSync(bundle, 'utf8')).keys)).toEqual(['offchain', 'transmitter']);
    const exported = await cli(['keys', 'export', '--bundle', bundle, ...common, ...remote]);
    expect(JSON.parse(exported.out)).toMatchObject({ ethereum_address: address });
    expect(await cli(['keys', 'export', '--bundle', bundle, ...common])).toMatchObject({
      code: 1,
      err: expect.stringContaining('no key for onchain'),
    });

    const old = join(path, 'old.json');
    const moved = join(path, 'moved.json');
    await cli(['keys', 'generate', '--name', 'n', '--out', old, ...common]);
    expect(await cli(['keys', 'import', '--bundle', old, '--out', moved, ...common, ...remote])).toMatchObject({
      code: 0,
      out: expect.stringContaining(`signer      ${address}`),
    });
    expect(Object.keys(JSON.parse(readFileSync(moved, 'utf8')).keys)).toEqual(['offchain', 'transmitter']);
    expect(
      await cli(['keys', 'generate', '--name', 'n', '--out', join(path, 'x'), ...common, '--onchain', 'x']),
    ).toMatchObject({
      code: 2,
      err: expect.stringContaining('--onchain must be a key service'),
    });
    await service.close();
  });

  test('behavior: import keeps what is given and makes the rest', async () => {
    const { bundle, password, path } = folder();
    const secret = new Uint8Array(32).fill(5);
    const foreign = await encryptKey(secret, { type: 'secp256k1', password: 'theirs', cost: { n: 1024, r: 8, p: 1 } });
    mkdirSync(join(path, 'geth'), { mode: 0o700 });
    writeFileSync(join(path, 'geth', 'UTC--1'), JSON.stringify({ ...foreign, type: undefined, checksum: undefined }), {
      mode: 0o600,
    });
    writeFileSync(join(path, 'geth', 'password'), 'theirs', { mode: 0o600 });
    const args = [
      'keys',
      'import',
      '--name',
      'n',
      '--out',
      bundle,
      '--password-file',
      password,
      '--from-password-file',
      join(path, 'geth', 'password'),
    ];
    const { code, out } = await cli([...args, '--key', `onchain=${join(path, 'geth', 'UTC--1')}`]);
    expect([code, out]).toEqual([
      0,
      expect.stringContaining(`signer      ${privateKeyToAddress(`0x${bytesToHex(secret)}`)}`),
    ]);
    expect(await cli(args)).toMatchObject({ code: 2, err: expect.stringContaining('Nothing to import') });
    expect(await cli([...args, '--key', 'signer=x'])).toMatchObject({ code: 2 });
  });
});

describe('run', () => {
  test.each([
    [
      { name: 'MongoServerError', code: 18, message: 'Authentication failed.' },
      '[database] url (Authentication failed.)',
    ],
    [
      { name: 'NatsError', code: 'AUTHORIZATION_VIOLATION', message: "'Authorization Violation'" },
      "refused the node ('Authorization Violation'). Correct the user and password in [bus] credentials_file",
    ],
  ])('contract: a name or password that is refused is said in words, without a stack (%j)', async (fault, words) => {
    const run = () => Promise.reject(Object.assign(new Error(fault.message), fault));
    const { code, err } = await cli(['run', '-c', config()], { run });
    expect(code).toBe(1);
    expect(err).toContain(words);
    expect(err).not.toContain('    at ');
  });

  test('edge: another fault keeps its stack, without the password', async () => {
    const run = () =>
      Promise.reject(
        Object.assign(new Error('not primary: hunter22hunter'), { name: 'MongoServerError', code: 10_107 }),
      );
    const { code, err } = await cli(['run', '-c', config()], { run });
    expect(code).toBe(1);
    expect(err).toContain('    at ');
    expect(err).not.toContain('hunter22hunter');
  });
});
