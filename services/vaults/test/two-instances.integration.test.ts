import {
  GetChainRoles,
  GetMe,
  GetVaultManagers,
  ListChains,
  ListMyVaults,
  NoteViewOnly,
  ReadTogether,
} from '@castellan/contracts';
import { callAction, createBroker, createLogger, createRegistry, startService } from '@castellan/service-kit';
import { startTestNats, testIdentity, until } from '@castellan/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Address, getAddress } from 'viem';
import { person, who } from '../../../packages/protocol/test/test-chain.ts';
import { vaultsDefinition } from '../src/compose.ts';
import { callerOf, chain_id, VaultsSystem } from './harness.ts';

/** Two instances on one store: the first indexes, and the second must never answer with a role that an indexed block took away. */

type Broker = ReturnType<typeof createBroker>;

let system: VaultsSystem;
let other: Broker;
const undo: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  system = await VaultsSystem.start(async () => undefined);
  undo.push(() => system.stop());
  // On a bus of its own, so that a call reaches this instance and no other.
  const nats = await startTestNats();
  undo.push(() => nats.stop());
  const config = { ...system.config, nats: { ...system.config.nats, namespace: nats.namespace } };
  const service = await startService(vaultsDefinition(config));
  undo.push(() => service.stop());
  const log = createLogger({ service: 'test', level: 'silent' });
  const asking = {
    service: 'test',
    nats: config.nats,
    registry: createRegistry('test'),
    log,
    identity: testIdentity(),
  };
  other = createBroker({ ...asking, requestTimeoutMs: 15_000 });
  await other.start();
  undo.push(() => other.stop());
  await other.waitForServices({ name: 'vaults', version: 1 });
  await until('the second instance knows the chain', () =>
    managersThere().then(
      (managers) => managers.includes(who.secondary),
      () => false,
    ),
  );
});
afterAll(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

async function managersThere(): Promise<string[]> {
  const vault = { chain_id, vault_address: system.protocol.vault.address };
  const { primary, secondary } = await callAction(other, GetVaultManagers, vault);
  return [primary, ...secondary].map(({ wallet_address }) => wallet_address);
}

/** Answers that a gateway holds, by their tags. */
const held = new Map<string, string>();

/** The role of a wallet in its detail and its list of the second instance, for a gateway that names what it holds. */
async function polledThere(wallet_address: string): Promise<unknown[]> {
  const vault = { chain_id, vault_address: system.protocol.vault.address };
  const known = [...held.keys()].slice(-8);
  // On a busy machine a read may take longer than the others would wait for it, and is null then.
  const answers = await until('both are answered together', async () => {
    const found = await callAction(other, ReadTogether, {
      reads: [
        { read: 'detail', wallet_address, params: vault, known },
        { read: 'list', wallet_address, params: {}, known },
      ],
    });
    return found.answers.every((answer) => answer !== null) && found.answers;
  });
  const [detail, list] = answers.map((answer) => {
    if (answer.body !== null) held.set(answer.etag, answer.body);
    return JSON.parse(String(held.get(answer.etag)));
  });
  return [detail.my_role, list.vaults[0]?.my_role ?? null];
}

const change = (call: 'addSecondaryManager' | 'removeSecondaryManager', manager: Address) =>
  system.chain.send(who.main, system.protocol.aggregator, call, [system.protocol.strategy.address, manager]);

/** What the first instance says of the indexed block, and nothing else: the second was not asked meanwhile. */
async function indexed(): Promise<void> {
  const head = Number(await system.chain.client.getBlockNumber());
  await until(`block ${head} is indexed`, async () => {
    const { chains } = await system.call(ListChains, {});
    return chains[0]?.indexed_block === head;
  });
}

/** The next answer of the instance that does not index has what the indexed block changed. */
async function playChanges(): Promise<void> {
  const manager = getAddress(person(24).address);
  for (let round = 0; round < 4; round += 1) {
    await change('addSecondaryManager', manager);
    await indexed();
    expect(await polledThere(manager)).toEqual(['secondary_manager', 'secondary_manager']);
    expect(await managersThere()).toContain(manager);
    await change('removeSecondaryManager', manager);
    await indexed();
    expect(await polledThere(manager)).toEqual([null, null]);
    expect(await managersThere()).not.toContain(manager);
    const { roles } = await callAction(other, GetChainRoles, { wallet_address: manager });
    expect(roles).toEqual([]);
    const caller = callerOf(manager);
    expect((await callAction(other, ListMyVaults, {}, { caller })).vaults).toEqual([]);
    expect((await callAction(other, GetMe, {}, { caller })).vaults).toEqual([]);
  }
}

/** A manager who was appointed on a branch that was left is none there either. */
async function playBranch(): Promise<void> {
  const { chain } = system;
  const manager = getAddress(person(25).address);
  const before = await chain.client.snapshot();
  await change('addSecondaryManager', manager);
  await indexed();
  expect(await managersThere()).toContain(manager);
  await chain.client.revert({ id: before });
  await chain.client.mine({ blocks: 3 });
  await indexed();
  expect(await managersThere()).not.toContain(manager);
}

/** The next answer of either instance has a grant or revocation that was handed to the first. */
async function playGrants(): Promise<void> {
  const vault = { chain_id, vault_address: system.protocol.vault.address };
  const wallet_address = getAddress(person(27).address);
  const caller = callerOf(wallet_address);
  for (let version = 1; version <= 4; version += 1) {
    const granted = version % 2 === 1;
    await system.call(NoteViewOnly, { ...vault, wallet_address, granted, version });
    const me = { wallet_address, is_manager: false, vaults: granted ? [{ ...vault, role: 'view_only' }] : [] };
    expect(await polledThere(wallet_address)).toEqual(granted ? ['view_only', 'view_only'] : [null, null]);
    expect(await callAction(other, GetMe, {}, { caller })).toEqual(me);
    expect(await system.callAs(caller, GetMe, {})).toEqual(me);
    // An older change that arrives late, as events may, is nothing.
    await system.call(NoteViewOnly, { ...vault, wallet_address, granted: !granted, version: version - 1 });
  }
}

/** The instance that takes the chain over answers from what it indexes itself. */
async function playTakeover(): Promise<void> {
  const manager = getAddress(person(26).address);
  await change('addSecondaryManager', manager);
  await indexed();
  expect(await managersThere()).toContain(manager);
  await system.service.stop();
  await change('removeSecondaryManager', manager);
  const head = Number(await system.chain.client.getBlockNumber());
  await until('the other one indexes', async () => {
    const { chains } = await callAction(other, ListChains, {});
    return (chains[0]?.indexed_block ?? 0) >= head;
  });
  expect(await managersThere()).not.toContain(manager);
}

test('behavior: a second instance knows no role that an indexed block or a revocation took away: at once, after a reorganisation, and as the one that indexes', async () => {
  await playChanges();
  await playGrants();
  await playBranch();
  await playTakeover();
});
