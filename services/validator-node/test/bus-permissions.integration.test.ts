import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { devnetValidatorConfig, devnetValidators } from '@castellan/devnet';
import { connectMongo, createRegistry } from '@castellan/service-kit';
import { startTestStore, type TestStore } from '@castellan/testkit';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Address, Hex } from 'viem';
import { main } from '../src/cli/main.ts';
import { followedState } from '../src/node/followed-state.ts';
import { validatorsConf } from '../src/transport/permissions.ts';

const address: Address = '0x00000000000000000000000000000000000000AA';
const hash: Hex = `0x${'11'.repeat(32)}`;
const folder = mkdtempSync(join(tmpdir(), 'castellan-permissions-'));
const file = join(folder, 'config.toml');
/** Of each test its own. */
let database: string;
let databases = 0;
let store: TestStore;

beforeAll(async () => {
  store = await startTestStore();
  writeFileSync(
    join(folder, 'chains.toml'),
    `[[chains]]\nname = "l"\nchain_id = 31337\nhttps_rpc = ["http://h"]\necdsa_oracle_address = "${address}"\nsuper_governor_address = "${address}"\n`,
  );
});
beforeEach(() => {
  databases += 1;
  database = `permissions_${databases}`;
  writeFileSync(
    file,
    `[node]\nnode_id = "n"\n[keys]\nkey_file_path = "k"\npassword_file = "p"\n[bus]\nurls = ["nats://h"]\n[database]\nurl = "${store.uri}"\nname = "${database}"\n[ocr2]\nconfig_sync_chain_id = 31337\n`,
  );
});
afterAll(async () => {
  await store.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function permissions() {
  let out = '';
  let err = '';
  const code = await main({
    argv: ['bus', 'permissions', '-c', file],
    env: {},
    now: () => 0,
    sleep: async () => undefined,
    fetch: () => Promise.reject(new Error('not asked for')),
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
  });
  return { code, out, err };
}

test('error: a node that has read no configuration has no keys to print', async () => {
  expect(await permissions()).toMatchObject({ code: 2, out: '', err: expect.stringContaining('no configuration yet') });
});

test('default: permissions for the keys of the configuration that the node has read from the chain', async () => {
  const connection = await connectMongo({ uri: store.uri, database, registry: createRegistry('test') });
  const { validators, validatorPublicKeys: publicKeys, quorum, offchainConfig } = devnetValidatorConfig;
  const facts = { chainId: 31_337, governor: address, oracle: address, version: 1n, validators, publicKeys, quorum };
  const block = { number: 1n, hash };
  await followedState(connection).config.write({
    cursor: block,
    history: [
      { facts: { ...facts, offchainConfig }, block },
      { facts: { ...facts, version: 2n, offchainConfig: '0x00' }, block },
    ],
  });
  await connection.close();
  const keys = devnetValidators.map(({ offchain }) => offchain.publicKey);
  expect(await permissions()).toEqual({
    code: 0,
    err: '',
    out: validatorsConf({ network: 'castellan', namespace: 'castellan' }, keys),
  });
});
