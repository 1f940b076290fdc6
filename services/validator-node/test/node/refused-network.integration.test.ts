import { encodeOffchainConfig, type OffchainConfig } from '@castellan/chain';
import { devnetOffchainConfig, devnetValidatorConfig, devnetValidators } from '@castellan/devnet';
import { type OwnNats, startOwnNats, startTestStore, type TestStore } from '@castellan/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type Protocol, setUp, TestChain, who } from '../../../../packages/protocol/test/test-chain.ts';
import { nodeFolders, type Where } from './node-process.ts';

/** What governance published and what this node is must fit, or nothing is signed and the log says why. */

const nodes = nodeFolders();
let chain: TestChain;
let protocol: Protocol;
/** Its own: a validator's subjects on the bus carry no namespace. */
let nats: OwnNats;
let store: TestStore;
let where: Where;
let version = 1n;

beforeAll(async () => {
  [nats, store, chain] = await Promise.all([startOwnNats(), startTestStore(), TestChain.start()]);
  protocol = await setUp(chain);
  where = {
    natsUrl: nats.url,
    mongoUri: store.uri,
    database: store.database,
    rpcUrl: chain.anvil.rpcUrl,
    governor: protocol.governor.address,
    oracle: protocol.oracle.address,
  };
});
// A node that a test leaves running would go on reading the chain beside those of the next tests.
afterEach(() => nodes.endAll());
afterAll(async () => {
  await nodes.clean();
  await Promise.all([nats?.stop(), store?.stop(), chain?.stop()]);
});

type Published = Omit<typeof devnetValidatorConfig, 'offchainConfig'> & { offchain: OffchainConfig };

/** Publishes the devnet's configuration with these changes as the next version. */
async function publish(changes: Partial<Published> = {}): Promise<void> {
  version += 1n;
  const { validators, validatorPublicKeys, quorum, offchain } = {
    ...devnetValidatorConfig,
    offchain: devnetOffchainConfig,
    ...changes,
  };
  await chain.send(who.deployer, protocol.governor, 'setValidatorConfig', [
    ...[version, validators, validatorPublicKeys, quorum, encodeOffchainConfig(offchain)],
  ]);
  await chain.client.mine({ blocks: 2 });
}

/** A node on what was published, in a store of its own. */
function start(index: number, change?: Parameters<typeof nodes.write>[2]) {
  const own = { ...where, database: `${store.database}_${version}` };
  return nodes.run(nodes.write(index, own, change));
}

const messageOf = (line: string) => (JSON.parse(line) as { message?: string; msg: string }).msg;
type Identity = OffchainConfig['oracles'][number];
const [first, second] = devnetOffchainConfig.oracles as [Identity, Identity];

describe('a configuration that nobody may run', () => {
  test.each<[string, Partial<Published>, RegExp]>([
    ['a quorum below f + 1', { quorum: 1n }, /A quorum of 1 is unsafe: .* 2 is the least/],
    [
      'a key that two oracles share',
      {
        offchain: {
          ...devnetOffchainConfig,
          oracles: [first, { ...second, offchainKey: first.offchainKey }, ...devnetOffchainConfig.oracles.slice(2)],
        },
      },
      /The offchainKey 0x[0-9a-f]{64} belongs to two oracles/i,
    ],
    ['too many faulty ones', { offchain: { ...devnetOffchainConfig, f: 2 } }, /4 oracles cannot stand 2 faulty ones/],
  ])('error: %s is refused once, and no protocol starts', async (_what, changes, reason) => {
    await publish(changes);
    const node = start(0);
    const line = await node.says('config_refused');
    expect(line).toMatch(reason);
    expect(messageOf(line)).toMatch(reason);
    // biome-ignore lint/plugin: two polls of the node's second pass, in which it could say it again
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(
      node
        .output()
        .split('\n')
        .filter((each) => each.includes(`Version ${version} of`)),
    ).toHaveLength(1);
    expect(node.output()).not.toContain('protocol started');
    node.child.kill('SIGTERM');
    expect(await node.ended).toBe(0);
  });

  test('error: a signer named twice is refused by the contract itself', async () => {
    const [one, , ...rest] = devnetValidatorConfig.validators;
    const validators = [one, one, ...rest] as typeof devnetValidatorConfig.validators;
    await expect(publish({ validators })).rejects.toThrow('VALIDATOR_ALREADY_REGISTERED');
    version -= 1n;
  });

  test('behavior: the next good version is run without a restart', async () => {
    await publish({ quorum: 1n });
    const node = start(0);
    await node.says('config_refused');
    await publish();
    await node.says('protocol started');
    node.child.kill('SIGTERM');
    expect(await node.ended).toBe(0);
  });
});

describe('a node that is not what the configuration lists', () => {
  test('error: another off-chain key than the listed one is named, and nothing starts', async () => {
    await publish();
    const node = start(0, ({ keys = {} }) => Object.assign(keys, { offchain_private_key: `0x${'5a'.repeat(32)}` }));
    expect(await node.says('config_refused')).toContain('lists this node with another offchainKey');
    expect(node.output()).not.toContain('protocol started');
  });

  test('error: a signer that is not listed is named, and nothing starts', async () => {
    await publish();
    const node = start(0, ({ keys = {} }) =>
      Object.assign(keys, { onchain_private_key: { private_key: `0x${'5b'.repeat(32)}` } }),
    );
    expect(await node.says('not_listed')).toContain('0x');
    expect(node.output()).not.toContain('protocol started');
  });

  test('error: a listed signer without its guard is refused by the name of the setting; allowed, it waits', async () => {
    await publish();
    const set = (value: string) => (tables: Record<string, Record<string, unknown>>) =>
      void Object.assign(tables.ocr2 ?? {}, { empty_guard: value });
    const refused = start(2, set('refuse'));
    expect(await refused.ended).toBe(1);
    expect(refused.output()).toMatch(/no guard of what it signed.*ocr2\.empty_guard.*the node must stop/);
    expect(refused.output()).not.toContain('protocol started');
    const waiting = start(2, set('wait'));
    await waiting.says('protocol started');
    waiting.child.kill('SIGTERM');
    expect(await waiting.ended).toBe(0);
    const again = start(2, set('refuse'));
    await again.says('protocol started');
  });

  test('error: a key that runs elsewhere is refused; after the other ends it starts', async () => {
    await publish();
    const held = start(1);
    await held.says('node started');
    const again = start(1);
    expect(await again.ended).toBe(1);
    expect(again.output()).toContain(`Another process uses the key ${devnetValidators[1]?.signer.address}`);
    held.child.kill('SIGTERM');
    expect(await held.ended).toBe(0);
    const next = start(1);
    await next.says('node started');
    next.child.kill('SIGTERM');
    expect(await next.ended).toBe(0);
  });
});

test('behavior: SIGTERM while the store is away ends the start at once', async () => {
  const node = nodes.run(nodes.write(2, { ...where, mongoUri: 'mongodb://127.0.0.1:1' }));
  await node.says('document store');
  const asked = performance.now();
  node.child.kill('SIGTERM');
  expect(await node.ended).toBe(0);
  expect(performance.now() - asked).toBeLessThan(15_000);
});
