import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { getAddress } from 'viem';
import { address, detail, folder, run } from '../test/deployment.ts';

const vault = `31337:${detail.vault_address}`;
const fileOf = (name: string, text: string) => {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
};
const mandate = `format: 1
title: USDC Core mandate
promises:
  - id: liquidity
    kind: idle_share
    at_least_bps: 200
  - id: sources
    kind: source_share
    source: '${address('ab')}'
    at_most_bps: 6000
`;
const started = { block_number: 1, time: '2026-10-01T00:00:00.000Z', value: 100, subject: null };
const breach = {
  promise_id: 'liquidity',
  kind: 'idle_share',
  bound: 'at_least',
  limit: 200,
  unit: 'bps',
  started,
  worst: started,
  ended: { block_number: 2, time: '2026-10-01T01:00:00.000Z' } as object | null,
};
const sources = (...bytes: string[]) => ({
  [`/yield-sources/31337/${detail.vault_address}`]: {
    chain_id: 31337,
    vault_address: detail.vault_address,
    block_number: 1,
    yield_sources: bytes.map((byte) => ({
      source_address: getAddress(address(byte)),
      name: 'Source',
      source_type: 'erc4626' as const,
      oracle_address: detail.vault_address,
      oracle_ok: true,
      assets: '0',
      share: 0,
      usd: null,
      apy: null,
      added_at: started.time,
      added_tx: null,
    })),
    oracles: [],
  },
});
const replayOf = (breaches: object[]) => ({
  from: '2026-09-01T00:00:00.000Z',
  to: '2026-11-01T00:00:00.000Z',
  observations: 40,
  truncated: false,
  promises: [
    { promise_id: 'liquidity', breaches: breaches.length, broken_seconds: 3600 },
    { promise_id: 'sources', breaches: 0, broken_seconds: 0 },
  ],
  breaches,
});

test('default: a mandate without a fault passes, asked of nobody, in YAML and in JSON', async () => {
  const yaml = fileOf('mandate.yml', mandate);
  expect(await run(['mandate', 'check', yaml])).toMatchObject({
    code: 0,
    out: '2 promises, nothing wrong.\n',
    asked: [],
  });
  const promises = [{ id: 'fee', kind: 'performance_fee', at_most_bps: 2000 }];
  const json = fileOf('mandate.json', JSON.stringify({ format: 1, title: 'Fees', promises }));
  const { code, out } = await run(['mandate', 'check', json, '--json']);
  expect([code, JSON.parse(out)]).toEqual([0, { ok: true, faults: [], warnings: [], backtest: null }]);
});

test('error: each fault is named with its place, and the command fails', async () => {
  const file = fileOf('wrong.yml', mandate.replace('200', '20000').replace('id: sources', 'id: liquidity'));
  const { code, out } = await run(['mandate', 'check', file]);
  expect([code, out.trim().split('\n')]).toEqual([
    1,
    [
      expect.stringMatching(/wrong\.yml:6:19: promises\.0\.at_least_bps: /),
      expect.stringMatching(/wrong\.yml:7:9: promises\.1\.id: is the id of another promise$/),
    ],
  ]);
});

test.each([
  ['not YAML', 'title: [', /^[^\n]+:1:\d+: /],
  [
    'an alias that grows without end',
    'a: &a [x, x, x, x]\nb: &b [*a, *a, *a, *a]\nc: &c [*b, *b, *b, *b]\nd: [*c, *c, *c, *c, *c]\n',
    /alias/i,
  ],
  ['empty', '', /:1:1: /],
  ['a list', '- 1\n', /:1:1: /],
])('error: %s is a fault and no crash', async (_name, text, message) => {
  const { code, out } = await run(['mandate', 'check', fileOf('odd.yml', text)]);
  expect([code, out]).toEqual([1, expect.stringMatching(message)]);
});

test('error: a file that is not there ends with 2', async () => {
  const { code, err } = await run(['mandate', 'check', join(folder, 'none.yml')]);
  expect([code, err]).toEqual([2, expect.stringContaining('none.yml cannot be read')]);
});

test('behavior: with a vault its history is judged; what is over fails only with --strict', async () => {
  const file = fileOf('mandate.yml', mandate);
  const checked = (breaches: object[], ...args: string[]) =>
    run(['mandate', 'check', file, vault, ...args], {
      answers: { ...sources('ab'), '/mandate/backtest': replayOf(breaches) },
    });
  expect((await checked([])).code).toBe(0);
  const over = await checked([breach]);
  expect([over.code, over.out]).toEqual([0, expect.stringMatching(/^promise +breaches/)]);
  expect((await checked([breach], '--strict')).code).toBe(1);
  const worst = { ...started, subject: getAddress(address('ef')) };
  const now = await checked([{ ...breach, worst, ended: null }]);
  expect([now.code, now.out]).toEqual([1, expect.stringMatching(`liquidity +1 +3600 +broken ${worst.subject}\n`)]);
  const open = await checked([{ ...breach, ended: null }], '--json');
  expect([open.code, JSON.parse(open.out)]).toMatchObject([1, { ok: false, backtest: { observations: 40 } }]);
});

test('error: a source that the vault does not have is a warning with its place, and a fault with --strict', async () => {
  const layer = `  - id: protocol
    kind: layer_share
    layer: protocol
    name: Lending
    sources: ['${address('AB')}', '${address('cd')}']
    at_most_bps: 7000
`;
  const file = fileOf('typo.yml', mandate + layer);
  const checked = (has: string, ...args: string[]) =>
    run(['mandate', 'check', file, vault, ...args], {
      answers: { ...sources(has), '/mandate/backtest': replayOf([]) },
    });
  const typo = await checked('cd');
  expect([typo.code, typo.out.split('\n').filter((line) => line.includes('warning'))]).toEqual([
    0,
    [
      expect.stringMatching(/typo\.yml:9:13: warning: promises\.1\.source: is no source of the vault/),
      expect.stringMatching(/typo\.yml:15:15: warning: promises\.2\.sources\.0: is no source of the vault/),
    ],
  ]);
  expect((await checked('cd', '--strict')).code).toBe(1);
  const json = await checked('cd', '--json');
  expect(JSON.parse(json.out)).toMatchObject({ ok: true, warnings: [{ line: 9, path: 'promises.1.source' }, {}] });
});

test('default: the promises in force, with what is left to the limit', async () => {
  const promise = {
    ...breach,
    on_breach: 'warn',
    state: 'broken',
    value: 100,
    headroom: -100,
    subject: getAddress(address('ef')),
  };
  const status = {
    version: 2,
    title: 'USDC Core mandate',
    state: 'broken',
    promises: [{ ...promise, observed: breach.ended }],
    open_breaches: 1,
  };
  const broken = await run(['mandate', 'show', vault], { answers: { '/mandate/status': status } });
  expect([broken.code, broken.out]).toEqual([
    1,
    expect.stringMatching(`liquidity +broken +100 bps +at least 200 +-100 +${promise.subject}\n`),
  ]);
  const none = { version: null, title: null, state: null, promises: [], open_breaches: 0 };
  const answers = { '/mandate/status': none };
  const signedOut = await run(['mandate', 'show', vault], { answers });
  expect([signedOut.code, signedOut.err]).toEqual([3, expect.stringContaining('Sign in')]);
  const env = { CASTELLAN_TOKEN: 'a' };
  const signedIn = await run(['mandate', 'show', vault, '--json'], { answers, env });
  expect([signedIn.code, JSON.parse(signedIn.out).version]).toEqual([1, null]);
});
