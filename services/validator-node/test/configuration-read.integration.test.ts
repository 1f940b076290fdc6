import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { devnetValidators } from '@castellan/devnet';
import { startTestStore, type TestStore, until } from '@castellan/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { stringify } from 'smol-toml';
import type { z } from 'zod';
import { type Protocol, setUp, TestChain } from '../../../packages/protocol/test/test-chain.ts';
import { isSection, schemaAt, shapeOf } from '../src/config/field.ts';
import { loadNodeConfig } from '../src/config/load.ts';
import { ChainsFile, NodeFile } from '../src/config/schema.ts';
import { startNode } from '../src/node/run.ts';
import { usersOf } from '../src/transport/permissions.ts';
import { passwordOf, startValidatorNats, type ValidatorNats } from './nats-server.ts';
import { publishConfig } from './price-network.ts';

/** A key that is documented and that nobody reads is a promise that is not kept: a running node must ask for each of them. */

const folder = mkdtempSync(join(tmpdir(), 'castellan-configuration-'));
const offchainKeys = devnetValidators.map(({ offchain }) => offchain.publicKey);
let chain: TestChain;
let protocol: Protocol;
let store: TestStore;
let nats: ValidatorNats;

beforeAll(async () => {
  chain = await TestChain.start();
  protocol = await setUp(chain);
  await publishConfig(chain, protocol);
  [store, nats] = await Promise.all([startTestStore(), startValidatorNats(offchainKeys)]);
});
afterAll(async () => {
  await nats?.stop();
  await store?.stop();
  await chain?.stop();
  rmSync(folder, { recursive: true, force: true });
});

function keysOf(schema: z.ZodType, path: readonly string[] = []): string[] {
  return Object.entries(shapeOf(schema)).flatMap(([name, field]) =>
    isSection(field) ? keysOf(field, [...path, name]) : [[...path, name].join('.')],
  );
}

/** The same object, and what was asked of it by path. */
function recorded<T extends object>(value: T, read: Set<string>, path: readonly string[] = []): T {
  return new Proxy(value, {
    get: (target, name) => {
      const found: unknown = Reflect.get(target, name);
      if (typeof name === 'symbol') return found;
      const at = /^\d+$/.test(name) ? path : [...path, name];
      read.add(at.join('.'));
      const isTable = typeof found === 'object' && found !== null && !(Array.isArray(found) && name !== 'chains');
      return isTable ? recorded(found, read, at) : found;
    },
  });
}

function configuration() {
  const [own] = devnetValidators;
  const user = usersOf(offchainKeys).find((name) => name.endsWith(String(offchainKeys[0]).slice(2, 18))) as string;
  writeFileSync(join(folder, 'credentials'), `${user}:${passwordOf(user)}`, { mode: 0o600 });
  const config = {
    node: { node_id: 'oracle-0' },
    keys: {
      offchain_private_key: own?.offchain.privateKey,
      onchain_private_key: { private_key: own?.signer.privateKey },
      transmitter_private_key: { private_key: own?.transmitter.privateKey },
    },
    bus: { urls: [nats.url], credentials_file: './credentials' },
    events: { url: nats.url.replace('nats://', `nats://vaults:${passwordOf('vaults')}@`) },
    database: { url: store.uri },
    monitoring: { metrics_port: 0, health_port: 0, log_level: 'error' },
    ocr2: { config_sync_chain_id: 31_337, poll: '1s', confirmations: 1, development_mode: true, empty_guard: 'sign' },
  };
  const chains = [
    {
      name: 'devnet',
      chain_id: 31_337,
      https_rpc: [chain.anvil.rpcUrl],
      block_time: '1s',
      super_governor_address: protocol.governor.address,
      ecdsa_oracle_address: protocol.oracle.address,
    },
  ];
  writeFileSync(join(folder, 'config.toml'), stringify(config));
  writeFileSync(join(folder, 'chains.toml'), stringify({ chains }));
  return loadNodeConfig({ file: join(folder, 'config.toml'), env: {} });
}

/** Asked for before a node runs, by what loads and checks the configuration. */
const byLoader = ['chain_config_path', 'ocr2.development_mode'];
/** Asked for when a report is handed over: see chain-runtime.test.ts. */
const later = ['ocr2.transmit_timeout'];

test('behavior: a running node asks for every documented key', async () => {
  const read = new Set<string>();
  const node = startNode(recorded(configuration(), read));
  try {
    await node.ready;
    await chain.client.mine({ blocks: 3 });
    const chainKeys = keysOf(schemaAt(ChainsFile, ['chains', 0]) as z.ZodType, ['chains']);
    const unread = () =>
      [...keysOf(NodeFile), ...chainKeys].filter((key) => !read.has(key) && !byLoader.includes(key)).sort();
    await until('every key is read', () => unread().length <= later.length).finally(() =>
      expect(unread()).toEqual(later),
    );
  } finally {
    await node.stop();
  }
});
