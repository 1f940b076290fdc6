import { setTimeout as wait } from 'node:timers/promises';
import { mandateTypedData } from '@castellan/contracts';
import type { Client } from '@castellan/sdk';
import { type Scene, signed } from './scene.ts';

const targetOf = ({ chain_id, vault_address }: Scene['vault']) => ({ chain_id: Number(chain_id), vault_address });
const idOf = ({ chain_id, vault_address }: Scene['vault']) => `${chain_id}:${vault_address}`;

/** View-only access, names, and a token for a script. `viewer` has no role yet. */
export async function access(scene: Scene, viewer: string): Promise<void> {
  const { manager, vault, attempt } = scene;
  const target = targetOf(vault);
  const body = { name: 'Report', scope: 'read', expires_in_seconds: 3_600 } as const;
  const wallet = { params: { wallet_address: viewer } };
  const { session } = await manager.createScopedToken({ body });
  await attempt(() => manager.revokeSession({ params: { id: session.id } }));
  await attempt(() => manager.grantViewOnly({ body: { ...target, wallet_address: viewer } }));
  await attempt(() => manager.setDisplayName({ ...wallet, body: { ...target, display_name: 'Treasury' } }));
  await attempt(() => manager.revokeViewOnly({ ...wallet, query: vault }));
  await attempt(async () => manager.stepUp({ body: await signed(scene.anonymous, scene.wallet) }));
}

/** Calls that are prepared; what the chain would refuse at this moment is prepared all the same. */
export async function prepare({ manager, vault, attempt }: Scene, other: string): Promise<void> {
  const body = targetOf(vault);
  const query = { force: 'true' } as const;
  const { yield_sources } = await manager.yieldSources({ params: vault });
  const source_address = String(yield_sources[0]?.source_address);
  const pair = { source_address, oracle_address: String(yield_sources[0]?.oracle_address) };
  const { proofs } = await manager.merkleProofs({ query: { ...vault, limit: '1' } });
  const leaf = { leaves: [String(proofs[0]?.leaf_hash)] };
  const root = `0x${'ab'.repeat(32)}`;
  const reason = 'Oracle under review';
  const fees = { performance_fee_bps: 1_000, management_fee_bps: 100, recipient: other };
  const calls: (() => Promise<unknown>)[] = [
    () => manager.prepareFulfilRedemptions({ query, body: { ...body, controllers: [other] } }),
    () => manager.prepareFulfilCancellations({ query, body: { ...body, controllers: [other] } }),
    () => manager.prepareDeposit({ query, body: { ...body, assets: '1000000' } }),
    () => manager.prepareRequestRedemption({ query, body: { ...body, shares: '1000000' } }),
    () => manager.prepareCancelRedemption({ query, body }),
    () => manager.prepareClaimRedemption({ query, body }),
    () => manager.prepareClaimCancelledShares({ query, body }),
    () => manager.prepareAddSecondaryManager({ query, body: { ...body, manager_address: other } }),
    () => manager.prepareRemoveSecondaryManager({ query, body: { ...body, manager_address: other } }),
    () => manager.prepareCancelPrimaryChange({ query, body }),
    () => manager.prepareProposeFees({ query, body: { ...body, ...fees } }),
    () => manager.prepareExecuteFees({ query, body }),
    () => manager.prepareSkimFees({ query, body }),
    () => manager.prepareDeviationThreshold({ query, body: { ...body, deviation_threshold_bps: 500 } }),
    () => manager.prepareProposeExpiration({ query, body: { ...body, expiration_seconds: 86_400 } }),
    () => manager.prepareExecuteExpiration({ query, body }),
    () => manager.prepareCancelExpiration({ query, body }),
    () => manager.prepareProposeMinUpdateInterval({ query, body: { ...body, min_update_interval_seconds: 60 } }),
    () => manager.prepareExecuteMinUpdateInterval({ query, body }),
    () => manager.prepareCancelMinUpdateInterval({ query, body }),
    () => manager.prepareDepositUpkeep({ query, body: { ...body, amount: '1000000000000000000' } }),
    () => manager.prepareProposeUpkeepWithdrawal({ query, body }),
    () => manager.prepareExecuteUpkeepWithdrawal({ query, body }),
    () => manager.preparePause({ query, body: { ...body, reason } }),
    () => manager.prepareUnpause({ query, body: { ...body, reason: 'Oracle is right' } }),
    () => manager.prepareAddYieldSource({ query, body: { ...body, ...pair } }),
    () => manager.prepareUpdateYieldSourceOracle({ query, body: { ...body, ...pair } }),
    () => manager.prepareRemoveYieldSource({ query, body: { ...body, source_address } }),
    () => manager.prepareBulkAddYieldSources({ query, body: { ...body, sources: [pair] } }),
    () => manager.prepareBulkUpdateYieldSourceOracles({ query, body: { ...body, sources: [pair] } }),
    () => manager.prepareBulkRemoveYieldSources({ query, body: { ...body, sources: [{ source_address }] } }),
    () => manager.prepareProposeHooksRoot({ query, body: { ...body, root } }),
    () => manager.prepareExecuteHooksRoot({ query, body }),
    () => manager.prepareBanHookLeaves({ query, body: { ...body, ...leaf } }),
    () => manager.prepareAllowHookLeaves({ query, body: { ...body, ...leaf } }),
  ];
  for (const call of calls) await attempt(call);
  const { prepared } = await manager.listPrepared({ query: { ...vault, limit: '2' } });
  await attempt(() => manager.getPrepared({ params: { id: String(prepared[0]?.id) } }));
}

/** A call that is sent, and followed from then on. */
export async function broadcast(
  { manager, vault, attempt }: Scene,
  send: (call: { to: string; data: string; value: string }) => Promise<string>,
): Promise<void> {
  const body = { ...targetOf(vault), deviation_threshold_bps: 501 };
  const call = await manager.prepareDeviationThreshold({ body });
  const tx_hash = await send(call);
  await attempt(() => manager.broadcastPrepared({ params: { id: call.id }, body: { tx_hash } }));
}

type MandateInput = Parameters<Client['draftMandate']>[0]['body']['document'];

/** A mandate from its draft to the wallet that puts it into force. */
export async function mandates({ manager, wallet, vault, attempt }: Scene): Promise<void> {
  const document: MandateInput = {
    format: 1,
    title: 'What depositors are promised',
    promises: [{ id: 'liquidity', kind: 'idle_share', at_least_bps: 200 }],
  };
  const { version, document_hash } = await manager.draftMandate({ params: vault, body: { document, replaces: 0 } });
  const typed = mandateTypedData({ ...targetOf(vault), version, document_hash });
  const signature = await wallet.signTypedData(typed as Parameters<typeof wallet.signTypedData>[0]);
  const calls: (() => Promise<unknown>)[] = [
    () => manager.backtestMandate({ params: vault, body: { document } }),
    () => manager.enforceMandate({ params: { ...vault, version: String(version) }, body: { signature } }),
    () => manager.mandate({ params: vault }),
    () => manager.mandateVersions({ params: vault, query: { limit: '2' } }),
    () => manager.mandateStatus({ params: vault }),
    () => manager.mandateBreaches({ params: vault, query: { limit: '2' } }),
  ];
  for (const call of calls) await attempt(call);
}

/** The shocks that are chosen for a vault. */
export async function scenarios({ manager, vault, attempt }: Scene): Promise<void> {
  const body = { shocks: 'loss:0.2:largest,depeg:0.05,oracle_stop:48,run:5,gas:10', names: [], replaces: 0 };
  await attempt(() => manager.setScenarioSet({ params: vault, body }));
  await attempt(() => manager.scenarioSet({ params: vault }));
}

/** Posts of the feed. */
export async function posts({ manager, vault, attempt }: Scene): Promise<void> {
  const post = await manager.createPost({
    params: vault,
    body: { title: 'New source', body: 'We added a lending market.' },
  });
  const place = { params: { ...vault, id: post.id } };
  await attempt(() => manager.editPost({ ...place, body: { version: 1, title: 'Two new sources' } }));
  await attempt(() => manager.deletePost(place));
}

/** Rules, an alert, and a channel on the vault. */
export async function notifications({ manager, vault, wallet, attempt }: Scene): Promise<void> {
  const body = targetOf(vault);
  const rule = { params: { rule_id: 'low_upkeep' as const } };
  const rota = {
    time_zone: 'Europe/Zurich',
    people: [{ wallet_address: wallet.address, name: 'Ada' }],
    starts_on: '2026-11-02',
    hand_over: '09:00',
    overrides: [],
    escalation: { after_minutes: 15, min_severity: 'critical' as const },
  };
  await attempt(() => manager.backtestAlertRule({ ...rule, body }));
  await attempt(() => manager.setAlertRule({ ...rule, body: { ...body, version: 0, enabled: true } }));
  const own = {
    title: 'Few depositors',
    metric: 'depositors',
    comparison: 'below',
    threshold: 5,
    severity: 'info',
  } as const;
  await attempt(() => manager.backtestOwnAlertRule({ params: vault, body: { rule: own } }));
  const { rule_id, version: first } = await manager.createOwnAlertRule({ params: vault, body: { rule: own } });
  const changed = { ...own, threshold: 4 };
  await attempt(() => manager.ownAlertRules({ params: vault }));
  const { version: second } = await manager.changeOwnAlertRule({
    params: { ...vault, rule_id },
    body: { version: first, rule: changed },
  });
  await attempt(() =>
    manager.deleteOwnAlertRule({ params: { ...vault, rule_id }, query: { version: String(second) } }),
  );
  await attempt(() => manager.setDuty({ params: vault, body: { version: 0, rota } }));
  await attempt(() => manager.dutyNow({}));
  const { alerts } = await manager.listAlerts({ query: { ...vault, status: 'open' } });
  const alert = { params: { id: String(alerts[0]?.alert_id) } };
  await attempt(() => manager.acknowledgeAlert({ ...alert, body: { note: 'Topping up the upkeep' } }));
  await attempt(() => manager.resolveAlert({ ...alert, body: { note: 'Topped up' } }));
  const { channel_id, version } = await manager.createChannel({ body: { provider: 'websocket', name: 'Desk' } });
  const channel = { params: { channel_id } };
  const bound = { params: { ...vault, channel_id } };
  const calls: (() => Promise<unknown>)[] = [
    () => manager.changeChannel({ ...channel, body: { version, name: 'Night desk' } }),
    () => manager.bindVaultChannel({ params: vault, body: { channel_id, min_severity: 'warning' } }),
    () => manager.bindChannel({ ...bound, body: { min_severity: 'critical' } }),
    () => manager.testChannel(channel),
    () => manager.listDeliveries({ ...channel, query: { limit: '2' } }),
    () => manager.vaultChannels({ params: vault }),
    () => manager.listChannels({}),
    () => manager.replayChannel({ ...bound, body: { from_sequence: 1 } }),
    () => manager.redeliverChannel(bound),
    () => manager.unbindChannel(bound),
    () => manager.deleteChannel(channel),
  ];
  for (const call of calls) await attempt(call);
}

const everyHalfSecond = 500;

async function untilGenerated(manager: Client, id: string): Promise<void> {
  for (let tries = 0; tries < 60; tries += 1) {
    const { status } = await manager.merkleJob({ params: { id } });
    if (status === 'completed') return;
    await wait(everyHalfSecond);
  }
}

/** A version of the hook configuration, its tree, and the leaves of it. */
export async function trees({ manager, vault, attempt }: Scene): Promise<void> {
  const body = targetOf(vault);
  const detail = await manager.vault({ params: vault });
  const { hooks } = await manager.registryHooks({ query: { chain_id: vault.chain_id, is_active: 'true' } });
  const hook_id = String(hooks.find(({ hook_type }) => hook_type === 'DEPOSIT')?.id);
  const rows = detail.allocation
    .filter(({ kind }) => kind === 'source')
    .map(({ source_address }) => ({
      hook_id,
      params: { yield_source: source_address, token: detail.asset.address },
    }));
  const { id, version } = await manager.createMerkleConfig({ body: { ...body, rows, note: 'Deposits only' } });
  await attempt(() => manager.merkleConfig({ params: { id } }));
  await attempt(() => manager.merkleConfigVersion({ query: { ...vault, version: String(version) } }));
  await attempt(() => manager.activateMerkleConfig({ body: { ...body, version } }));
  const job = await manager.generateMerkleTree({ body });
  await untilGenerated(manager, job.id);
  const { trees: found } = await manager.merkleTrees({ query: vault });
  const tree = { params: { id: String(found[0]?.id) } };
  await attempt(() => manager.merkleTree(tree));
  const { proofs } = await manager.merkleProofs({ query: { ...vault, limit: '2' } });
  await attempt(() => manager.merkleProof({ query: { ...vault, leaf_hash: String(proofs[0]?.leaf_hash) } }));
  await attempt(async () => {
    const published = await manager.publishMerkleTree({ body: { ...body, tree_id: tree.params.id } });
    await manager.merklePublishJob({ params: { id: published.id } });
  });
}

/** A strategy from its draft to its end, and what it would have done. */
export async function strategies({ manager, vault, attempt }: Scene): Promise<void> {
  const vault_id = idOf(vault);
  const { allocation, chain_time } = await manager.vault({ params: vault });
  const { hooks } = await manager.registryHooks({ query: { chain_id: vault.chain_id, is_active: 'true' } });
  const hook = hooks.find(({ hook_type }) => hook_type === 'DEPOSIT');
  const source_address = String(allocation.find(({ kind }) => kind === 'source')?.source_address);
  const drafted = {
    name: 'Deposit what is idle',
    rules: { type: 'EXPR', expr: 'vault_free_assets > 1000 USDC' },
    action_config: {
      action: 'DEPOSIT',
      size_expr: 'floor(vault_free_assets / 4)',
      execution_name: 'Deposit',
      execution_address: String(hook?.addresses[0]?.address),
      target_address: source_address,
    },
    max_concurrent: 1,
  } as const;
  const definition = { ...drafted, indicators: [] };
  const id = 'deposit-idle';
  const one = { params: { id } };
  await attempt(() => manager.validateStrategy({ body: { vault_id, ...definition } }));
  const { version, lane } = await manager.createStrategy({ body: { vault_id, id, ...definition } });
  const { strategies: listed } = await manager.listStrategies({ query: { vault_id } });
  const ordered = listed.filter((each) => each.lane === lane && each.state !== 'ARCHIVED').map((each) => each.id);
  const range = {
    from: new Date(Date.parse(chain_time) - 3_600_000).toISOString(),
    to: chain_time,
    strategy_ids: [id],
  };
  const request = { kind: 'backtest', ...range } as const;
  const calls: (() => Promise<unknown>)[] = [
    () => manager.getStrategy(one),
    () => manager.updateStrategy({ ...one, body: { version, ...definition } }),
    () => manager.reorderStrategies({ body: { vault_id, lane, ordered_strategy_ids: ordered } }),
    () => manager.backtest({ body: { vault_id, ...range } }),
    () =>
      manager.simulateAhead({ body: { vault_id, strategy_ids: [id], horizon_seconds: 7_200, step_seconds: 3_600 } }),
    () => manager.updateEngineVault({ params: { vault_id }, body: { kill_switch: false } }),
    () =>
      manager.setAllocationTargets({
        params: vault,
        body: { version: 0, sources: [{ source_address, target_bps: 4_000, cap_bps: 4_500 }] },
      }),
    () => manager.lookUpSimulation({ body: { vault_id, request } }),
    async () => {
      const saved = await manager.saveSimulation({ body: { vault_id, name: 'Last hour', request } });
      await manager.listSimulations({ query: { vault_id } });
      await manager.getSimulation({ params: { id: saved.id } });
      await manager.deleteSimulation({ params: { id: saved.id } });
    },
    async () => {
      const now = await manager.getStrategy(one);
      await manager.setStrategyState({ ...one, body: { version: now.version, target_state: 'IDLE' } });
      await manager.archiveStrategy(one);
    },
  ];
  for (const call of calls) await attempt(call);
}
