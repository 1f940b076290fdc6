import { createHash } from 'node:crypto';
import { hookLeaf, hookTree } from '@castellan/chain';
import {
  ActivateHookConfig,
  CreateHook,
  CreateHookConfig,
  DeleteHook,
  GenerateTree,
  GetActiveHookConfig,
  GetHookConfig,
  GetHookConfigVersion,
  GetMerkleJob,
  GetMerkleSync,
  GetProofStatus,
  GetPublishedTree,
  GetTree,
  ListHookConfigs,
  ListHooks,
  ListMerkleJobs,
  ListProofs,
  ListTrees,
  LookupProof,
  type MerkleJob,
  PrepareChange,
  type PreparedCall,
  PublishTree,
  ReadArtifact,
  TreeArtifact,
  UpdateHook,
} from '@castellan/contracts';
import { until } from '@castellan/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Address, type Hex, zeroHash } from 'viem';
import { argsOf, type Protocol, type TestChain, who } from '../../../packages/protocol/test/test-chain.ts';
import { chain_id, VaultsSystem } from './harness.ts';

/** The whole way of a hooks root, over the bus, a real store and the development contracts. Each test goes on where the last ended. */

const viewer = who.alice;
let system: VaultsSystem;
let chain: TestChain;
let protocol: Protocol;
let vault: { chain_id: number; vault_address: string };
const hookIds = new Map<string, string>();

beforeAll(async () => {
  system = await VaultsSystem.start(async (on, { strategy, sources, sourceOracle }) => {
    for (const { address } of sources)
      await on.send(who.main, strategy, 'manageYieldSource', [address, sourceOracle.address, 0]);
  });
  ({ chain, protocol } = system);
  vault = { chain_id, vault_address: protocol.vault.address };
}, 90_000);
afterAll(async () => system?.stop());

const rowsFor = (sources: readonly Address[]) =>
  sources.flatMap((yield_source) => [
    { hook_id: hookIds.get('DEPOSIT') ?? '', params: { yield_source, token: protocol.asset.address } },
    { hook_id: hookIds.get('WITHDRAWAL') ?? '', params: { yield_source, owner: protocol.strategy.address } },
  ]);
const leavesFor = (sources: readonly Address[]): Hex[] =>
  sources.flatMap((source) => [
    hookLeaf(protocol.depositHook.address, argsOf(source, protocol.asset.address)),
    hookLeaf(protocol.redeemHook.address, argsOf(source, protocol.strategy.address)),
  ]);
const sync = () => system.call(GetMerkleSync, vault, who.main);
const finished = async ({ id }: MerkleJob): Promise<MerkleJob> => {
  await until('the job is over', async () => {
    const { status } = await system.call(GetMerkleJob, { id }, who.main);
    return status === 'completed' || status === 'failed';
  });
  return system.call(GetMerkleJob, { id }, who.main);
};
const prepare = async (kind: string, args: object = {}, wallet: string = who.main): Promise<PreparedCall> => {
  const { steps } = await system.call(PrepareChange, { kind, ...vault, args } as never, wallet);
  return steps[0] as PreparedCall;
};
async function send(from: Address, { to, data }: PreparedCall): Promise<void> {
  const call = { from, to, data, gas: '0x4c4b40' };
  const hash = (await chain.client.request({ method: 'eth_sendTransaction', params: [call] } as never)) as Hex;
  const { status } = await chain.receiptOf(hash);
  expect(status).toBe('success');
  await system.indexed();
}
type Proof = { hook_address: string; encoded_args: string; proof: readonly string[] };
const validHooks = (leaves: readonly Proof[], under: 'strategyProof' | 'globalProof' = 'strategyProof') =>
  chain.read<boolean[]>(protocol.aggregator, 'validateHooks', [
    protocol.strategy.address,
    leaves.map(({ hook_address, encoded_args, proof }) => ({
      hookAddress: hook_address,
      hookArgs: encoded_args,
      globalProof: [],
      strategyProof: [],
      [under]: proof,
    })),
  ]);
const sourcesOf = () => protocol.sources.map(({ address }) => address);

describe('the registry', () => {
  test('default: begins with the hooks of the chain`s configuration', async () => {
    const { hooks, total } = await system.call(ListHooks, { chain_id, is_active: true }, viewer);
    expect(total).toBe(2);
    for (const { hook_type, id } of hooks) hookIds.set(hook_type, id);
    expect(hooks.map(({ addresses }) => addresses[0]?.address)).toEqual([
      protocol.depositHook.address,
      protocol.redeemHook.address,
    ]);
  });

  const draft = () => ({
    name: 'Swap',
    hook_type: 'REBALANCE' as const,
    addresses: [{ chain_id, address: protocol.depositHook.address }],
    inspect_params: [{ name: 'token', solidity_type: 'address', ref_type: 'token' as const, param_order: 0 }],
    calldata: [{ name: 'token', solidity_type: 'address' }],
  });

  test('behavior: is written by its maintainers, each version once', async () => {
    const created = await system.call(CreateHook, draft(), who.bob);
    const change = { ...draft(), id: created.id, version: 1, name: 'Swapper' };
    expect(await system.call(UpdateHook, change, who.bob)).toMatchObject({ version: 2, name: 'Swapper' });
    await expect(system.call(UpdateHook, change, who.bob)).rejects.toMatchObject({ code: 'VERSION_CONFLICT' });
    await system.call(DeleteHook, { id: created.id }, who.bob);
    await expect(system.call(DeleteHook, { id: created.id }, who.bob)).rejects.toMatchObject({
      code: 'HOOK_NOT_FOUND',
    });
    expect((await system.call(ListHooks, {}, viewer)).total).toBe(2);
  });

  test('error: anybody else, the primary manager of a vault too', async () => {
    const refusal = { code: 'ROLE_REQUIRED', data: { required_role: 'registry_maintainer' } };
    await expect(system.call(CreateHook, draft(), who.main)).rejects.toMatchObject(refusal);
    await expect(system.call(DeleteHook, { id: 'any' }, who.main)).rejects.toMatchObject(refusal);
    await expect(system.call(CreateHook, draft())).rejects.toMatchObject({ code: 'TOKEN_MISSING' });
    // What a maintainer's token for one vault could change here would concern all of them.
    const bound = { wallet_address: who.bob, sid: 'test', issuer: 'test', vault };
    await expect(system.callAs(bound, CreateHook, draft())).rejects.toMatchObject(refusal);
  });

  test('error: a parameter without its field', async () => {
    const fieldless = { ...draft(), calldata: [{ name: 'other', solidity_type: 'address' }] };
    await expect(system.call(CreateHook, fieldless, who.bob)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  });
});

describe('configurations', () => {
  test('error: rows that cannot be used are named by their place', async () => {
    const rows = [...rowsFor(sourcesOf()), { hook_id: 'nothing', params: {} }];
    const error = await system
      .call(CreateHookConfig, { ...vault, rows }, who.main)
      .catch((failure: unknown) => failure);
    expect(error).toMatchObject({
      code: 'HOOK_ROW_REFUSED',
      data: { errors: [{ path: 'body.rows.4.hook_id', message: 'is no hook of the registry' }] },
    });
    const malformed = [{ hook_id: hookIds.get('DEPOSIT') ?? '', params: { yield_source: '0x12' } }];
    await expect(system.call(CreateHookConfig, { ...vault, rows: malformed }, who.main)).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      data: { errors: [{ path: 'body.rows.0.params.yield_source' }, { path: 'body.rows.0.params.token' }] },
    });
  });

  test('behavior: before there is one, nothing can be generated', async () => {
    expect(await sync()).toMatchObject({ action: 'needs_generation', reason: 'no_active_config', tree_id: null });
    await expect(system.call(GenerateTree, vault, who.main)).rejects.toMatchObject({ code: 'NO_ACTIVE_HOOK_CONFIG' });
    await expect(system.call(GetActiveHookConfig, vault, who.main)).rejects.toMatchObject({
      code: 'HOOK_CONFIG_NOT_FOUND',
    });
  });

  test('behavior: a version is made by any manager and never changes', async () => {
    const [first] = sourcesOf();
    const one = await system.call(CreateHookConfig, { ...vault, rows: rowsFor([first as Address]) }, who.secondary);
    expect(one).toMatchObject({ version: 1, is_active: false, row_count: 2, tree_id: null });
    // The same rows twice are the same leaves.
    const rows = [...rowsFor(sourcesOf()), ...rowsFor([first as Address])];
    const two = await system.call(CreateHookConfig, { ...vault, rows, base_version: 1, note: 'Both' }, who.main);
    expect(two).toMatchObject({ version: 2, row_count: 6, note: 'Both' });
    await expect(system.call(CreateHookConfig, { ...vault, rows, base_version: 1 }, who.main)).rejects.toMatchObject({
      code: 'VERSION_CONFLICT',
    });
    expect(await system.call(GetHookConfigVersion, { ...vault, version: 1 }, who.main)).toEqual(one);
    expect(await system.call(GetHookConfig, { id: one.id }, who.main)).toEqual(one);
    const { versions } = await system.call(ListHookConfigs, { ...vault, limit: 1 }, who.main);
    expect(versions).toMatchObject([{ version: 2 }]);
  });

  test('behavior: two at the same time get a version each', async () => {
    const rows = rowsFor(sourcesOf());
    const made = await Promise.all([1, 2, 3].map(() => system.call(CreateHookConfig, { ...vault, rows }, who.main)));
    expect(made.map(({ version }) => version).sort()).toEqual([3, 4, 5]);
  });

  test('behavior: activating takes the version that is active, when it is named', async () => {
    const activate = (version: number, active_version?: number | null) =>
      system.call(
        ActivateHookConfig,
        { ...vault, version, ...(active_version === undefined ? {} : { active_version }) },
        who.main,
      );
    await expect(activate(1, 1)).rejects.toMatchObject({ code: 'VERSION_CONFLICT' });
    expect(await activate(1, null)).toMatchObject({ version: 1, is_active: true });
    await expect(activate(2, null)).rejects.toMatchObject({ code: 'VERSION_CONFLICT' });
    expect(await activate(2, 1)).toMatchObject({ version: 2, is_active: true });
    await expect(activate(9)).rejects.toMatchObject({ code: 'HOOK_CONFIG_NOT_FOUND' });
    expect(await system.call(GetActiveHookConfig, vault, who.main)).toMatchObject({ version: 2 });
    expect(await sync()).toMatchObject({ action: 'needs_generation', reason: 'not_generated', config_version: 2 });
  });

  test('error: those without a role on the vault see and change nothing', async () => {
    const rows = rowsFor(sourcesOf());
    const code = 'ROLE_REQUIRED';
    const { versions } = await system.call(ListHookConfigs, vault, who.main);
    const id = versions[0]?.id ?? '';
    for (const asked of [
      () => system.call(CreateHookConfig, { ...vault, rows }, viewer),
      () => system.call(ListHookConfigs, vault, viewer),
      () => system.call(GetHookConfig, { id }, viewer),
      () => system.call(ActivateHookConfig, { ...vault, version: 1 }, viewer),
      () => system.call(GenerateTree, vault, viewer),
      () => system.call(GetMerkleSync, vault, viewer),
      () => system.call(PublishTree, vault, who.secondary),
    ])
      await expect(asked()).rejects.toMatchObject({ code });
  });

  test('error: a token that is bound to another vault', async () => {
    const { versions } = await system.call(ListHookConfigs, vault, who.main);
    const bound = {
      wallet_address: who.main,
      sid: 'test',
      issuer: 'test',
      vault: { chain_id, vault_address: protocol.asset.address },
    };
    await expect(system.callAs(bound, GetHookConfig, { id: versions[0]?.id ?? '' })).rejects.toMatchObject({
      code: 'ROLE_REQUIRED',
    });
  });
});

describe('from the tree to the chain', () => {
  let root: string;
  let treeId: string;
  let proofs: Proof[];

  test('behavior: of two who generate at once one is told of the other`s job', async () => {
    const asked = await Promise.allSettled(
      [who.main, who.secondary].map((wallet) => system.call(GenerateTree, vault, wallet)),
    );
    const started = asked.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
    const refused = asked.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
    expect([started.length, refused.length]).toEqual([1, 1]);
    expect(refused[0]).toMatchObject({ code: 'JOB_RUNNING', data: { job_id: started[0]?.id } });
    const job = await finished(started[0] as MerkleJob);
    expect(job).toMatchObject({ status: 'completed', config_version: 2, error: null, progress: { done: 6, total: 6 } });
    treeId = job.tree_id ?? '';
  });

  test('default: the tree is that of the protocol, rows of one leaf are one', async () => {
    const tree = await system.call(GetTree, { id: treeId }, who.main);
    root = hookTree(leavesFor(sourcesOf())).root;
    expect(tree).toMatchObject({ root_hash: root, leaf_count: 4, row_count: 6, is_current: true });
    const listed = await system.call(ListProofs, { ...vault, limit: 3 }, who.main);
    const rest = await system.call(ListProofs, { ...vault, limit: 3, cursor: listed.next_cursor ?? '' }, who.main);
    expect([listed.has_more, rest.has_more, rest.proofs.length]).toEqual([true, false, 1]);
    proofs = [...listed.proofs, ...rest.proofs];
    expect([...listed.proofs, ...rest.proofs].map(({ leaf_hash }) => leaf_hash)).toEqual(leavesFor(sourcesOf()));
  });

  test('behavior: generated again it is the same tree', async () => {
    const again = await finished(await system.call(GenerateTree, vault, who.secondary));
    expect(again).toMatchObject({ status: 'completed', tree_id: treeId });
    expect((await system.call(ListTrees, vault, who.main)).total).toBe(1);
    expect((await system.call(ListMerkleJobs, vault, who.main)).total).toBe(2);
  });

  test('behavior: proposed, waited for and put into force', async () => {
    expect(await sync()).toMatchObject({ action: 'propose', root_hash: root });
    await expect(prepare('propose_hooks_root', { root: `0x${'12'.repeat(32)}` })).rejects.toMatchObject({
      code: 'HOOKS_TREE_UNKNOWN',
    });
    await send(who.main, await prepare('propose_hooks_root', { root }));
    const waiting = await sync();
    expect(waiting).toMatchObject({ action: 'pending_timelock', proposed_root: root, timelock_seconds: 900 });
    expect(Date.parse(waiting.effective_time ?? '') - Date.parse(waiting.chain_time)).toBeGreaterThan(800_000);
    await expect(prepare('execute_hooks_root')).rejects.toMatchObject({ code: 'ROOT_UPDATE_NOT_READY' });
    expect(await validHooks(proofs)).toEqual([false, false, false, false]);
    await chain.pass(900);
    await system.indexed();
    expect(await sync()).toMatchObject({ action: 'execute', reason: 'timelock_over' });
    await send(who.secondary, await prepare('execute_hooks_root', {}, who.secondary));
    expect(await sync()).toMatchObject({ action: 'in_sync', strategy_root: root, proposed_root: null });
  });

  test('default: the chain takes each leaf with its proof, and no other', async () => {
    expect(await validHooks(proofs)).toEqual([true, true, true, true]);
    const [first, second] = proofs as [Proof, Proof];
    const foreign = { ...first, encoded_args: argsOf(protocol.aggregator.address, protocol.asset.address) };
    expect(await validHooks([foreign, { ...first, proof: second.proof }])).toEqual([false, false]);
    const found = await system.call(
      LookupProof,
      { ...vault, hook_address: first.hook_address, encoded_args: first.encoded_args },
      who.main,
    );
    expect(found).toMatchObject({ is_valid: true, root_hash: root, proof: { index: 0, is_banned: false } });
    await expect(system.call(LookupProof, { ...vault, leaf_hash: zeroHash }, who.main)).rejects.toMatchObject({
      code: 'LEAF_NOT_FOUND',
    });
    expect(await system.call(GetProofStatus, vault)).toMatchObject({
      strategy_root: root,
      leaves: { total: 4, checked: 4, valid: 4 },
      published: null,
    });
  });

  test('behavior: a ban closes the global root to the vault, and not its own', async () => {
    const leaf = leavesFor(sourcesOf())[0] as Hex;
    const alone = hookTree([leaf, zeroHash]);
    const global = [{ ...(proofs[0] as Proof), proof: alone.proofOf(leaf) }];
    await chain.send(who.deployer, protocol.governor, 'proposeGlobalHooksRoot', [alone.root]);
    await chain.pass(901);
    await chain.send(who.deployer, protocol.aggregator, 'executeGlobalHooksRootUpdate');
    expect(await validHooks(global, 'globalProof')).toEqual([true]);
    await send(who.main, await prepare('ban_hook_leaves', { leaves: [leaf] }));
    expect(await validHooks(global, 'globalProof')).toEqual([false]);
    expect(await validHooks(proofs.slice(0, 1))).toEqual([true]);
    const { merkle } = await system.detail(protocol.vault.address);
    expect(merkle.banned_leaves).toEqual([leaf]);
    const listed = await system.call(ListProofs, { ...vault, limit: 2 }, who.main);
    expect(listed.proofs.map(({ is_banned }) => is_banned)).toEqual([true, false]);
    await expect(prepare('ban_hook_leaves', { leaves: [leaf] })).rejects.toMatchObject({ code: 'LEAVES_UNCHANGED' });
    await send(who.main, await prepare('allow_hook_leaves', { leaves: [leaf] }));
    expect(await validHooks(global, 'globalProof')).toEqual([true]);
    expect((await system.detail(protocol.vault.address)).merkle.banned_leaves).toEqual([]);
  });

  test('behavior: under a veto nothing holds, and there is nothing to do on the chain', async () => {
    const veto = async (vetoed: boolean) => {
      await chain.send(who.deployer, protocol.governor, 'setStrategyHooksRootVetoStatus', [
        protocol.strategy.address,
        vetoed,
      ]);
      await system.indexed();
    };
    await veto(true);
    expect(await validHooks(proofs)).toEqual([false, false, false, false]);
    expect(await sync()).toMatchObject({ action: 'in_sync', veto: { strategy: true, global: false } });
    const leaf_hash = leavesFor(sourcesOf())[0] as Hex;
    expect(await system.call(LookupProof, { ...vault, leaf_hash }, who.main)).toMatchObject({ is_valid: false });
    expect((await system.detail(protocol.vault.address)).merkle.veto).toEqual({ global: false, strategy: true });
    await veto(false);
    expect(await validHooks(proofs)).toEqual([true, true, true, true]);
  });

  test('behavior: a foreign proposal over the right root has to be replaced', async () => {
    const foreign = `0x${'77'.repeat(32)}`;
    await chain.send(who.main, protocol.aggregator, 'proposeStrategyHooksRoot', [protocol.strategy.address, foreign]);
    await system.indexed();
    expect(await sync()).toMatchObject({ action: 'propose', reason: 'foreign_proposal', proposed_root: foreign });
    const call = await prepare('propose_hooks_root', { root });
    expect(call.description).toContain(`takes the place of the proposed root ${foreign}`);
    await send(who.main, call);
    expect(await sync()).toMatchObject({ action: 'in_sync', proposed_root: root });
  });

  test('behavior: a published tree is read by everybody under its hash, and gets stale', async () => {
    expect(await system.call(GetPublishedTree, vault)).toMatchObject({ success: false, published: false, data: null });
    expect(await finished(await system.call(PublishTree, vault, who.main))).toMatchObject({ status: 'completed' });
    const { data } = await system.call(GetPublishedTree, vault);
    expect(data).toMatchObject({ root_hash: root, total_leaves: 4, tree_id: treeId, is_stale: false });
    const { text, next } = await system.call(ReadArtifact, { hash: data?.artifact_hash ?? '' });
    expect(next).toBeNull();
    expect(`0x${createHash('sha256').update(text).digest('hex')}`).toBe(data?.artifact_hash);
    const artifact = TreeArtifact.parse(JSON.parse(text));
    expect(await validHooks(artifact.leaves)).toEqual([true, true, true, true]);
    await system.call(ActivateHookConfig, { ...vault, version: 1 }, who.secondary);
    expect((await system.call(GetPublishedTree, vault)).data).toMatchObject({ is_stale: true });
    await expect(system.call(PublishTree, vault, who.main)).rejects.toMatchObject({ code: 'NOT_GENERATED' });
    await expect(system.call(ReadArtifact, { hash: zeroHash })).rejects.toMatchObject({ code: 'ARTIFACT_NOT_FOUND' });
  });

  test('error: a hook that pins something else than its entry says makes no tree', async () => {
    const { hooks } = await system.call(ListHooks, {}, who.main);
    const deposit = hooks.find(({ hook_type }) => hook_type === 'DEPOSIT');
    const wrong = {
      name: 'Wrong order',
      hook_type: 'DEPOSIT' as const,
      addresses: deposit?.addresses ?? [],
      inspect_params: [
        { name: 'yield_source', solidity_type: 'address', ref_type: 'yield_source' as const, param_order: 1 },
        { name: 'token', solidity_type: 'address', ref_type: 'token' as const, param_order: 0 },
      ],
      calldata: deposit?.calldata ?? [],
    };
    const absent = { ...wrong, name: 'Absent', addresses: [{ chain_id, address: who.alice }] };
    const params = { yield_source: sourcesOf()[0] as Address, token: protocol.asset.address };
    for (const draft of [wrong, absent]) {
      const { id } = await system.call(CreateHook, draft, who.bob);
      const rows = [...rowsFor(sourcesOf().slice(0, 1)), { hook_id: id, params }];
      const { version } = await system.call(CreateHookConfig, { ...vault, rows }, who.main);
      await system.call(ActivateHookConfig, { ...vault, version }, who.main);
      expect(await finished(await system.call(GenerateTree, vault, who.main))).toMatchObject({
        status: 'failed',
        tree_id: null,
        error: { code: 'HOOK_ROW_REFUSED', row: 2 },
      });
    }
    expect((await system.call(ListTrees, vault, who.main)).total).toBe(1);
  });

  test('behavior: what is written is in the audit log`s stream, once each', async () => {
    const owing = await system.auditTypes();
    for (const type of [
      'registry_hook_created',
      'hook_config_created',
      'hook_config_activated',
      'hooks_tree_generated',
      'hooks_tree_published',
    ])
      expect(owing).toContain(type);
  });
});
