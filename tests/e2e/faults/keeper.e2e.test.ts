import type { PreparedCall } from '@castellan/contracts';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { erc20Abi } from 'viem';
import { chain, passTime, sendRaw, signIn, stateDir, until } from '../../system/actors.ts';
import { pidsOf } from '../../system/running-system.ts';

/** The keeper on the devnet: what a manager writes is carried out, and an emergency exit brings everything back. */

type Client = Awaited<ReturnType<typeof signIn>>['client'];
let primary: Client;
let vault: Awaited<ReturnType<Client['vault']>>;
let sources: string[];
let source: string;
let firstRoot: string | null;
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
const settled = async (strategy_id: string) =>
  (await intentsOf(strategy_id)).find(({ terminal_at }) => terminal_at !== null);

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
  const [deposit, withdrawal] = [await hookOf('DEPOSIT'), await hookOf('WITHDRAWAL')];
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
  const ended = async () => {
    const job = await primary.merkleJob({ params: { id } });
    return job.status === 'completed' || job.status === 'failed' ? job : undefined;
  };
  return { version, job: await until('the tree is generated', ended, patience) };
}

const synced = (action: string) =>
  until(
    `what is to do is: ${action}`,
    async () => {
      const sync = await primary.merkleSync({ query: inQuery });
      return sync?.action === action ? sync : undefined;
    },
    patience,
  );

/** Signs and sends a prepared call as the primary manager, and waits until the chain shows its change. */
async function carryOut(call: PreparedCall): Promise<void> {
  expect(call.simulation).toEqual({ ok: true, revert_reason: null });
  const tx_hash = await sendRaw(1, call);
  await primary.broadcastPrepared({ params: { id: call.id }, body: { tx_hash } });
  const isVerified = async () =>
    (await primary.getPrepared({ params: { id: call.id }, query: {} })).status === 'verified';
  await until(`${call.decoded.function} verified`, isVerified, patience);
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
  await until('the root is in force', async () => !(await primary.merkleSync({ query: inQuery })), patience);
  return { from: before.strategy_root, to: root };
}

/** What the chart of the allocation draws last for the source. */
async function charted(): Promise<bigint> {
  const { points } = await primary.analyticsAllocation({ params: inQuery, query: { period: '24h' } });
  const { assets } = points.at(-1)?.sources.find(({ source_address }) => source_address === source) ?? {};
  return BigInt(assets ?? 0);
}

describe('the keeper', () => {
  test('default: is a secondary manager of each vault, for the devnet admits it', async () => {
    const aggregated = await until('it is admitted', async () => {
      const { managers } = await primary.vault({ params: { chain_id: '31337', vault_address: vault.vault_address } });
      return managers.secondary.length > 3 ? managers.secondary : undefined;
    });
    expect(aggregated.length).toBeGreaterThan(3);
  });

  test('behavior: the tree of a new version is proposed, waits for its timelock, and comes into force', async () => {
    const { from } = await putIntoForce(sources.slice(0, -1));
    firstRoot = from;
  }, 240_000);

  test('behavior: a strategy that is started moves assets into its source once, though the keeper is killed meanwhile, and the history tells how', async () => {
    const before = await shares();
    const drawn = await charted();
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
    await setState(strategyId, 'RUNNING');
    await until('its intent is written down', async () => (await intentsOf(strategyId)).length > 0, patience);
    const pid = pidsOf(stateDir()).keeper as number;
    process.kill(pid, 'SIGKILL');
    await until('the keeper started again', async () => (pidsOf(stateDir()).keeper ?? pid) !== pid, 20_000);
    const completed = async () => (await intentsOf(strategyId)).find(({ state }) => state === 'COMPLETED');
    const intent = await until('an intent of it is completed', completed, patience);
    expect(intent).toMatchObject({ fills_count: 1, error_code: null });
    // Killed before it was sent, the first never will be, and another takes its place; killed after that, it goes on.
    for (const other of await intentsOf(strategyId))
      if (other.intent_id !== intent.intent_id)
        expect(other).toMatchObject({ state: 'ABORTED', error_code: 'INTERRUPTED', fills_count: 0 });
    expect(BigInt(intent.gas_used_total)).toBeGreaterThan(0n);
    expect(await shares()).toBe(before + BigInt(intent.total_amount_out));
    const { events } = await primary.intentEvents({ params: { id: intent.intent_id } });
    expect(events.at(-1)).toMatchObject({ message_type: 'COMPLETE' });
    await until('the chart follows', async () => (await charted()) > drawn, patience);
  }, 240_000);

  test('behavior: an emergency exit drains the source and locks its strategies, until it is stopped', async () => {
    const exit = (await strategies()).find(
      ({ kind, action_config }) => kind === 'EMERGENCY_EXIT' && action_config.target_address === source,
    );
    if (!exit) throw new Error('there is no exit');
    await setState(exit.id, 'RUNNING', { emergency_arm_reason: 'Drill' });
    await until('the source is empty', async () => (await shares()) === 0n, patience);
    const locked = await until(
      'the strategy is locked',
      async () => {
        const shard = await primary.engineShard({ params: { vault_id } });
        const item = shard.strategies.find(({ strategy_id }) => strategy_id === strategyId);
        return item?.last_look?.code === 'EMERGENCY_LOCK_ACTIVE' ? item : undefined;
      },
      patience,
    );
    expect(locked.is_locked).toBe(true);
    expect(await until('its intent has ended', () => settled(exit.id), patience)).toMatchObject({ state: 'COMPLETED' });
    await setState(exit.id, 'IDLE');
    await setState(strategyId, 'ARCHIVED');
  }, 180_000);

  test('behavior: the former leaves come back the same way, and with them the root of the devnet', async () => {
    const { to } = await putIntoForce(sources);
    expect(to).toBe(firstRoot);
  }, 240_000);
});
