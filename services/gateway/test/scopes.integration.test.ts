import { AppError, type Caller, type Route, type Routes, routes, type TokenScope } from '@castellan/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { managerAddress, vaultAddress } from './a-vault.ts';
import { aToken, startTestGateway, type TestGateway } from './harness.ts';

/**
 * What each route takes, said here a second time by hand, so that a new route is thought about. On `vault` the request names a
 * vault and a token must be for it; `own` is open to a token bound to any vault; `unbound` to none.
 */
type Rule = 'public' | 'optional' | 'optional own' | `${TokenScope} ${'vault' | 'own' | 'unbound'}`;
const rules: Record<keyof Routes, Rule> = {
  nonce: 'public',
  token: 'public',
  logout: 'read own',
  openidConfiguration: 'public',
  jwks: 'public',
  me: 'read own',
  verify: 'read own',
  listSessions: 'read own',
  createScopedToken: 'full unbound',
  revokeSession: 'full unbound',
  stepUp: 'full unbound',
  chains: 'public',
  publicVaults: 'public',
  myVaults: 'read own',
  pauseStatus: 'optional',
  vault: 'optional',
  stream: 'optional',
  transmissions: 'public',
  validators: 'public',
  transaction: 'public',
  tokenAssets: 'public',
  analyticsOverview: 'optional',
  analyticsPps: 'optional',
  analyticsPpsWhatIf: 'optional',
  analyticsPerformance: 'optional',
  analyticsApy: 'optional',
  analyticsTvl: 'optional',
  analyticsAllocation: 'optional',
  analyticsRisk: 'optional',
  analyticsConcentration: 'optional',
  analyticsDrawdown: 'optional',
  analyticsVolatility: 'optional',
  analyticsRun: 'optional',
  analyticsUsers: 'optional',
  analyticsRetention: 'optional',
  analyticsCohorts: 'optional',
  analyticsTopHolders: 'optional',
  analyticsOperations: 'optional',
  analyticsTransactions: 'optional',
  analyticsVolume: 'optional',
  analyticsFees: 'optional',
  analyticsExport: 'optional',
  analyticsCompare: 'optional',
  vaultSettings: 'optional',
  yieldSources: 'public',
  pauseProof: 'read vault',
  users: 'read vault',
  grantViewOnly: 'full vault',
  revokeViewOnly: 'full vault',
  setDisplayName: 'full unbound',
  prepareAddSecondaryManager: 'prepare vault',
  prepareRemoveSecondaryManager: 'prepare vault',
  prepareCancelPrimaryChange: 'prepare vault',
  prepareProposeFees: 'prepare vault',
  prepareExecuteFees: 'prepare vault',
  prepareSkimFees: 'prepare vault',
  prepareDeviationThreshold: 'prepare vault',
  prepareProposeExpiration: 'prepare vault',
  prepareExecuteExpiration: 'prepare vault',
  prepareCancelExpiration: 'prepare vault',
  prepareProposeMinUpdateInterval: 'prepare vault',
  prepareExecuteMinUpdateInterval: 'prepare vault',
  prepareCancelMinUpdateInterval: 'prepare vault',
  prepareDepositUpkeep: 'prepare vault',
  prepareProposeUpkeepWithdrawal: 'prepare vault',
  prepareExecuteUpkeepWithdrawal: 'prepare vault',
  preparePause: 'prepare vault',
  prepareUnpause: 'prepare vault',
  prepareAddYieldSource: 'prepare vault',
  prepareUpdateYieldSourceOracle: 'prepare vault',
  prepareRemoveYieldSource: 'prepare vault',
  prepareBulkAddYieldSources: 'prepare vault',
  prepareBulkUpdateYieldSourceOracles: 'prepare vault',
  prepareBulkRemoveYieldSources: 'prepare vault',
  prepareProposeHooksRoot: 'prepare vault',
  prepareExecuteHooksRoot: 'prepare vault',
  prepareBanHookLeaves: 'prepare vault',
  prepareAllowHookLeaves: 'prepare vault',
  registryHooks: 'read own',
  createRegistryHook: 'full unbound',
  updateRegistryHook: 'full unbound',
  deleteRegistryHook: 'full unbound',
  merkleConfigVersions: 'read vault',
  merkleConfigVersion: 'read vault',
  merkleActiveConfig: 'read vault',
  merkleConfig: 'read own',
  createMerkleConfig: 'full vault',
  activateMerkleConfig: 'full vault',
  generateMerkleTree: 'full vault',
  merkleJobs: 'read vault',
  merkleJob: 'read own',
  merkleTrees: 'read vault',
  merkleTree: 'read own',
  merkleProofs: 'read vault',
  merkleProof: 'read vault',
  merkleSync: 'read vault',
  publishMerkleTree: 'full vault',
  merklePublishJob: 'read own',
  publishedMerkleTree: 'public',
  merkleArtifact: 'public',
  merkleProofStatus: 'public',
  listPrepared: 'read vault',
  getPrepared: 'read own',
  broadcastPrepared: 'prepare own',
  auditLogs: 'read vault',
  auditRow: 'read own',
  auditExport: 'read vault',
  timeline: 'read vault',
  analysis: 'read vault',
  feed: 'optional',
  createPost: 'full vault',
  editPost: 'full vault',
  deletePost: 'full vault',
  conversations: 'read vault',
  conversation: 'read unbound',
  deleteConversation: 'full unbound',
  listStrategies: 'optional',
  createStrategy: 'full vault',
  validateStrategy: 'read vault',
  reorderStrategies: 'full vault',
  getStrategy: 'optional own',
  updateStrategy: 'full own',
  archiveStrategy: 'full own',
  setStrategyState: 'full own',
  engineVault: 'read vault',
  updateEngineVault: 'full vault',
  engineFields: 'read vault',
  engineStatus: 'read own',
  engineShard: 'read vault',
  listIntents: 'read vault',
  intentFacets: 'read vault',
  getIntent: 'read own',
  intentEvents: 'read own',
  intentFills: 'read own',
  listFills: 'read vault',
  backtest: 'read vault',
  simulateAhead: 'read vault',
  listSimulations: 'read vault',
  saveSimulation: 'full vault',
  lookUpSimulation: 'read vault',
  getSimulation: 'read own',
  deleteSimulation: 'full own',
  listAlerts: 'read vault',
  alertRules: 'read vault',
  setAlertRule: 'full vault',
  backtestAlertRule: 'read vault',
  alertEvents: 'read vault',
  getAlert: 'read own',
  acknowledgeAlert: 'full own',
  resolveAlert: 'full own',
  listChannels: 'read unbound',
  createChannel: 'full unbound',
  changeChannel: 'full unbound',
  deleteChannel: 'full unbound',
  testChannel: 'full unbound',
  listDeliveries: 'read unbound',
  vaultChannels: 'read vault',
  bindVaultChannel: 'full vault',
  bindChannel: 'full vault',
  unbindChannel: 'full vault',
  replayChannel: 'full vault',
  redeliverChannel: 'full vault',
};

const vault = { vault_address: vaultAddress, chain_id: 31337 };
const signature = { method: 'siwe', message: 'text', signature: '0x00' };
const pair = { source_address: managerAddress, oracle_address: managerAddress };
const inPath: Record<string, string> = {
  chain_id: '31337',
  vault_address: vaultAddress,
  vault_id: `31337:${vaultAddress}`,
  wallet_address: managerAddress,
  tx_hash: `0x${'ab'.repeat(32)}`,
  id: 'some-id',
  hash: `0x${'ab'.repeat(32)}`,
  rule_id: 'vault_paused',
  channel_id: 'some-channel',
};
const queries: Partial<Record<keyof Routes, string>> = {
  analysis: 'chain_id=31337',
  pauseStatus: `vaults=31337:${vaultAddress}`,
  analyticsExport: 'format=csv&dataset=pps',
  merkleConfigVersion: `vault_address=${vaultAddress}&chain_id=31337&version=1`,
  merkleProof: `leaf_hash=0x${'ab'.repeat(32)}`,
};
const aHook = {
  name: 'Deposit',
  hook_type: 'DEPOSIT',
  addresses: [{ chain_id: 31337, address: managerAddress }],
  inspect_params: [{ name: 'token', solidity_type: 'address', ref_type: 'token', param_order: 0 }],
  calldata: [{ name: 'token', solidity_type: 'address' }],
};
const vault_id = `31337:${vaultAddress}`;
const definition = {
  name: 'Idle to the source',
  indicators: [],
  rules: { type: 'EXPR', expr: 'vault_free_assets > 1' },
  action_config: {
    action: 'DEPOSIT',
    size_expr: 'vault_free_assets',
    execution_name: 'Deposit',
    execution_address: managerAddress,
    target_address: managerAddress,
  },
  max_concurrent: 1,
};
const backtest = { from: '2026-11-01T00:00:00Z', to: '2026-11-02T00:00:00Z' };
/** Fields of a body beside the vault; those without one are named in `bare`. */
const bodies: Partial<Record<keyof Routes, object>> = {
  nonce: { address: managerAddress, chain_id: 31337 },
  token: signature,
  stepUp: signature,
  createScopedToken: { name: 'Report', scope: 'read', expires_in_seconds: 3600 },
  setDisplayName: { display_name: 'Ann' },
  createPost: { title: 'Note', body: 'Text' },
  editPost: { version: 1, title: 'Note' },
  broadcastPrepared: { tx_hash: inPath.tx_hash },
  analyticsCompare: { vaults: [vault, { ...vault, chain_id: 1 }] },
  grantViewOnly: { wallet_address: managerAddress },
  createRegistryHook: aHook,
  updateRegistryHook: { ...aHook, version: 1 },
  createMerkleConfig: { rows: [{ hook_id: 'hook', params: {} }] },
  activateMerkleConfig: { version: 1 },
  prepareAddSecondaryManager: { manager_address: managerAddress },
  prepareRemoveSecondaryManager: { manager_address: managerAddress },
  prepareProposeFees: { performance_fee_bps: 1, management_fee_bps: 1, recipient: managerAddress },
  prepareDeviationThreshold: { deviation_threshold_bps: null },
  prepareProposeExpiration: { expiration_seconds: 1 },
  prepareProposeMinUpdateInterval: { min_update_interval_seconds: 1 },
  prepareDepositUpkeep: { amount: '1' },
  preparePause: { reason: 'Drill' },
  prepareUnpause: { reason: 'Drill' },
  prepareAddYieldSource: pair,
  prepareUpdateYieldSourceOracle: pair,
  prepareRemoveYieldSource: { source_address: managerAddress },
  createChannel: { provider: 'websocket', name: 'Desk' },
  changeChannel: { version: 1 },
  setAlertRule: { version: 0 },
  bindVaultChannel: { channel_id: 'some-channel' },
  replayChannel: { from_sequence: 1 },
  prepareBulkAddYieldSources: { sources: [pair] },
  prepareBulkUpdateYieldSourceOracles: { sources: [pair] },
  prepareBulkRemoveYieldSources: { sources: [{ source_address: managerAddress }] },
  prepareProposeHooksRoot: { root: `0x${'ab'.repeat(32)}` },
  prepareBanHookLeaves: { leaves: [`0x${'ab'.repeat(32)}`] },
  prepareAllowHookLeaves: { leaves: [`0x${'ab'.repeat(32)}`] },
  createStrategy: { vault_id, id: 'one', ...definition },
  validateStrategy: { vault_id, ...definition },
  reorderStrategies: { vault_id, lane: 'DEPOSIT', ordered_strategy_ids: ['one'] },
  updateStrategy: { version: 1, ...definition },
  setStrategyState: { target_state: 'RUNNING', version: 1 },
  updateEngineVault: { kill_switch: true },
  backtest: { vault_id, ...backtest },
  simulateAhead: { vault_id, horizon_seconds: 3600, step_seconds: 60 },
  saveSimulation: { vault_id, name: 'Last day', request: { kind: 'backtest', ...backtest } },
  lookUpSimulation: { vault_id, request: { kind: 'backtest', ...backtest } },
};
const bare = new Set<keyof Routes>([
  'acknowledgeAlert',
  'resolveAlert',
  'createChannel',
  'changeChannel',
  'bindVaultChannel',
  'bindChannel',
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
  'analyticsCompare',
  'createStrategy',
  'validateStrategy',
  'reorderStrategies',
  'updateStrategy',
  'setStrategyState',
  'updateEngineVault',
  'backtest',
  'simulateAhead',
  'saveSimulation',
  'lookUpSimulation',
]);

const names = Object.keys(routes) as (keyof Routes)[];
const routeOf = (name: keyof Routes) => routes[name] as unknown as Route;

function requestFor(name: keyof Routes) {
  const { method, path, query, body } = routeOf(name);
  const namesVault = query.safeParse({ vault_address: vaultAddress, chain_id: '31337' }).success;
  const namesVaultId = query.safeParse({ vault_id }).success;
  const asked = [
    queries[name],
    namesVault ? `vault_address=${vaultAddress}&chain_id=31337` : undefined,
    namesVaultId ? `vault_id=${vault_id}` : undefined,
  ].filter(Boolean);
  const url = `${path.replaceAll(/\{(\w+)\}/g, (_all, field: string) => inPath[field] ?? '')}?${asked.join('&')}`;
  return { method, url, ...(body ? { payload: { ...(bare.has(name) ? {} : vault), ...bodies[name] } } : {}) };
}

const elsewhere = `31337:${managerAddress}`;
const here = `31337:${vaultAddress}`;
const tokens = {
  none: undefined,
  read: { castellan_scope: 'read' },
  prepare: { castellan_scope: 'prepare' },
  full: {},
  'full, said so': { castellan_scope: 'full' },
  'read, bound to this vault': { castellan_scope: 'read', castellan_vault: here },
  'prepare, bound to this vault': { castellan_scope: 'prepare', castellan_vault: here },
  'full, bound to this vault': { castellan_vault: here },
  'read, bound to another vault': { castellan_scope: 'read', castellan_vault: elsewhere },
  'prepare, bound to another vault': { castellan_scope: 'prepare', castellan_vault: elsewhere },
  'full, bound to another vault': { castellan_vault: elsewhere },
  'read, bound to this address on another chain': { castellan_scope: 'read', castellan_vault: `1:${vaultAddress}` },
} as const;
type TokenName = keyof typeof tokens;
const tokenNames = Object.keys(tokens) as TokenName[];

/** What is to happen, by the rule alone. */
function expected(
  name: keyof Routes,
  token: TokenName,
): 'as the public' | 'as the wallet' | 'TOKEN_MISSING' | 'SCOPE_REQUIRED' {
  const rule = rules[name];
  if (rule === 'public') return 'as the public';
  if (token === 'none') return rule.startsWith('optional') ? 'as the public' : 'TOKEN_MISSING';
  const isElsewhere = token.includes('another');
  if (rule === 'optional own') return 'as the wallet';
  // Of several vaults one is always another than the one a token is for.
  if (rule === 'optional') {
    return isElsewhere || (name === 'analyticsCompare' && token.includes('bound')) ? 'as the public' : 'as the wallet';
  }
  const [scope, where] = rule.split(' ') as [TokenScope, string];
  const rank = ['read', 'prepare', 'full'];
  if (rank.indexOf(token.split(',')[0] ?? '') < rank.indexOf(scope)) return 'SCOPE_REQUIRED';
  if (where === 'vault' && isElsewhere) return 'SCOPE_REQUIRED';
  return where === 'unbound' && token.includes('bound') ? 'SCOPE_REQUIRED' : 'as the wallet';
}

let gateway: TestGateway;
const asked: (Caller | undefined)[] = [];
const bearers = new Map<TokenName, string>();

beforeAll(async () => {
  gateway = await startTestGateway({
    callAction: async (_action, _params, options) => {
      asked.push(options?.caller);
      throw new AppError('NOT_READY', 'Reached a service.');
    },
  });
  for (const name of tokenNames) {
    const claims = tokens[name];
    if (claims) bearers.set(name, await aToken({ claims }));
  }
});
beforeEach(() => {
  asked.length = 0;
});
afterAll(() => gateway.stop());

const askWith = (name: keyof Routes, token: TokenName) => {
  const bearer = bearers.get(token);
  return gateway.http.inject({
    ...requestFor(name),
    headers: bearer === undefined ? {} : { authorization: `Bearer ${bearer}` },
  });
};

async function outcomeOf(name: keyof Routes, token: TokenName): Promise<string> {
  const answer = await askWith(name, token);
  const { code } = answer.json() as { code: string };
  if (code !== 'NOT_READY') return asked.length === 0 ? code : `${code}, though a service was asked`;
  const [caller] = asked;
  return caller?.wallet_address === managerAddress ? 'as the wallet' : 'as the public';
}

describe('every route by every kind of token', () => {
  test('default: each has its rule', () => {
    expect(Object.keys(rules).sort()).toEqual([...names].sort());
  });

  test.each(names)('behavior: %s', async (name) => {
    const seen: Record<string, string> = {};
    const wanted: Record<string, string> = {};
    for (const token of tokenNames) {
      asked.length = 0;
      seen[token] = await outcomeOf(name, token);
      wanted[token] = expected(name, token);
    }
    expect(seen).toEqual(wanted);
  });

  test('behavior: HEAD asks for what GET does', async () => {
    const { url } = requestFor('users');
    const headers = { authorization: `Bearer ${bearers.get('read, bound to another vault')}` };
    const answer = await gateway.http.inject({ method: 'HEAD', url, headers });
    expect([answer.statusCode, asked]).toEqual([403, []]);
  });
});

describe('a refusal', () => {
  test('default: names the scope that is needed and the one there is', async () => {
    const answer = await askWith('preparePause', 'read');
    expect(answer.statusCode).toBe(403);
    expect(answer.json()).toMatchObject({ code: 'SCOPE_REQUIRED', detail: expect.stringMatching(/prepare.*read/) });
    expect(answer.headers['www-authenticate']).toContain('error="insufficient_scope", scope="prepare"');
  });

  test('behavior: comes after 401 and 400', async () => {
    const payload = { ...vault, reason: 5 };
    const pause = (headers: Record<string, string>) =>
      gateway.http.inject({ ...requestFor('preparePause'), payload, headers });
    expect((await pause({})).statusCode).toBe(401);
    expect((await pause({ authorization: `Bearer ${bearers.get('read')}` })).statusCode).toBe(400);
  });

  test('behavior: names the vault a token is for', async () => {
    const answer = await askWith('users', 'read, bound to another vault');
    expect(answer.json()).toMatchObject({ status: 403, detail: expect.stringContaining(managerAddress) });
  });
});

test('default: the description names the scope of each route', async () => {
  const document = (await gateway.http.inject('/api/v1/openapi.json')).json();
  for (const name of names) {
    const { path, method, auth, scope, id } = routeOf(name);
    const operation = document.paths[path][method.toLowerCase()];
    const wanted = auth === 'public' ? undefined : scope;
    expect([id, operation['x-castellan-scope'], operation.security[0]?.bearer[0]]).toEqual([id, wanted, wanted]);
    if (auth === 'bearer') expect(JSON.stringify(operation.responses['403'])).toContain('SCOPE_REQUIRED');
  }
});
