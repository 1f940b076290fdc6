import { chainClient, encodeOffchainConfig, type OffchainConfig, x25519Shared } from '@castellan/chain';
import { devnetOffchainConfig, devnetValidatorConfig, devnetValidators } from '@castellan/devnet';
import { until } from '@castellan/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type Hex, hexToBytes, toHex, zeroHash } from 'viem';
import { type Protocol, setUp, TestChain, who } from '../../../packages/protocol/test/test-chain.ts';
import {
  type ConfigEvent,
  ConfigTracker,
  type ConfigTrackerOptions,
  type Running,
  type TrackerState,
} from '../src/chain/config-tracker.ts';
import { trackerFromJson, trackerToJson } from '../src/chain/state-json.ts';
import { chainOf, realClock } from './price-network.ts';
import { startTamperedRpc, type TamperedRpc } from './tampered-rpc.ts';

/** The configuration on the governor of a real chain, followed by one node; blocks are mined by the test alone. */

let chain: TestChain;
let protocol: Protocol;
let rpc: TamperedRpc;
let snapshot: Hex;

beforeAll(async () => {
  chain = await TestChain.start();
  protocol = await setUp(chain);
  rpc = await startTamperedRpc(chain.anvil.rpcUrl);
});
beforeEach(async () => {
  snapshot = await chain.client.snapshot();
  Object.assign(rpc, { tamper: (_m: string, _p: unknown, result: unknown) => result, isDown: false });
});
afterEach(async () => chain.client.revert({ id: snapshot }));
afterAll(async () => {
  await rpc?.stop();
  await chain?.stop();
});

const validator = (index: number) => devnetValidators[index] as (typeof devnetValidators)[number];
const own = (index: number) => {
  const { signer, transmitter, offchain, encryption } = validator(index);
  return {
    signer: signer.address,
    transmitter: transmitter.address,
    offchainKey: offchain.publicKey,
    encryptionKey: encryption.publicKey,
  };
};
const dhOf = (index: number) => async (point: Uint8Array) =>
  x25519Shared(validator(index).encryption.privateKey, toHex(point));

/** A tracker and all its events; the store keeps JSON, as a database does. */
function follow(changes: Partial<ConfigTrackerOptions> = {}, kept: { json: unknown } = { json: null }) {
  const events: ConfigEvent[] = [];
  const switches: Running[] = [];
  const client = chainClient(chainOf(protocol, [rpc.url]), { retries: 0, timeoutMs: 30_000 });
  const tracker = new ConfigTracker({
    chainId: 31_337,
    governor: protocol.governor.address,
    oracle: null,
    client,
    head: () => client.getBlock(),
    witness: null,
    startBlock: 0n,
    confirmations: 1n,
    pollMs: 5,
    own: own(0),
    dh: dhOf(0),
    clock: realClock,
    store: {
      read: async () => (kept.json === null ? null : trackerFromJson(kept.json)),
      write: async (state: TrackerState) => {
        kept.json = JSON.parse(JSON.stringify(trackerToJson(state)));
      },
    },
    onSwitch: async (running) => void switches.push(running),
    emit: (event) => void events.push(event),
    ...changes,
  });
  const of = <T extends ConfigEvent['type']>(type: T) =>
    events.filter((event): event is Extract<ConfigEvent, { type: T }> => event.type === type);
  return { tracker, events, switches, kept, of };
}

type Changes = { version?: bigint; quorum?: bigint; offchain?: Partial<OffchainConfig>; raw?: Hex; count?: number };
const publish = ({ version = 2n, quorum = 3n, offchain = {}, raw, count = 4 }: Changes = {}) => {
  const { validators, validatorPublicKeys } = devnetValidatorConfig;
  return chain.send(who.deployer, protocol.governor, 'setValidatorConfig', [
    ...[version, validators.slice(0, count), validatorPublicKeys.slice(0, count), quorum],
    raw ?? encodeOffchainConfig({ ...devnetOffchainConfig, ...offchain }),
  ]);
};
const mine = (blocks: number) => chain.client.mine({ blocks });
const versions = (switches: readonly Running[]) =>
  switches.map((running) => (running.kind === 'refused' ? running.reason : running.config.version));

test('default: the published configuration is run by its member, with the secret opened', async () => {
  await publish();
  const { tracker, switches, of } = follow();
  await tracker.poll();
  expect(switches).toMatchObject([
    { kind: 'member', index: 0, config: { version: 2n, quorum: 3, f: 1, chainId: 31_337 } },
  ]);
  const running = switches[0] as Extract<Running, { kind: 'member' }>;
  expect(running.config.seed).toHaveLength(16);
  expect(running.config.oracles[3]).toEqual(own(3));
  expect(of('config_active')).toMatchObject([{ version: 2n, oracles: 4, f: 1, fromStore: false }]);
  await tracker.poll();
  expect(switches).toHaveLength(1);
});

test('behavior: without a shared secret the seed is the digest, which is warned of', async () => {
  await publish({ offchain: { sharedSecret: null } });
  const { tracker, switches, of } = follow();
  await tracker.poll();
  const running = switches[0] as Extract<Running, { kind: 'member' }>;
  expect(running.config.seed).toEqual(hexToBytes(running.config.digest));
  expect(of('config_warning')[0]?.message).toContain('everybody can predict');
});

test('behavior: a new version counts from its confirmations on, not before', async () => {
  await publish();
  const { tracker, switches } = follow({ confirmations: 3n });
  await tracker.poll();
  expect(switches).toEqual([]);
  await mine(1);
  await tracker.poll();
  expect(switches).toEqual([]);
  await mine(1);
  await tracker.poll();
  expect(versions(switches)).toEqual([2n]);
});

test('behavior: the stored configuration runs first, though no RPC answers', async () => {
  await publish();
  const { kept, tracker: first } = follow();
  await first.poll();
  rpc.isDown = true;
  const { tracker, switches, events, of } = follow({}, kept);
  await tracker.start();
  expect(versions(switches)).toEqual([2n]);
  expect(of('config_active')).toMatchObject([{ fromStore: true }]);
  await until('a failed poll', () => of('poll_failed').length > 0);
  rpc.isDown = false;
  await publish({ version: 3n });
  await until('the switch', () => switches.length >= 2);
  await tracker.stop();
  const before = events.length;
  await publish({ version: 4n });
  // biome-ignore lint/plugin: several polls would pass; a stopped tracker makes none, so there is nothing to wait for
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect([versions(switches), events.length]).toEqual([[2n, 3n], before]);
});

test('behavior: a configuration that is reorged away gives way to the one before, once that is as deep', async () => {
  await publish();
  await mine(1);
  const { tracker, switches, of } = follow({ confirmations: 2n });
  await tracker.poll();
  const before = await chain.client.snapshot();
  await publish({ version: 3n });
  await mine(1);
  await tracker.poll();
  expect(versions(switches)).toEqual([2n, 3n]);
  await chain.client.revert({ id: before });
  await chain.pass(7);
  expect(await tracker.poll()).toBe(true);
  expect(switches).toHaveLength(2);
  await mine(1);
  await tracker.poll();
  expect(versions(switches)).toEqual([2n, 3n, 2n]);
  expect(of('config_reorged')).toEqual([{ type: 'config_reorged', version: 3n }]);
});

test('behavior: a version that does not increase is refused and counted, and the old one runs on', async () => {
  await publish({ version: 5n });
  const { tracker, switches, of } = follow();
  await tracker.poll();
  await publish({ version: 5n, quorum: 4n });
  await publish({ version: 4n });
  await tracker.poll();
  expect(versions(switches)).toEqual([5n]);
  expect(of('config_refused').map(({ reason }) => reason)).toEqual([
    'version_not_increasing',
    'version_not_increasing',
  ]);
});

test('behavior: not in the list: nothing to run, said once', async () => {
  await publish({ count: 4 });
  const { tracker, switches, of } = follow({ own: { ...own(0), signer: who.stranger } });
  await tracker.poll();
  await tracker.poll();
  expect(switches).toMatchObject([{ kind: 'outsider' }]);
  expect(of('not_listed')).toHaveLength(1);
});

test.each([
  ['transmitter', { transmitter: who.stranger }],
  ['offchainKey', { offchainKey: zeroHash }],
  ['encryptionKey', { encryptionKey: zeroHash }],
])(
  'error: another %s of its own than the configuration says: refused, and the field is named',
  async (field, change) => {
    await publish();
    const { tracker, switches } = follow({ own: { ...own(0), ...change } });
    await tracker.poll();
    expect(switches).toMatchObject([{ kind: 'refused', reason: expect.stringContaining(`another ${field}:`) }]);
  },
);

test('error: a shared secret that is not the agreed one: refused to start', async () => {
  await publish();
  const { tracker, switches } = follow({ dh: dhOf(1) });
  await tracker.poll();
  expect(switches).toMatchObject([{ kind: 'refused', reason: expect.stringContaining('does not match its hash') }]);
});

describe('error: a configuration that must not be run leaves the old one', () => {
  const { oracles, timing } = devnetOffchainConfig;
  const twice = oracles.map((oracle, index) =>
    index === 1 ? { ...oracle, offchainKey: oracles[0]?.offchainKey as Hex } : oracle,
  );
  test.each<[string, Changes, string]>([
    ['a quorum below f+1', { quorum: 1n }, 'A quorum of 1 is unsafe'],
    ['as many faulty as a third', { offchain: { f: 2 } }, '4 oracles cannot stand 2'],
    ['a key of two oracles', { offchain: { oracles: twice } }, 'belongs to two oracles'],
    ['oracles missing', { offchain: { oracles: oracles.slice(1) } }, '4 validators, and its offchainConfig 3'],
    ['stages that do not add up', { offchain: { timing: { ...timing, stages: [1, 1] } } }, 'must add up to 4'],
    [
      'no time for a round',
      { offchain: { timing: { ...timing, deltaProgress: 15_000 } } },
      'a round takes up to 18500 ms',
    ],
    ['a timeout too short', { offchain: { timing: { ...timing, deltaResend: 199 } } }, 'deltaResend is 199 ms'],
    ['no rounds', { offchain: { timing: { ...timing, rMax: 0 } } }, 'rMax is 0'],
    ['bytes of another kind', { raw: '0x01' }, 'too short'],
    ['a later format', { raw: `0x${'02'.padStart(64, '0')}` }, 'format version 2'],
  ])('%s', async (_name, changes, message) => {
    await publish();
    const { tracker, switches, of } = follow();
    await tracker.poll();
    await publish({ version: 3n, ...changes });
    await tracker.poll();
    await tracker.poll();
    expect(versions(switches)).toEqual([2n]);
    expect(of('config_refused')).toMatchObject([{ reason: 'invalid', message: expect.stringContaining(message) }]);
  });
});

test('behavior: a quorum that invites two prices, and one that a dead oracle stops, are warned of', async () => {
  const warnings = async (quorum: bigint, version: bigint) => {
    await publish({ quorum, version });
    const { tracker, of } = follow();
    await tracker.poll();
    return of('config_warning').map(({ message }) => message);
  };
  expect(await warnings(2n, 2n)).toEqual([expect.stringContaining('below 3')]);
  expect(await warnings(4n, 3n)).toEqual([expect.stringContaining('only 3 sign')]);
  expect(await warnings(3n, 4n)).toEqual([]);
});

describe('RPCs that lie about the configuration', () => {
  /** However they are asked for: by the block's number or by its hash. */
  const hideNewest = async () => {
    const newest = await chain.client.getBlockNumber();
    const isHidden = ({ blockNumber }: { blockNumber: Hex }) => BigInt(blockNumber) === newest;
    rpc.tamper = (method, _params, result) =>
      method === 'eth_getLogs' ? (result as { blockNumber: Hex }[]).filter((log) => !isHidden(log)) : result;
  };

  test('error: logs that end before what the governor holds', async () => {
    await publish();
    await publish({ version: 3n });
    await hideNewest();
    const { tracker, switches, of } = follow();
    await tracker.poll();
    expect(switches).toEqual([]);
    expect(of('config_refused')).toMatchObject([
      { reason: 'contradicted', message: expect.stringContaining('version 3') },
    ]);
  });

  test('error: a log that the governor’s state does not bear out', async () => {
    await publish();
    rpc.tamper = (method, _params, result) => {
      if (method !== 'eth_getLogs') return result;
      const address = validator(1).signer.address.slice(2).toLowerCase();
      const forged = JSON.stringify(result).replaceAll(address, 'ee'.repeat(20));
      return JSON.parse(forged) as unknown;
    };
    const { tracker, switches, of } = follow();
    await tracker.poll();
    expect(switches).toEqual([]);
    expect(of('config_refused')).toMatchObject([{ reason: 'contradicted' }]);
    rpc.tamper = (_method, _params, result) => result;
    await tracker.poll();
    expect(switches).toMatchObject([{ kind: 'member', config: { version: 2n } }]);
  });

  const address = validator(1).signer.address.slice(2).toLowerCase();
  const key = devnetValidatorConfig.validatorPublicKeys[1]?.slice(2) as string;
  const quorumOf = (count: number) => count.toString(16).padStart(64, '0');
  test.each<[string, (text: string) => string]>([
    ['validators', (text) => text.replaceAll(address, 'ee'.repeat(20))],
    ['publicKeys', (text) => text.replaceAll(key, 'dd'.repeat(key.length / 2))],
    // The fourth word, in the log as in what the governor answers.
    ['quorum', (text) => text.replaceAll(new RegExp(`(0x0{63}2[0-9a-f]{128})${quorumOf(3)}`, 'g'), `$1${quorumOf(2)}`)],
  ])('error: %s that only one RPC has, in logs and state alike', async (name, forge) => {
    await publish();
    const honest = chainClient(chainOf(protocol, [chain.anvil.rpcUrl]));
    rpc.tamper = (method, _params, result) =>
      method === 'eth_getLogs' || method === 'eth_call'
        ? (JSON.parse(forge(JSON.stringify(result))) as unknown)
        : result;
    const { tracker, switches, of } = follow({ witness: honest });
    await tracker.poll();
    expect(switches).toEqual([]);
    const message = expect.stringMatching(new RegExp(`second RPC has other ${name} of version 2`));
    expect(of('config_refused')).toMatchObject([{ reason: 'contradicted', message }]);
    rpc.tamper = (_method, _params, result) => result;
    await tracker.poll();
    expect(switches).toMatchObject([{ config: { version: 2n, quorum: 3 } }]);
  });

  test('error: an oracle that only one RPC calls the active one', async () => {
    await publish();
    const honest = chainClient(chainOf(protocol, [chain.anvil.rpcUrl]));
    const active = protocol.oracle.address.slice(2).toLowerCase();
    rpc.tamper = (_method, _params, result) =>
      JSON.parse(JSON.stringify(result).replaceAll(active, 'ee'.repeat(20))) as unknown;
    const { tracker, switches, of } = follow({ witness: honest });
    await tracker.poll();
    expect(switches).toEqual([]);
    expect(of('config_refused')).toMatchObject([{ message: expect.stringContaining('other oracle of version 2') }]);
  });

  test('behavior: a head that was read is not read again, and a cursor alone is not written with each block', async () => {
    await publish();
    const asked: string[] = [];
    rpc.tamper = (method, _params, result) => {
      asked.push(method);
      return result;
    };
    const { tracker, kept } = follow();
    await tracker.poll();
    const stored = JSON.stringify(kept.json);
    asked.length = 0;
    await tracker.poll();
    expect(asked).toEqual(['eth_getBlockByNumber']);
    await chain.client.mine({ blocks: 1 });
    await tracker.poll();
    expect(JSON.stringify(kept.json)).toBe(stored);
    await chain.client.mine({ blocks: 64 });
    await tracker.poll();
    expect(JSON.stringify(kept.json)).not.toBe(stored);
  });

  test('error: an offchainConfig that a second RPC does not know; the governor does not store it', async () => {
    await publish();
    const honest = chainClient(chainOf(protocol, [chain.anvil.rpcUrl]));
    const heartbeat = (seconds: number) => seconds.toString(16).padStart(64, '0');
    rpc.tamper = (method, _params, result) =>
      method === 'eth_getLogs'
        ? (JSON.parse(JSON.stringify(result).replace(heartbeat(60), heartbeat(61))) as unknown)
        : result;
    const { tracker, switches, of } = follow({ witness: honest });
    await tracker.poll();
    expect(switches).toEqual([]);
    expect(of('config_refused')).toMatchObject([
      { reason: 'contradicted', message: expect.stringContaining('second RPC') },
    ]);
    rpc.tamper = (_method, _params, result) => result;
    await tracker.poll();
    expect(switches).toMatchObject([{ config: { version: 2n, pricing: { heartbeatSeconds: 60 } } }]);
  });
});
