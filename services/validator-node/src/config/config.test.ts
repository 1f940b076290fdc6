import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { maskSecrets } from '@castellan/service-kit';
import { runs } from '@castellan/testkit';
import { afterAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { NodeConfigError } from './faults.ts';
import { loadNodeConfig, readNodeConfig } from './load.ts';
import { locateKeys } from './locate.ts';
import { chainsTemplate, configurationPage, nodeTemplate, printConfig } from './print.ts';

const service = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const folder = mkdtempSync(join(tmpdir(), 'castellan-config-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const key = 'ab'.repeat(32);
const node = `
[node]
node_id = "oracle-1"
[keys]
key_file_path = "./keys.json"
password_file = "./password"
[bus]
urls = ["nats://127.0.0.1:4222"]
[database]
url = "mongodb://node:longpassword@127.0.0.1:27017"
[ocr2]
config_sync_chain_id = 31337
`;
const chain = (more = '') => `
[[chains]]
name = "local"
chain_id = 31337
https_rpc = ["http://127.0.0.1:8545/v2/provider-key"]
ecdsa_oracle_address = "0x0000000000000000000000000000000000000001"
super_governor_address = "0x0000000000000000000000000000000000000002"
${more}`;

let count = 0;
function write(nodeText = node, chainText = chain()) {
  const name = `c${count++}`;
  const file = join(folder, `${name}.toml`);
  writeFileSync(join(folder, `${name}-chains.toml`), chainText);
  writeFileSync(file, `chain_config_path = "./${name}-chains.toml"\n${nodeText}`);
  return file;
}
const faults = (nodeText?: string, chainText?: string, env = {}, flags: string[] = []) =>
  readNodeConfig({ file: write(nodeText, chainText), env, flags }).faults.map(
    ({ where, path, got, expected }) => `${where.replace(/^.*\/c\d+/, 'c')} ${path}: got ${got}, expected ${expected}`,
  );

describe('what is understood', () => {
  test('default: what the file leaves out, with durations in milliseconds and absolute paths', () => {
    const config = loadNodeConfig({ file: write(), env: {} });
    expect(config.monitoring).toEqual({
      metrics_port: 9090,
      health_port: 8080,
      bind: '127.0.0.1',
      log_level: 'info',
      health_check_interval: 3_600_000,
      max_pps_deviation_ppb: 10_000_000,
    });
    expect(config.keys.key_file_path).toBe(join(folder, 'keys.json'));
    expect(config.chains[0]).toMatchObject({ chain_id: 31337, block_time: 12_000, price_source: 'valued' });
  });

  test('behavior: environment over file, flags over environment; an empty variable is unset', () => {
    const env = {
      VALIDATOR__MONITORING__METRICS_PORT: '1000',
      VALIDATOR__MONITORING__HEALTH_PORT: '1001',
      VALIDATOR__BUS__URLS: 'nats://a:1, nats://b:2',
      VALIDATOR__NODE__NODE_ID: ' ',
      OTHER: 'x',
    };
    const config = loadNodeConfig({ file: write(), env, flags: ['monitoring.metrics_port=2000'] });
    expect(config.monitoring).toMatchObject({ metrics_port: 2000, health_port: 1001 });
    expect(config.bus.urls).toEqual(['nats://a:1', 'nats://b:2']);
    expect(config.node.node_id).toBe('oracle-1');
  });

  test('behavior: a secret may stand in a file', () => {
    const secret = join(folder, 'url');
    writeFileSync(secret, 'mongodb://u:from-a-file@127.0.0.1/\n');
    const config = loadNodeConfig({ file: write(), env: { VALIDATOR__DATABASE__URL_FILE: secret } });
    expect(config.database.url).toBe('mongodb://u:from-a-file@127.0.0.1/');
  });

  test('behavior: the templates and the page are what the schema says, and the templates are valid', () => {
    const read = (path: string) => readFileSync(join(service, path), 'utf8');
    expect(read('config.template.toml')).toBe(nodeTemplate());
    expect(read('chains.template.toml')).toBe(chainsTemplate());
    expect(read('../../docs/validator-configuration.md')).toBe(configurationPage());
    const file = join(service, 'config.template.toml');
    const env = { VALIDATOR__CHAIN_CONFIG_PATH: './chains.template.toml' };
    expect(readNodeConfig({ file, env }).faults).toEqual([]);
  });
});

describe('what is refused', () => {
  test('error: all faults at once, each with its place', () => {
    const text = `${node}confirmations = 0
[monitoring]
metrics_prot = 1
log_level = "loud"
bind = 7
`;
    expect(faults(text, chain('block_time = "12"\nprice_sauce = "valued"'))).toEqual(
      [
        'c.toml:14:1 ocr2.confirmations: got 0, expected a whole number from 1 to 100',
        'c.toml:16:1 monitoring.metrics_prot: got an unknown key, expected a known key; did you mean metrics_port?',
        'c.toml:17:1 monitoring.log_level: got "loud", expected debug, info, warn or error',
        'c.toml:18:1 monitoring.bind: got 7, expected an IP address; 0.0.0.0 for all',
        'c-chains.toml:8:1 chains.0.block_time: got "12", expected a duration from 100ms to 5m, such as "12s"',
        'c-chains.toml:9:1 chains.0.price_sauce: got an unknown key, expected a known key; did you mean price_source?',
      ].map((line) => expect.stringContaining(line)) as unknown as string[],
    );
  });

  test('error: a missing section, table in the place of a value, and unknown sections', () => {
    const found = faults(
      `${node.replace(/\[database\]\n.*\n/, '')}[p2p]\nport = 1\n[monitorin]\n[node.node_id]\n`.replace(
        'node_id = "oracle-1"\n',
        '',
      ),
    );
    expect(found.join('\n')).toMatch(/database: got nothing, expected a \[database\] table/);
    expect(found.join('\n')).toMatch(/p2p: got an unknown key, expected no such key here: validators talk over/);
    expect(found.join('\n')).toMatch(/monitorin: .* did you mean monitoring\?/);
    expect(found.join('\n')).toMatch(/node.node_id: got a table, expected 1 to 63/);
  });

  test('error: a syntax fault names line and column and shows nothing of the text', () => {
    const [fault] = faults(`[database]\nurl = "mongodb://u:hunter22@h" x\n`);
    expect(fault).toMatch(/^c\.toml:3:\d+ \(file\): got .*expected TOML$/);
    expect(fault).not.toContain('hunter22');
  });

  test('error: a file that is not there', () => {
    expect(() => loadNodeConfig({ file: join(folder, 'none.toml'), env: {} })).toThrow(/no readable file \(ENOENT\)/);
  });

  test('error: keys that were taken away say what to do', () => {
    const found = faults(`${node}[monitoring]\nlog_format = "json"\n`, `${chain()}\nwss_rpc = []\n`);
    expect(found).toEqual([
      expect.stringMatching(/ monitoring\.log_format: .* every line is one JSON object: leave it out$/),
      expect.stringMatching(/ chains\.0\.wss_rpc: .* blocks are asked for by https_rpc: leave it out$/),
    ]);
  });

  test('error: unknown variables and flags, with the nearest name', () => {
    const found = faults(undefined, undefined, { VALIDATOR__NODE__NODEID: 'x', VALIDATOR__NODE__NODE_ID_FILE: 'y' }, [
      'node.nodeid=x',
      'database.url=mongodb://x',
      'node.node_id',
    ]);
    expect(found).toEqual([
      'VALIDATOR__NODE__NODEID node.nodeid: got an unknown variable, expected a known variable; did you mean VALIDATOR__NODE__NODE_ID?',
      'VALIDATOR__NODE__NODE_ID_FILE node.node_id_file: got an unknown variable, expected a known variable; did you mean VALIDATOR__NODE__NODE_ID?',
      '--set node.nodeid node.nodeid: got an unknown key, expected a known key; did you mean node.node_id?',
      '--set database.url database.url: got a secret, expected no secrets on the command line, which others can read: use VALIDATOR__DATABASE__URL_FILE',
      '--set node.node_id node.node_id: got no value, expected node.node_id=value',
    ]);
  });

  test('error: a value from the environment is blamed on its variable', () => {
    expect(faults(undefined, undefined, { VALIDATOR__OCR2__POLL: '3' })).toEqual([
      'VALIDATOR__OCR2__POLL ocr2.poll: got "3", expected a duration from 1s to 120s, such as "15s"',
    ]);
  });

  test('error: keys in the clear want development mode, all three, and no bundle beside them', () => {
    const plain = (more: string) => node.replace(/key_file_path.*\npassword_file.*\n/, `${more}\n`);
    const all = `offchain_private_key = "${key}"\nonchain_private_key.private_key = "${key}"\ntransmitter_private_key.private_key = "${key}"`;
    expect(faults(`${plain(all)}development_mode = true`)).toEqual([]);
    expect(faults(plain(all)).length).toBe(3);
    expect(faults(`${plain(`offchain_private_key = "${key}"`)}development_mode = true`).length).toBe(2);
    expect(faults(`${plain(`key_file_path = "k"\npassword_file = "p"\n${all}`)}development_mode = true`).length).toBe(
      3,
    );
    expect(faults(plain('')).join()).toContain('castellan-validator keys generate');
    expect(faults(node.replace(/password_file.*\n/, '')).join()).toContain('keys.password_file: got nothing');
  });

  test('default: keys of a key service, beside a bundle with the off-chain key or one in the clear', () => {
    const remote = (role: string, name: string) => `[keys.${role}_private_key]\nkms_key_id = "${name}"\n`;
    const signer = remote('onchain', 'aws-kms:alias/signer');
    expect(faults(`${signer}${node}${remote('transmitter', 'aws-kms:alias/payer')}`)).toEqual([]);
    expect(faults(`${signer}${node}${remote('transmitter', 'aws-kms:alias/signer')}`)).toEqual([
      expect.stringContaining(
        'transmitter_private_key.kms_key_id: got the key that signs prices, expected another key',
      ),
    ]);
    for (const name of ['alias/x', 'vault:transit/x'])
      expect(faults(`${node}${remote('onchain', name)}`)).toEqual([
        expect.stringMatching(/onchain_private_key.kms_key_id: got .*, expected SERVICE:NAME with aws-kms, gcp-kms or/),
      ]);
    const plain = node.replace(/key_file_path.*\npassword_file.*\n/, `offchain_private_key = "${key}"\n`);
    expect(faults(`${signer}${plain}development_mode = true`)).toEqual([
      expect.stringContaining('transmitter_private_key.private_key: got nothing'),
    ]);
    expect(faults(`${signer}private_key = "${key}"\n${plain}development_mode = true`).join()).toContain('a second key');
  });

  test('error: development mode beside a public chain', () => {
    const text = chain().replace('31337', '8453');
    expect(faults(`${node.replace('31337', '8453')}development_mode = true`, text)).toEqual([
      expect.stringContaining('false, because local (8453) is a public chain'),
    ]);
  });

  test('error: what only shows when keys are compared', () => {
    const text = `${node.replace('31337', '1')}[monitoring]\nmetrics_port = 8080\n[transmitter]\nmax_tip_gwei = "300"\nmin_tip_gwei = "301"`;
    const twice = '0x0000000000000000000000000000000000000003", "0x0000000000000000000000000000000000000003';
    const chains = `${chain(`supported_strategies = ["${twice}"]`)}${chain()}`;
    const found = faults(text, chains).join('\n');
    for (const path of [
      'health_port',
      'max_tip_gwei',
      'min_tip_gwei',
      'config_sync_chain_id',
      'supported_strategies.1',
      'chains.1.chain_id',
    ])
      expect(found).toContain(path);
  });
});

describe('secrets', () => {
  test('behavior: no fault shows one, under its own name or a wrong one', () => {
    const text = node
      .replace('mongodb://', 'mongodbx://')
      .replace(
        'password_file = "./password"',
        `offchain_private_key = "${key}zz"\npassword = "${key}"\npassword_file = ["nats://u:longpassword@h"]`,
      );
    const { faults: found, effective } = readNodeConfig({ file: write(text), env: {} });
    expect(found.length).toBe(4);
    for (const shown of [new NodeConfigError(found).message, printConfig(effective)]) {
      expect(shown).not.toContain('longpassword');
      expect(shown).not.toContain(key);
    }
  });

  test('behavior: the printed configuration keeps hosts and hides the rest; logs are masked', () => {
    const { effective } = readNodeConfig({ file: write(), env: {} });
    const text = printConfig(effective);
    expect(text).toContain('url = "mongodb://127.0.0.1:27017/[secret]"');
    expect(text).toContain('https_rpc = ["http://127.0.0.1:8545/[secret]"]');
    expect(text).toContain('health_check_interval = "1h"');
    expect(maskSecrets('x http://127.0.0.1:8545/v2/provider-key longpassword')).toBe('x [secret] [secret]');
  });

  test('behavior: events go to one server or to several, and the password of each stays hidden', () => {
    const one = 'nats://node:first-password@a:4222';
    const several = `${one}, tls://node:second-password@b:4222`;
    for (const url of [one, several]) {
      const { config, effective } = readNodeConfig({ file: write(), env: { VALIDATOR__EVENTS__URL: url } });
      expect(config?.events.url).toBe(url);
      expect(printConfig(effective)).not.toContain('-password');
    }
    const { effective, faults: found } = readNodeConfig({ file: write(), env: { VALIDATOR__EVENTS__URL: several } });
    expect(printConfig(effective)).toContain('url = "nats://a:4222/[secret], tls://b:4222/[secret]"');
    expect(found).toEqual([]);
    expect(maskSecrets('first-password second-password')).toBe('[secret] [secret]');
    const wrong = readNodeConfig({ file: write(), env: { VALIDATOR__EVENTS__URL: `${one},http://b:4222` } });
    expect(wrong.faults).toMatchObject([{ path: 'events.url' }]);
  });
});

describe('places', () => {
  test('behavior: keys are found past strings of every kind, lists, inline tables and comments', () => {
    const text = [
      'a = """',
      'b = 1',
      'x""""',
      '[t] # c = 1',
      'list = [ # [no]',
      '  "one", "]",',
      '  { k = 1, d.e = "}" },',
      ']',
      "'quo ted'.y = '''it''s'''",
      '[[arr]]',
      'n = 1',
      '[arr.sub]',
      'm = 2',
      '[[arr]]',
      'n = -1e3',
    ].join('\n');
    const at = Object.fromEntries([...locateKeys(text)].map(([name, { line, column }]) => [name, `${line}:${column}`]));
    expect(at).toMatchObject({
      a: '1:1',
      t: '4:1',
      't.list': '5:1',
      't.list.1': '6:10',
      't.list.2.k': '7:5',
      't.list.2.d.e': '7:12',
      't.quo ted.y': '9:1',
      'arr.0': '10:1',
      'arr.0.sub.m': '13:1',
      'arr.1.n': '15:1',
    });
    expect(Object.keys(at)).not.toContain('b');
  });

  test('behavior: whatever the files hold, only faults come back', () => {
    const templates = [nodeTemplate(), chainsTemplate()] as const;
    fc.assert(
      fc.property(fc.nat(6000), fc.nat(30), fc.string({ maxLength: 12 }), fc.boolean(), (at, cut, put, first) => {
        const mutate = (text: string) => text.slice(0, at) + put + text.slice(at + cut);
        const [one, two] = templates;
        const { config, faults: found } = readNodeConfig({
          file: write(first ? mutate(one) : one, first ? two : mutate(two)),
          env: {},
        });
        expect(Boolean(config)).toBe(found.length === 0);
      }),
      runs(750),
    );
  });
});
