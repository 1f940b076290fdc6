import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectMongo, createLogger, createRegistry } from '@castellan/service-kit';
import { startTestStore, type TestStore } from '@castellan/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Address, Hex } from 'viem';
import { main } from '../src/cli/main.ts';
import { holdKeys } from '../src/store/key-lease.ts';
import { createProtocolStore } from '../src/store/protocol-store.ts';

const signer: Address = '0x00000000000000000000000000000000000000AA';
const digest: Hex = `0x${'11'.repeat(32)}`;
const folder = mkdtempSync(join(tmpdir(), 'castellan-guard-'));
let store: TestStore;

beforeAll(async () => {
  store = await startTestStore();
});
afterAll(async () => {
  await store.stop();
  rmSync(folder, { recursive: true, force: true });
});

function config(database: string): string {
  const file = join(folder, `${database}.toml`);
  writeFileSync(
    join(folder, 'chains.toml'),
    `[[chains]]\nname = "l"\nchain_id = 31337\nhttps_rpc = ["http://h"]\necdsa_oracle_address = "${signer}"\nsuper_governor_address = "${signer}"\n`,
  );
  writeFileSync(
    file,
    `[node]\nnode_id = "n"\n[keys]\nkey_file_path = "k"\npassword_file = "p"\n[bus]\nurls = ["nats://h"]\n[database]\nurl = "${store.uri}"\nname = "${database}"\n[ocr2]\nconfig_sync_chain_id = 31337\n`,
  );
  return file;
}

async function cli(...argv: string[]) {
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
    fetch,
    sleep: () => Promise.resolve(),
    now: Date.now,
  });
  return { code, out, err };
}

test('behavior: a guard moves from one store to another, not while the node runs, and evidence is printed', async () => {
  const source = `${store.database}_from`;
  const target = `${store.database}_to`;
  const from = await connectMongo({ uri: store.uri, database: source, registry: createRegistry('test') });
  await createProtocolStore({ connection: from, signer, leaseToken: () => 0 }).guardSignature(
    digest,
    3,
    4,
    [],
    new Map(),
  );
  const exported = await cli('guard', 'export', '-c', config(source), '--signer', signer);
  expect([exported.code, exported.err]).toEqual([0, '']);
  const file = join(folder, 'guard.json');
  writeFileSync(file, exported.out);
  expect(await cli('guard', 'import', '-c', config(target), '--signer', signer, '--file', file)).toMatchObject({
    code: 0,
  });
  const to = await connectMongo({ uri: store.uri, database: target, registry: createRegistry('test') });
  const moved = createProtocolStore({ connection: to, signer, leaseToken: () => 99 });
  expect(await moved.guardSignature(digest, 3, 4, [], new Map())).toBe('round_not_above');

  const statement = { epoch: 1, round: 2, observers: [0], report: Uint8Array.of(1) };
  const bytes = { inputs: Uint8Array.of(2), signature: Uint8Array.of(3), attestation: Uint8Array.of(4) };
  const first = { ...statement, ...bytes };
  const second = { ...first, report: Uint8Array.of(5) };
  for (let i = 0; i < 2; i += 1) await moved.addEvidence({ digest, kind: 'report', oracle: 1, signer, first, second });
  expect(await moved.countEvidence(digest)).toEqual(new Map([[signer, 1]]));
  const printed = await cli('evidence', '-c', config(target));
  expect([printed.code, printed.err]).toEqual([0, '']);
  expect(JSON.parse(printed.out)).toMatchObject([{ signer, first: { report: '0x01' }, second: { report: '0x05' } }]);

  const clock = { now: Date.now, after: () => () => undefined };
  const log = createLogger({ service: 'test', level: 'silent' });
  const lease = await holdKeys({
    connection: from,
    keys: [signer],
    clock,
    log,
    onLost: () => undefined,
  });
  expect(await cli('guard', 'export', '-c', config(source), '--signer', signer)).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^Another process uses the key/),
  });
  await lease.release();
  await Promise.all([from.close(), to.close()]);
});
