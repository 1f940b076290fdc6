import type { PreparedCall } from '@castellan/contracts';
import { beforeAll, expect, test } from '@jest/globals';
import { erc20Abi } from 'viem';
import { chain, passTime, sendRaw, signIn, stateDir, until, untilRead } from '../../system/actors.ts';
import { scenarioMs } from '../../system/patience.ts';
import { pidsOf } from '../../system/running-system.ts';

/** The keeper on the devnet: what a manager writes is carried out, and an emergency exit brings everything back. */

type Client = Awaited<ReturnType<typeof signIn>>['client'];
let primary: Client;
let vault: Awaited<ReturnType<Client['vault']>>;
let sources: string[];
let source: string;
let vault_id: string;
let ref: { chain_id: number; vault_address: string };
let inQuery: { chain_id: string; vault_address: string };
const patience = 120_000;
const strategyId = `e2e-idle-${Date.now()}`;

const shares = () =>
  chain().readContract({
    address: source as `0x${string}`,
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [vault.strategy_address as `0x${string}`],
  });
const strategies = async () => (await primary.listStrategies({ query: { vault_id } })).strategies;
const setState = async (id: string, target_state: 'RUNNING' | 'IDLE' | 'ARCHIVED', more: object = {}) => {
  const version = (await strategies()).find((item) => item.id === id)?.version ?? 0;
  return primary.setStrategyState({ params: { id }, body: { version, target_state, ...more } });
};
const intentsOf = async (strategy_id: string) =>
  (await primary.listIntents({ query: { vault_id, strategy_id } })).intents;

beforeAll(async () => {
  ({ client: primary } = await signIn(1));
  const found = (await primary.publicVaults({})).find(({ name }) => name === 'WBTC Reserve');
  if (!found) throw new Error('WBTC Reserve is not in the public list');
  const { chain_id, vault_address } = found;
  vault = await primary.vault({ params: { chain_id: `${chain_id}`, vault_address } });
  vault_id = `${chain_id}:${vault_address}`;
  sources = vault.allocation.filter(({ kind }) => kind === 'source').map(({ source_address }) => source_address);
  source = sources[0] ?? '';
  ref = { chain_id, vault_address };
  inQuery = { chain_id: `${chain_id}`, vault_address };
});

const hookOf = async (type: string) => {
  const { hooks } = await primary.registryHooks({ query: { chain_id: inQuery.chain_id, is_active: 'true' } });
  const hook = hooks.find(({ hook_type }) => hook_type === type);
  if (!hook) throw new Error(`There is no hook of type ${type}.`);
  return hook;
};

/** A version with leaves to deposit into these sources and to withdraw from all, activated, and its tree generated. */
async function generated(deposits: readonly string[]) {
  const deposit = await hookOf('DEPOSIT');
  const withdrawal = await hookOf('WITHDRAWAL');
  const rows = [
    ...deposits.map((yield_source) => ({ hook_id: deposit.id, params: { yield_source, token: vault.asset.address } })),
    ...sources.map((yield_source) => ({
      hook_id: withdrawal.id,
      params: { yield_source, owner: vault.strategy_address },
    })),
  ];
  const { version } = await primary.createMerkleConfig({ body: { ...ref, rows } });
  await primary.activateMerkleConfig({ body: { ...ref, version } });
  const { id } = await primary.generateMerkleTree({ body: ref });
  const job = await untilRead(
    'the tree is generated',
    () => primary.merkleJob({ params: { id } }),
    ({ status }) => status === 'completed' || status === 'failed',
    patience,
  );
  return { version, job };
}

const synced = async (action: string) => {
  const sync = await untilRead(
    `what is to do is: ${action}`,
    () => primary.merkleSync({ query: inQuery }),
    (read) => read?.action === action,
    patience,
  );
  if (!sync) throw new Error(`There is nothing to ${action}.`);
  return sync;
};

/** Signs and sends a prepared call as the primary manager, and waits until the chain shows its change. */
async function carryOut(call: PreparedCall): Promise<void> {
  expect(call.simulation).toEqual({ ok: true, revert_reason: null });
  const tx_hash = await sendRaw(1, call);
  await primary.broadcastPrepared({ params: { id: call.id }, body: { tx_hash } });
  await untilRead(
    `${call.decoded.function} is verified`,
    async () => (await primary.getPrepared({ params: { id: call.id }, query: {} })).status,
    (status) => status === 'verified',
    patience,
  );
}

/** The way of a new version, from its rows to the root the chain checks hooks against. */
async function putIntoForce(deposits: readonly string[]): Promise<{ from: string | null; to: string }> {
  const { version, job } = await generated(deposits);
  expect(job.status).toBe('completed');
  const before = await synced('propose');
  expect(before.config_version).toBe(version);
  const root = before.root_hash ?? '';
  expect(root).not.toBe(before.strategy_root);

  await carryOut(await primary.prepareProposeHooksRoot({ body: { ...ref, root } }));
  const waiting = await synced('pending_timelock');
  expect(waiting).toMatchObject({ proposed_root: root, strategy_root: before.strategy_root });
  await expect(primary.prepareExecuteHooksRoot({ body: ref })).rejects.toMatchObject({ code: 'ROOT_UPDATE_NOT_READY' });

  await passTime(waiting.timelock_seconds + 1);
  await synced('execute');
  await carryOut(await primary.prepareExecuteHooksRoot({ body: ref }));
  // The answer without a body: what is configured is what is in force.
  await untilRead(
    'the root is in force',
    () => primary.merkleSync({ query: inQuery }),
    (sync) => !sync,
    patience,
  );
  return { from: before.strategy_root, to: root };
}

/** What the chart of the allocation draws last for the source. */
async function charted(): Promise<bigint> {
  const { points } = await primary.analyticsAllocation({ params: inQuery, query: { period: '24h' } });
  const { assets } = points.at(-1)?.sources.find(({ source_address }) => source_address === source) ?? {};
  return BigInt(assets ?? 0);
}

type Intent = Awaited<ReturnType<typeof intentsOf>>[number];
const completedOf = (intents: readonly Intent[]) => intents.find(({ state }) => state === 'COMPLETED');

/** A strategy that moves idle assets into the source, once. */
async function createDepositStrategy(): Promise<void> {
  const hook = (await hookOf('DEPOSIT')).addresses[0]?.address ?? '';
  await primary.createStrategy({
    body: {
      id: strategyId,
      vault_id,
      name: 'Idle to work',
      indicators: [],
      rules: { type: 'EXPR', expr: 'vault_free_assets > 1000' },
      action_config: {
        action: 'DEPOSIT',
        size_expr: 'floor(vault_free_assets / 20)',
        execution_name: 'Deposit',
        execution_address: hook,
        target_address: source,
      },
      max_concurrent: 1,
      cooldown_ms: 3_600_000,
    },
  });
}

/** The started strategy moves assets into its source once, though the keeper is killed meanwhile, and the history shows how. */
async function depositOnceThoughKilled(): Promise<void> {
  const before = await shares();
  const drawn = await charted();
  await createDepositStrategy();
  await setState(strategyId, 'RUNNING');
  await untilRead(
    'its intent is written down',
    () => intentsOf(strategyId),
    (intents) => intents.length > 0,
    patience,
  );
  const pid = pidsOf(stateDir()).keeper as number;
  process.kill(pid, 'SIGKILL');
  await until('the keeper started again', async () => (pidsOf(stateDir()).keeper ?? pid) !== pid);
  const intents = await untilRead(
    'an intent of it is completed',
    () => intentsOf(strategyId),
    (read) => completedOf(read) !== undefined,
    patience,
  );
  const intent = completedOf(intents) as Intent;
  expect(intent).toMatchObject({ fills_count: 1, error_code: null });
  // Killed before it was sent, the first never will be, and another takes its place; killed after that, it goes on.
  for (const other of await intentsOf(strategyId))
    if (other.intent_id !== intent.intent_id)
      expect(other).toMatchObject({ state: 'ABORTED', error_code: 'INTERRUPTED', fills_count: 0 });
  expect(BigInt(intent.gas_used_total)).toBeGreaterThan(0n);
  expect(await shares()).toBe(before + BigInt(intent.total_amount_out));
  const { events } = await primary.intentEvents({ params: { id: intent.intent_id } });
  expect(events.at(-1)).toMatchObject({ message_type: 'COMPLETE' });
  await untilRead(`the chart of the source rises above ${drawn}`, charted, (assets) => assets > drawn, patience);
}

/** An emergency exit drains the source and locks its strategies, until it is stopped. */
async function drainAndLock(): Promise<void> {
  const exit = (await strategies()).find(
    ({ kind, action_config }) => kind === 'EMERGENCY_EXIT' && action_config.target_address === source,
  );
  if (!exit) throw new Error('there is no exit');
  await setState(exit.id, 'RUNNING', { emergency_arm_reason: 'Drill' });
  await untilRead('the source is empty', shares, (held) => held === 0n, patience);
  const ofStrategy = async () => {
    const shard = await primary.engineShard({ params: { vault_id } });
    return shard.strategies.find(({ strategy_id }) => strategy_id === strategyId);
  };
  const isLocked = (item: Awaited<ReturnType<typeof ofStrategy>>) => item?.last_look?.code === 'EMERGENCY_LOCK_ACTIVE';
  const locked = await untilRead('the strategy is locked', ofStrategy, isLocked, patience);
  expect(locked?.is_locked).toBe(true);
  const ended = await untilRead(
    'the intent of the exit has ended',
    async () => (await intentsOf(exit.id)).find(({ terminal_at }) => terminal_at !== null),
    (intent) => intent !== undefined,
    patience,
  );
  expect(ended).toMatchObject({ state: 'COMPLETED' });
  await setState(exit.id, 'IDLE');
  await setState(strategyId, 'ARCHIVED');
}

test('default: the keeper is a secondary manager of each vault, for the devnet admits it', async () => {
  await untilRead(
    'it is admitted',
    async () => {
      const { managers } = await primary.vault({ params: { chain_id: '31337', vault_address: vault.vault_address } });
      return managers.secondary;
    },
    (secondary) => secondary.length > 3,
  );
});

test(
  'behavior: a new tree comes into force after its timelock, the keeper carries out what a manager writes though it is killed, an emergency exit drains the source, and the former leaves bring the former root',
  async () => {
    const { from } = await putIntoForce(sources.slice(0, -1));
    await depositOnceThoughKilled();
    await drainAndLock();
    expect((await putIntoForce(sources)).to).toBe(from);
  },
  scenarioMs,
);
