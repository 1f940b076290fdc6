import { createHash } from 'node:crypto';
import { hookTree } from '@castellan/chain';
import {
  ActivateHookConfig,
  CreateHook,
  CreateHookConfig,
  GenerateTree,
  GetProofStatus,
  GetPublishedTree,
  GetTree,
  ListHooks,
  ListMerkleJobs,
  ListProofs,
  ListTrees,
  LookupProof,
  type MerkleJob,
  PublishTree,
  ReadArtifact,
  TreeArtifact,
} from '@castellan/contracts';
import { until } from '@castellan/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Address, type Hex, zeroHash } from 'viem';
import { argsOf, who } from '../../../packages/protocol/test/test-chain.ts';
import { verifyArtifact } from '../src/hook-trees/domain/verify-artifact.ts';
import { chain_id } from './harness.ts';
import {
  activatingTakesTheNamed,
  fieldlessIsRefused,
  nothingIsGeneratedBefore,
  othersSeeNothing,
  otherVaultsTokenSeesNothing,
  registryBegins,
  registryIsClosedToOthers,
  registryIsWritten,
  twoGetAVersionEach,
  unusableRowsAreNamed,
  versionsNeverChange,
} from './merkle-registry-steps.ts';
import {
  chain,
  finished,
  leavesFor,
  type Proof,
  prepare,
  protocol,
  rowsFor,
  send,
  sourcesOf,
  startScene,
  sync,
  system,
  validHooks,
  vault,
} from './merkle-scene.ts';

/** The whole way of a hooks root, over the bus, a real store and the development contracts: each step goes on where the last ended. */

beforeAll(startScene);
afterAll(async () => system?.stop());

let root: string;
let treeId: string;
let proofs: Proof[];

/** Of two who generate at once one gets the other's job. */
async function oneJobAtATime(): Promise<void> {
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
}

/** The tree is that of the protocol, rows of one leaf are one. */
async function treeIsTheProtocols(): Promise<void> {
  const tree = await system.call(GetTree, { id: treeId }, who.main);
  root = hookTree(leavesFor(sourcesOf())).root;
  expect(tree).toMatchObject({ root_hash: root, leaf_count: 4, row_count: 6, is_current: true });
  const listed = await system.call(ListProofs, { ...vault, limit: 3 }, who.main);
  const rest = await system.call(ListProofs, { ...vault, limit: 3, cursor: listed.next_cursor ?? '' }, who.main);
  expect([listed.has_more, rest.has_more, rest.proofs.length]).toEqual([true, false, 1]);
  proofs = [...listed.proofs, ...rest.proofs];
  expect([...listed.proofs, ...rest.proofs].map(({ leaf_hash }) => leaf_hash)).toEqual(leavesFor(sourcesOf()));
}

/** Generated again it is the same tree. */
async function generatedAgainIsTheSame(): Promise<void> {
  const again = await finished(await system.call(GenerateTree, vault, who.secondary));
  expect(again).toMatchObject({ status: 'completed', tree_id: treeId });
  expect((await system.call(ListTrees, vault, who.main)).total).toBe(1);
  expect((await system.call(ListMerkleJobs, vault, who.main)).total).toBe(2);
}

/** Proposed, waited for and put into force. */
async function proposedAndPutIntoForce(): Promise<void> {
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
}

/** The chain takes each leaf with its proof, and no other. */
async function chainTakesEachLeaf(): Promise<void> {
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
}

/** A ban closes the global root to the vault, and not its own. */
async function banClosesTheGlobalRoot(): Promise<void> {
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
}

/** Under a veto nothing holds, and there is nothing to do on the chain. */
async function nothingHoldsUnderAVeto(): Promise<void> {
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
}

/** A foreign proposal over the right root has to be replaced. */
async function foreignProposalIsReplaced(): Promise<void> {
  const foreign = `0x${'77'.repeat(32)}`;
  await chain.send(who.main, protocol.aggregator, 'proposeStrategyHooksRoot', [protocol.strategy.address, foreign]);
  await system.indexed();
  expect(await sync()).toMatchObject({ action: 'propose', reason: 'foreign_proposal', proposed_root: foreign });
  const call = await prepare('propose_hooks_root', { root });
  expect(call.description).toContain(`replaces the proposed root ${foreign}`);
  await send(who.main, call);
  expect(await sync()).toMatchObject({ action: 'in_sync', proposed_root: root });
}

/** A published tree is read by everybody under its hash, and gets stale. */
async function publishedTreeIsRead(): Promise<void> {
  expect(await system.call(GetPublishedTree, vault)).toMatchObject({ success: false, published: false, data: null });
  expect(await finished(await system.call(PublishTree, vault, who.main))).toMatchObject({ status: 'completed' });
  const { data } = await system.call(GetPublishedTree, vault);
  expect(data).toMatchObject({ root_hash: root, total_leaves: 4, tree_id: treeId, is_stale: false });
  const { text, next } = await system.call(ReadArtifact, { hash: data?.artifact_hash ?? '' });
  expect(next).toBeNull();
  expect(`0x${createHash('sha256').update(text).digest('hex')}`).toBe(data?.artifact_hash);
  const artifact = TreeArtifact.parse(JSON.parse(text));
  expect(verifyArtifact(Buffer.from(text), { hash: data?.artifact_hash as Hex }).artifact).toEqual(artifact);
  expect(await validHooks(artifact.leaves)).toEqual([true, true, true, true]);
  await system.call(ActivateHookConfig, { ...vault, version: 1 }, who.secondary);
  expect((await system.call(GetPublishedTree, vault)).data).toMatchObject({ is_stale: true });
  await expect(system.call(PublishTree, vault, who.main)).rejects.toMatchObject({ code: 'NOT_GENERATED' });
  await expect(system.call(ReadArtifact, { hash: zeroHash })).rejects.toMatchObject({ code: 'ARTIFACT_NOT_FOUND' });
}

/** A hook that pins something else than its entry says makes no tree. */
async function wrongHookMakesNoTree(): Promise<void> {
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
}

/** What is written is in the audit log's stream, once each. */
async function writtenIsAudited(): Promise<void> {
  const written = [
    'registry_hook_created',
    'hook_config_created',
    'hook_config_activated',
    'hooks_tree_generated',
    'hooks_tree_published',
  ];
  await until('all of them in the audit stream', async () => {
    const types = new Set<string>(await system.auditTypes());
    return written.every((type) => types.has(type));
  });
}

test('default: from the registry of hooks to a root in force, its tree published and read', async () => {
  await registryBegins();
  await registryIsWritten();
  await registryIsClosedToOthers();
  await fieldlessIsRefused();
  await unusableRowsAreNamed();
  await nothingIsGeneratedBefore();
  await versionsNeverChange();
  await twoGetAVersionEach();
  await activatingTakesTheNamed();
  await othersSeeNothing();
  await otherVaultsTokenSeesNothing();
  await oneJobAtATime();
  await treeIsTheProtocols();
  await generatedAgainIsTheSame();
  await proposedAndPutIntoForce();
  await chainTakesEachLeaf();
  await banClosesTheGlobalRoot();
  await nothingHoldsUnderAVeto();
  await foreignProposalIsReplaced();
  await publishedTreeIsRead();
  await wrongHookMakesNoTree();
  await writtenIsAudited();
});
