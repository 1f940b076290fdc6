import {
  DirectoryStream,
  type EventData,
  GetVaultManagers,
  PrepareChange,
  RoleStream,
  RolesChanged,
  UpdateStream,
  VaultUpdated,
  ViewOnlyChanged,
} from '@castellan/contracts';
import { defineStreams, followStream, publishDurable } from '@castellan/service-kit';
import { until, untilPromised } from '@castellan/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Address, zeroAddress } from 'viem';
import { createVault, creation, person, who } from '../../../packages/protocol/test/test-chain.ts';
import { chain_id, type Trio, trioOf, VaultsSystem } from './harness.ts';

/** Who may prepare a change of secondary managers, and what the chain would say to it. */

let system: VaultsSystem;
/** A vault with as many secondary managers as there may be. */
let full: Trio;
/** A vault with one, who leaves it. */
let left: Trio;
const viewer = person(30).address;
const formerViewer = person(32).address;
const leaving = person(26).address;
const newcomer = person(31).address;
const crowd = [20, 21, 22, 23, 24].map((index) => person(index).address);

beforeAll(async () => {
  system = await VaultsSystem.start(async (chain, { aggregator, asset }) => {
    full = trioOf(await createVault(chain, aggregator, creation(asset.address, { secondaryManagers: crowd })));
    left = trioOf(await createVault(chain, aggregator, creation(asset.address, { secondaryManagers: [leaving] })));
  });
  await defineStreams(system.durable, [DirectoryStream]);
  const { address: vault_address } = system.protocol.vault;
  for (const wallet_address of [viewer, formerViewer]) {
    const grant = { chain_id, vault_address, wallet_address, granted: true, version: 1 };
    await publishDurable(system.durable, ViewOnlyChanged, grant, { msgId: `grant-${wallet_address}` });
    await until('the grant is known', async () => {
      return (await system.detail(vault_address, wallet_address)).my_role === 'view_only';
    });
  }
});
afterAll(async () => system?.stop());

type Change = { manager: string; force?: boolean; vault?: string };
const preparing =
  (kind: 'add_secondary_manager' | 'remove_secondary_manager') =>
  async ({ manager, force = false, vault = system.protocol.vault.address }: Change, wallet?: string) => {
    const params = { kind, chain_id, vault_address: vault, force, args: { manager_address: manager } };
    const [call] = (await system.call(PrepareChange, params, wallet)).steps;
    if (!call) throw new Error('No step was prepared.');
    return call;
  };
const prepare = { add: preparing('add_secondary_manager'), remove: preparing('remove_secondary_manager') };

const useful = { add: newcomer, remove: who.secondary } as const;
const contractCall = { add: 'addSecondaryManager', remove: 'removeSecondaryManager' } as const;
const kinds = ['add', 'remove'] as const;

describe.each(kinds)('who may prepare to %s one', (kind) => {
  const manager = useful[kind];

  test('default: the primary manager; the call is the aggregator`s and would succeed', async () => {
    const { aggregator, strategy } = system.protocol;
    const call = await prepare[kind]({ manager }, who.main);
    expect(call).toMatchObject({
      to: aggregator.address,
      data: system.chain.encode(aggregator, contractCall[kind], [strategy.address, manager]),
      value: '0',
      chain_id,
      decoded: { function: contractCall[kind], args: { strategy: strategy.address, manager } },
      simulation: { ok: true, revert_reason: null },
    });
  });

  test.each([
    ['a secondary manager', who.secondary, 'secondary_manager'],
    ['a viewer', viewer, 'view_only'],
    ['a stranger', who.stranger, null],
    ['the manager of another vault', crowd[0] as Address, null],
  ])('error: ROLE_REQUIRED for %s, forced or not', async (_who, wallet, role) => {
    for (const force of [false, true]) {
      await expect(prepare[kind]({ manager, force }, wallet)).rejects.toMatchObject({
        code: 'ROLE_REQUIRED',
        data: { required_role: 'primary_manager', role },
      });
    }
  });

  test('error: TOKEN_MISSING without a caller', async () => {
    for (const force of [false, true])
      await expect(prepare[kind]({ manager, force })).rejects.toMatchObject({ code: 'TOKEN_MISSING' });
  });
});

describe('what the chain would refuse', () => {
  const refusals: [(typeof kinds)[number], string, () => Change][] = [
    ['add', 'ZERO_ADDRESS', () => ({ manager: zeroAddress })],
    ['add', 'SECONDARY_MANAGER_CANNOT_BE_PRIMARY', () => ({ manager: who.main })],
    ['add', 'MANAGER_ALREADY_EXISTS', () => ({ manager: who.secondary })],
    ['add', 'TOO_MANY_SECONDARY_MANAGERS', () => ({ manager: newcomer, vault: full.vault })],
    ['add', 'MANAGER_ALREADY_EXISTS', () => ({ manager: crowd[4] as Address, vault: full.vault })],
    ['remove', 'MANAGER_NOT_FOUND', () => ({ manager: newcomer })],
    ['remove', 'MANAGER_NOT_FOUND', () => ({ manager: who.main })],
    ['remove', 'MANAGER_NOT_FOUND', () => ({ manager: zeroAddress })],
  ];
  test.each(refusals)('error: to %s: %s, as the contract itself says', async (kind, code, change) => {
    const { manager, vault = system.protocol.vault.address } = change();
    const { strategy } = [trioOf(system.protocol), full].find((trio) => trio.vault === vault) as Trio;
    const { chain, protocol } = system;
    expect(await chain.attempt(who.main, protocol.aggregator, contractCall[kind], [strategy, manager])).toBe(code);
    await expect(prepare[kind](change(), who.main)).rejects.toMatchObject({ code, data: { revert_reason: code } });
    const forced = await prepare[kind]({ ...change(), force: true }, who.main);
    expect(forced.simulation).toEqual({ ok: false, revert_reason: code });
  });

  test('behavior: preparing changes nothing', async () => {
    const { chain, protocol } = system;
    const before = await chain.client.getBlockNumber();
    await prepare.add({ manager: newcomer }, who.main);
    expect(await chain.client.getBlockNumber()).toBe(before);
    expect(await chain.read(protocol.aggregator, 'getSecondaryManagers', [protocol.strategy.address])).toEqual([
      who.secondary,
    ]);
  });
});

test('behavior: what was prepared, once sent, gives and takes the role', async () => {
  const { chain, protocol } = system;
  const vault = { chain_id, vault_address: protocol.vault.address };
  const send = async (kind: (typeof kinds)[number]) => {
    const { to, data } = await prepare[kind]({ manager: newcomer }, who.main);
    await (await chain.sender(who.main)).send({ to: to as Address, data: data as Address });
    await system.indexed();
    return (await system.call(GetVaultManagers, vault)).secondary.map(({ wallet_address }) => wallet_address);
  };
  expect(await send('add')).toEqual([who.secondary, newcomer]);
  await expect(prepare.add({ manager: newcomer }, who.main)).rejects.toMatchObject({ code: 'MANAGER_ALREADY_EXISTS' });
  await expect(prepare.add({ manager: viewer }, newcomer)).rejects.toMatchObject({ code: 'ROLE_REQUIRED' });
  const pause = () =>
    system.call(PrepareChange, { kind: 'pause', ...vault, args: { reason: 'A trial.' } } as never, newcomer);
  expect((await pause()).steps).toHaveLength(1);
  expect(await send('remove')).toEqual([who.secondary]);
  await expect(pause()).rejects.toMatchObject({ code: 'ROLE_REQUIRED', data: { role: null } });
});

test('behavior: the end of a role is published within 5 s of its block, and by then everybody gets that answer', async () => {
  const { chain, protocol, durable } = system;
  const changes: EventData<typeof RolesChanged>[] = [];
  const following = await followStream(durable, {
    stream: RoleStream,
    events: [RolesChanged],
    from: new Date(),
    onMessage: ({ data }) => void changes.push(data as EventData<typeof RolesChanged>),
  });
  const changeOf = (vault: string, from: { block?: number; place?: number }) => {
    const { block = 0, place = 0 } = from;
    const isIt = (one: EventData<typeof RolesChanged>) => one.vault_address === vault && one.block_number >= block;
    return untilPromised('the change', () => changes.slice(place).find(isIt), 5_000);
  };
  await chain.send(who.main, protocol.aggregator, 'removeSecondaryManager', [left.strategy, leaving]);
  const block = Number(await chain.client.getBlockNumber());
  expect(await changeOf(left.vault, { block })).toMatchObject({ chain_id, block_number: block });
  const managers = () => system.call(GetVaultManagers, { chain_id, vault_address: left.vault });
  await untilPromised('roles are read at that block', async () => (await managers()).block_number >= block, 5_000);
  const { secondary } = await managers();
  expect(secondary.map(({ wallet_address }) => wallet_address)).not.toContain(leaving);
  // What is final goes on with each block, one confirmation behind, though the vault is not read again.
  await chain.client.mine({ blocks: 3 });
  await system.indexed();
  expect(await managers()).toMatchObject({ final_block: Number(await chain.client.getBlockNumber()) - 1 });
  const { address: vault_address } = protocol.vault;
  const revoked = { chain_id, vault_address, wallet_address: formerViewer, granted: false, version: 2 };
  const place = changes.length;
  await publishDurable(durable, ViewOnlyChanged, revoked, { msgId: 'revoked' });
  await changeOf(vault_address, { place });
  expect((await system.detail(vault_address, formerViewer)).my_role).toBeNull();
  await following.stop();
});

test('behavior: a rollback that takes a vault away is published to who has it open and who keeps what it answered', async () => {
  const { chain, protocol, durable } = system;
  const before = await chain.client.snapshot();
  const fork = Number(await chain.client.getBlockNumber());
  // What the creation itself publishes names a later block than the first one that is gone.
  await chain.client.mine({ blocks: 1 });
  const { vault } = trioOf(await createVault(chain, protocol.aggregator, creation(protocol.asset.address)));
  await system.indexed();
  const managers = () => system.call(GetVaultManagers, { chain_id, vault_address: vault });
  expect((await managers()).vault_address).toBe(vault);
  const published = new Set<string>();
  const follow = (stream: typeof RoleStream, event: typeof RolesChanged | typeof VaultUpdated) => {
    const onMessage = ({ data }: { data: unknown }) => {
      const { vault_address, block_number } = data as EventData<typeof RolesChanged>;
      if (vault_address === vault && block_number === fork + 1) published.add(event.name);
    };
    return followStream(durable, { stream, events: [event], from: new Date(), onMessage });
  };
  const following = [await follow(RoleStream, RolesChanged), await follow(UpdateStream, VaultUpdated)];
  await chain.client.revert({ id: before });
  await chain.client.mine({ blocks: 3 });
  await until('both are published', () => published.size === 2);
  await expect(managers()).rejects.toMatchObject({ code: 'VAULT_NOT_FOUND' });
  for (const one of following) await one.stop();
});
