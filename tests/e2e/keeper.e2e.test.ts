import { beforeAll, describe, expect, test } from '@jest/globals';
import { erc20Abi } from 'viem';
import { chain, signIn, until } from '../system/actors.ts';

/** The keeper on the devnet: what a manager writes is carried out, and an emergency exit brings everything back. */

type Client = Awaited<ReturnType<typeof signIn>>['client'];
let primary: Client;
let vault: Awaited<ReturnType<Client['vault']>>;
let source: string;
let vault_id: string;
const patience = 90_000;
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
const settled = async (strategy_id: string) => {
  const { intents } = await primary.listIntents({ query: { vault_id, strategy_id } });
  const ended = intents.find(({ terminal_at }) => terminal_at !== null);
  return ended ?? undefined;
};

beforeAll(async () => {
  ({ client: primary } = await signIn(1));
  const found = (await primary.publicVaults({})).find(({ name }) => name === 'WBTC Reserve');
  if (!found) throw new Error('WBTC Reserve is not in the public list');
  const { chain_id, vault_address } = found;
  vault = await primary.vault({ params: { chain_id: `${chain_id}`, vault_address } });
  vault_id = `${chain_id}:${vault_address}`;
  source = vault.allocation.find(({ kind, is_active }) => kind === 'source' && is_active)?.source_address ?? '';
});

describe('the keeper', () => {
  test('default: is a secondary manager of each vault, for the devnet admits it', async () => {
    const aggregated = await until('it is admitted', async () => {
      const { managers } = await primary.vault({ params: { chain_id: '31337', vault_address: vault.vault_address } });
      return managers.secondary.length > 3 ? managers.secondary : undefined;
    });
    expect(aggregated.length).toBeGreaterThan(3);
  });

  test('behavior: a tree of the vault`s own leaves has the root that is in force', async () => {
    const ref = { chain_id: vault.chain_id, vault_address: vault.vault_address };
    const { hooks } = await primary.registryHooks({ query: { chain_id: `${vault.chain_id}`, is_active: 'true' } });
    const hook = (type: string) => hooks.find(({ hook_type }) => hook_type === type)?.id ?? '';
    const rows = vault.allocation
      .filter(({ kind }) => kind === 'source')
      .flatMap(({ source_address: yield_source }) => [
        { hook_id: hook('DEPOSIT'), params: { yield_source, token: vault.asset.address } },
        { hook_id: hook('WITHDRAWAL'), params: { yield_source, owner: vault.strategy_address } },
      ]);
    const { version } = await primary.createMerkleConfig({ body: { ...ref, rows } });
    await primary.activateMerkleConfig({ body: { ...ref, version } });
    const { id } = await primary.generateMerkleTree({ body: ref });
    const isDone = async () => (await primary.merkleJob({ params: { id } })).status === 'completed';
    await until('the tree is generated', isDone, patience);
    const sync = await primary.merkleSync({ query: { ...ref, chain_id: `${ref.chain_id}` } });
    expect(sync === undefined || sync === null || sync.root_hash === sync.strategy_root).toBe(true);
  }, 120_000);

  test('behavior: a strategy that is started moves assets into its source, and the history tells how', async () => {
    const before = await shares();
    const { hooks } = await primary.registryHooks({ query: { chain_id: `${vault.chain_id}`, is_active: 'true' } });
    const hook = hooks.find(({ hook_type }) => hook_type === 'DEPOSIT')?.addresses[0]?.address ?? '';
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
    const intent = await until('its intent has ended', () => settled(strategyId), patience);
    expect(intent).toMatchObject({ state: 'COMPLETED', fills_count: 1, error_code: null });
    expect(await shares()).toBe(before + BigInt(intent.total_amount_out));
    const { events } = await primary.intentEvents({ params: { id: intent.intent_id } });
    expect(events.at(-1)).toMatchObject({ message_type: 'COMPLETE' });
  }, 120_000);

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
});
