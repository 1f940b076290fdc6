import type { Scene } from './scene.ts';

/** What anybody may read. */
export async function readPublic({ anonymous, vault, attempt }: Scene): Promise<void> {
  const at = { params: vault };
  const vaults = `${vault.chain_id}:${vault.vault_address}`;
  const target = { chain_id: Number(vault.chain_id), vault_address: vault.vault_address };
  const { transmissions } = await anonymous.transmissions({ ...at, query: { limit: '2' } });
  const tx_hash = transmissions.find((each) => each.tx_hash !== null)?.tx_hash;
  const calls: (() => Promise<unknown>)[] = [
    () => anonymous.openidConfiguration({}),
    () => anonymous.jwks({}),
    () => anonymous.attestationKeys({}),
    () => anonymous.chains({}),
    () => anonymous.publicVaults({}),
    () => anonymous.vault(at),
    () => anonymous.pauseStatus({ query: { vaults } }),
    () => anonymous.lookupVaults({ body: { vaults: [target], fields: ['name', 'current_pps', 'is_paused'] } }),
    () => anonymous.validators({}),
    () => anonymous.validatorHistory({ query: { window: '24h' } }),
    () => anonymous.validatorRounds({ query: { limit: '2' } }),
    async () => {
      const { rounds } = await anonymous.validatorHistory({ query: { window: '24h', vault_id: vaults } });
      const { config_digest, epoch, round } = rounds[0] ?? { config_digest: '', epoch: 0, round: 0 };
      await anonymous.validatorRound({ params: { config_digest, epoch: String(epoch), round: String(round) } });
    },
    () => anonymous.tokenAssets({}),
    () => anonymous.vaultSettings(at),
    () => anonymous.yieldSources(at),
    () => anonymous.merkleProofStatus(at),
    () => anonymous.publishedMerkleTree(at),
    () => anonymous.feed({ ...at, query: { limit: '2' } }),
    () => anonymous.transaction({ params: { chain_id: vault.chain_id, tx_hash: String(tx_hash) } }),
    () => anonymous.analyticsOverview({ ...at, query: { receipt: 'true' } }),
    () => anonymous.analyticsCompare({ body: { vaults: [target, target], period: '30d' } }),
  ];
  for (const call of calls) await attempt(call);
}

/** Reads of figures, over the last week. */
export async function readFigures({ anonymous, vault, attempt }: Scene): Promise<void> {
  const params = vault;
  const query = { period: '7d', points: '2' };
  const page = { period: '30d', limit: '2' };
  const calls: (() => Promise<unknown>)[] = [
    () => anonymous.analyticsPps({ params, query }),
    () => anonymous.analyticsPpsWhatIf({ params }),
    () => anonymous.analyticsPerformance({ params, query: { period: '30d' } }),
    () => anonymous.analyticsBenchmark({ params, query }),
    () => anonymous.analyticsBridge({ params, query: { period: '7d' } }),
    () => anonymous.analyticsApy({ params, query }),
    () => anonymous.analyticsTvl({ params, query }),
    () => anonymous.analyticsAllocation({ params, query }),
    () => anonymous.analyticsRisk({ params }),
    () => anonymous.analyticsConcentration({ params }),
    () => anonymous.analyticsDrawdown({ params, query: { period: '90d', points: '2' } }),
    () => anonymous.analyticsVolatility({ params, query: { period: '90d', points: '2' } }),
    () => anonymous.analyticsRun({ params, query: { top_holders: '2' } }),
    () => anonymous.analyticsScenarios({ params, query: { shocks: 'loss:0.2:largest,run:2', top_holders: '2' } }),
    () => anonymous.analyticsUsers({ params }),
    () => anonymous.analyticsRetention({ params, query: { interval: 'month' } }),
    () => anonymous.analyticsCohorts({ params, query: { interval: 'month' } }),
    () => anonymous.analyticsTopHolders({ params, query: { limit: '2' } }),
    async () => {
      const { holders } = await anonymous.analyticsTopHolders({ params, query: { limit: '2' } });
      await anonymous.analyticsPosition({ params, query: { wallet: String(holders[0]?.wallet_address) } });
    },
    () => anonymous.analyticsOperations({ params, query: { period: '30d' } }),
    () => anonymous.analyticsRedemptions({ params, query: { limit: '2' } }),
    () => anonymous.analyticsSummaries({ query: { vaults: `${vault.chain_id}:${vault.vault_address}` } }),
    () => anonymous.analyticsTransactions({ params, query: page }),
    () => anonymous.analyticsVolume({ params, query }),
    () => anonymous.analyticsFees({ params, query: page }),
    () => anonymous.analyticsMarks({ params, query }),
    () => anonymous.analyticsState({ params }),
  ];
  for (const call of calls) await attempt(call);
}

/** What a manager reads of its vault. */
export async function readAsManager({ manager, vault, attempt }: Scene): Promise<void> {
  const query = { ...vault, limit: '2' };
  const vault_id = `${vault.chain_id}:${vault.vault_address}`;
  const { logs } = await manager.auditLogs({ query });
  const { intents } = await manager.listIntents({ query: { vault_id, limit: '2' } });
  const { alerts } = await manager.listAlerts({ query });
  const intent = { params: { id: String(intents[0]?.intent_id) } };
  const calls: (() => Promise<unknown>)[] = [
    () => manager.me({}),
    () => manager.verify({}),
    () => manager.myVaults({ query: { limit: '2' } }),
    () => manager.listSessions({}),
    () => manager.users({ query }),
    () => manager.pauseProof({ params: vault }),
    async () => {
      const params = { chain_id: vault.chain_id };
      const { sources } = await manager.sourceCatalogue({ params, query: { limit: '1' } });
      const { vault_address } = vault;
      const source_address = String(sources[0]?.source_address);
      await manager.describeYieldSource({ params: { ...params, source_address }, query: { vault_address } });
    },
    () => manager.auditRow({ params: { id: String(logs[0]?.id) } }),
    () => manager.timeline({ params: vault, query: { limit: '2' } }),
    () => manager.analysis({ params: vault, query: { chain_id: vault.chain_id } }),
    () => manager.conversations({ query }),
    () => manager.listStrategies({ query: { vault_id } }),
    () => manager.engineVault({ params: { vault_id } }),
    () => manager.allocationTargets({ params: vault }),
    () => manager.keeperRecord({ params: { vault_id }, query: { limit: '2' } }),
    () => manager.engineFields({ params: { vault_id } }),
    () => manager.engineStatus({}),
    () => manager.engineShard({ params: { vault_id } }),
    () => manager.intentFacets({ query: { vault_id } }),
    () => manager.getIntent(intent),
    () => manager.intentEvents(intent),
    () => manager.intentFills(intent),
    () => manager.listFills({ query: { vault_id, limit: '2' } }),
    () => manager.alertRules({ query: vault }),
    () => manager.duty({ params: vault }),
    () => manager.alertEvents({ query: vault }),
    () => manager.getAlert({ params: { id: String(alerts[0]?.alert_id) } }),
    () => manager.merkleConfigVersions({ query: vault }),
    () => manager.merkleConfigVersion({ query: { ...vault, version: '1' } }),
    () => manager.merkleActiveConfig({ query: vault }),
    () => manager.merkleJobs({ query: vault }),
    () => manager.merkleTrees({ query: vault }),
    () => manager.merkleProofs({ query }),
    () => manager.merkleSync({ query: vault }),
  ];
  for (const call of calls) await attempt(call);
}
