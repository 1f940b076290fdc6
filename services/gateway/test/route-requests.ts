import { type Route, type Routes, routes } from '@castellan/contracts';

/** Whom requests are about. */
export type About = {
  vault_address: string;
  /** The wallet where one is named, and where an address is only an address. */
  wallet_address: string;
  /** Values of a path by the route, where there is something to be found under them. */
  paths?: Partial<Record<keyof Routes, Readonly<Record<string, string>>>>;
};

const hash = `0x${'ab'.repeat(32)}`;
const signature = { method: 'siwe', message: 'text', signature: '0x00' };
const backtest = { from: '2026-11-01T00:00:00Z', to: '2026-11-02T00:00:00Z' };

const aMandate = { format: 1, title: 'Mandate', promises: [{ id: 'idle', kind: 'idle_share', at_least_bps: 500 }] };

const anOwnRule = {
  title: 'Few depositors',
  metric: 'depositors',
  comparison: 'below',
  threshold: 5,
  severity: 'info',
};
const ofOwnRule = { rule_id: 'own_0123456789abcdef01234567' };
/** Where a route names something else by the same word. */
const otherPaths: NonNullable<About['paths']> = { changeOwnAlertRule: ofOwnRule, deleteOwnAlertRule: ofOwnRule };

const aHook = (address: string) => ({
  name: 'Deposit',
  hook_type: 'DEPOSIT',
  addresses: [{ chain_id: 31337, address }],
  inspect_params: [{ name: 'token', solidity_type: 'address', ref_type: 'token', param_order: 0 }],
  calldata: [{ name: 'token', solidity_type: 'address' }],
});

const pathValues = ({ vault_address, wallet_address }: About): Record<string, string> => ({
  chain_id: '31337',
  vault_address,
  vault_id: `31337:${vault_address}`,
  wallet_address,
  source_address: wallet_address,
  tx_hash: hash,
  id: 'some-id',
  hash,
  rule_id: 'vault_paused',
  channel_id: 'some-channel',
  version: '1',
  breach_id: 'some-breach',
  period: '2026-10',
  config_digest: hash,
  epoch: '1',
  round: '1',
});

const queriesFor = ({ vault_address, wallet_address }: About): Partial<Record<keyof Routes, string>> => ({
  analysis: 'chain_id=31337',
  pauseStatus: `vaults=31337:${vault_address}`,
  analyticsSummaries: `vaults=31337:${vault_address}`,
  analyticsPosition: `wallet=${wallet_address}`,
  vaultReport: 'period=2026-10',
  analyticsExport: 'format=csv&dataset=pps',
  merkleConfigVersion: `vault_address=${vault_address}&chain_id=31337&version=1`,
  merkleProof: `leaf_hash=${hash}`,
  deleteOwnAlertRule: 'version=1',
});

const aDefinition = (wallet_address: string) => ({
  name: 'Idle to the source',
  indicators: [],
  rules: { type: 'EXPR', expr: 'vault_free_assets > 1' },
  action_config: {
    action: 'DEPOSIT',
    size_expr: 'vault_free_assets',
    execution_name: 'Deposit',
    execution_address: wallet_address,
    target_address: wallet_address,
  },
  max_concurrent: 1,
});

/** Fields of a body beside the vault; those without one are named in `bare`. */
function bodiesFor({ vault_address, wallet_address }: About): Partial<Record<keyof Routes, object>> {
  const vault = { vault_address, chain_id: 31337 };
  const vault_id = `31337:${vault_address}`;
  const definition = aDefinition(wallet_address);
  const pair = { source_address: wallet_address, oracle_address: wallet_address };
  return {
    nonce: { address: wallet_address, chain_id: 31337 },
    token: signature,
    stepUp: signature,
    createScopedToken: { name: 'Report', scope: 'read', expires_in_seconds: 3600 },
    setDisplayName: { display_name: 'Ann' },
    createPost: { title: 'Note', body: 'Text' },
    editPost: { version: 1, title: 'Note' },
    broadcastPrepared: { tx_hash: hash },
    lookupVaults: { vaults: [vault, { ...vault, chain_id: 1 }] },
    analyticsCompare: { vaults: [vault, { ...vault, chain_id: 1 }] },
    grantViewOnly: { wallet_address: wallet_address },
    createRegistryHook: aHook(wallet_address),
    updateRegistryHook: { ...aHook(wallet_address), version: 1 },
    createMerkleConfig: { rows: [{ hook_id: 'hook', params: {} }] },
    activateMerkleConfig: { version: 1 },
    prepareAddSecondaryManager: { manager_address: wallet_address },
    prepareRemoveSecondaryManager: { manager_address: wallet_address },
    prepareProposeFees: { performance_fee_bps: 1, management_fee_bps: 1, recipient: wallet_address },
    prepareDeviationThreshold: { deviation_threshold_bps: null },
    prepareProposeExpiration: { expiration_seconds: 1 },
    prepareProposeMinUpdateInterval: { min_update_interval_seconds: 1 },
    prepareDepositUpkeep: { amount: '1' },
    preparePause: { reason: 'Drill' },
    prepareUnpause: { reason: 'Drill' },
    prepareAddYieldSource: pair,
    prepareUpdateYieldSourceOracle: pair,
    prepareRemoveYieldSource: { source_address: wallet_address },
    prepareFulfilRedemptions: { controllers: [wallet_address] },
    prepareFulfilCancellations: { controllers: [wallet_address] },
    prepareDeposit: { assets: '1' },
    prepareRequestRedemption: { shares: '1' },
    createChannel: { provider: 'websocket', name: 'Desk' },
    changeChannel: { version: 1 },
    draftMandate: { document: aMandate, replaces: 0 },
    enforceMandate: { signature: '0x00' },
    setScenarioSet: { shocks: 'run:5', names: [], replaces: 0 },
    backtestMandate: { document: aMandate, ...backtest },
    setAlertRule: { version: 0 },
    createOwnAlertRule: { rule: anOwnRule },
    changeOwnAlertRule: { version: 1, rule: anOwnRule },
    backtestOwnAlertRule: { rule: anOwnRule },
    setDuty: { version: 0, rota: null },
    bindVaultChannel: { channel_id: 'some-channel' },
    replayChannel: { from_sequence: 1 },
    prepareBulkAddYieldSources: { sources: [pair] },
    prepareBulkUpdateYieldSourceOracles: { sources: [pair] },
    prepareBulkRemoveYieldSources: { sources: [{ source_address: wallet_address }] },
    prepareProposeHooksRoot: { root: hash },
    prepareBanHookLeaves: { leaves: [hash] },
    prepareAllowHookLeaves: { leaves: [hash] },
    createStrategy: { vault_id, id: 'one', ...definition },
    validateStrategy: { vault_id, ...definition },
    reorderStrategies: { vault_id, lane: 'DEPOSIT', ordered_strategy_ids: ['one'] },
    updateStrategy: { version: 1, ...definition },
    setStrategyState: { target_state: 'RUNNING', version: 1 },
    updateEngineVault: { kill_switch: true },
    setAllocationTargets: { version: 0, sources: [] },
    backtest: { vault_id, ...backtest },
    simulateAhead: { vault_id, horizon_seconds: 3600, step_seconds: 60 },
    saveSimulation: { vault_id, name: 'Last day', request: { kind: 'backtest', ...backtest } },
    lookUpSimulation: { vault_id, request: { kind: 'backtest', ...backtest } },
  };
}

/** Bodies that name no vault. */
const bare = new Set<keyof Routes>([
  'draftMandate',
  'setScenarioSet',
  'enforceMandate',
  'acknowledgeMandateBreach',
  'backtestMandate',
  'acknowledgeAlert',
  'resolveAlert',
  'createChannel',
  'changeChannel',
  'bindVaultChannel',
  'bindChannel',
  'setDuty',
  'createOwnAlertRule',
  'changeOwnAlertRule',
  'backtestOwnAlertRule',
  'replayChannel',
  'createPost',
  'editPost',
  'createRegistryHook',
  'updateRegistryHook',
  'nonce',
  'token',
  'stepUp',
  'createScopedToken',
  'setDisplayName',
  'broadcastPrepared',
  'lookupVaults',
  'analyticsCompare',
  'createStrategy',
  'validateStrategy',
  'reorderStrategies',
  'updateStrategy',
  'setStrategyState',
  'updateEngineVault',
  'setAllocationTargets',
  'backtest',
  'simulateAhead',
  'saveSimulation',
  'lookUpSimulation',
]);

/** A request for each route that passes its schemas. */
export function requestsFor(about: About) {
  const { vault_address } = about;
  const vault = { vault_address, chain_id: 31337 };
  const vault_id = `31337:${vault_address}`;
  const values = pathValues(about);
  const queries = queriesFor(about);
  const bodies = bodiesFor(about);
  return (name: keyof Routes) => {
    const { method, path, query, body } = routes[name] as unknown as Route;
    const namesVault = query.safeParse({ vault_address, chain_id: '31337' }).success;
    const namesVaultId = query.safeParse({ vault_id }).success;
    const asked = [
      queries[name],
      namesVault ? `vault_address=${vault_address}&chain_id=31337` : undefined,
      namesVaultId ? `vault_id=${vault_id}` : undefined,
    ].filter(Boolean);
    const inPath = { ...values, ...otherPaths[name], ...about.paths?.[name] };
    const url = `${path.replaceAll(/\{(\w+)\}/g, (_all, field: string) => inPath[field] ?? '')}?${asked.join('&')}`;
    return { method, url, ...(body ? { payload: { ...(bare.has(name) ? {} : vault), ...bodies[name] } } : {}) };
  };
}
