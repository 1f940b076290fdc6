import { randomUUID } from 'node:crypto';
import type { PublicVault } from '@castellan/contracts';
import { sendRaw, signIn, until } from './actors.ts';
import { keeperMs, minedMs } from './patience.ts';

type Client = Awaited<ReturnType<typeof signIn>>['client'];

/** What tests of strategies begin with, made through the API as the primary manager of the vault. */
export async function strategyScene({ chain_id, vault_address }: PublicVault) {
  const { client } = await signIn(1);
  const params = { chain_id: `${chain_id}`, vault_address };
  const vault_id = `${chain_id}:${vault_address}`;
  const { allocation } = await client.vault({ params });
  const sourceOf = (name: string): string => {
    const found = allocation.find((item) => item.kind === 'source' && item.name === name);
    if (!found) throw new Error(`The vault has no source ${name}.`);
    return found.source_address;
  };
  return {
    client,
    vault_id,
    /** Saves a strategy that deposits a quarter of the idle assets into a source, once an hour or as often as it is said. */
    async deposits(name: string, source: string, cooldown_ms = 3_600_000): Promise<string> {
      const hook = (await hookOf(client, params.chain_id, 'DEPOSIT')).addresses[0]?.address ?? '';
      const id = `e2e-${name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`;
      await client.createStrategy({
        idempotencyKey: randomUUID(),
        body: {
          id,
          vault_id,
          name,
          indicators: [],
          rules: { type: 'EXPR', expr: 'vault_free_assets > 1000' },
          action_config: {
            action: 'DEPOSIT',
            size_expr: 'floor(vault_free_assets / 4)',
            execution_name: 'Deposit',
            execution_address: hook,
            target_address: sourceOf(source),
          },
          max_concurrent: 1,
          cooldown_ms,
        },
      });
      return id;
    },
    /** Waits for a reading on which a strategy fires: until then the right answer of a simulation of the past is 0. */
    firingObserved: (id: string) =>
      until(
        'the indexer observed the vault with idle assets',
        async () => {
          const now = Date.parse((await client.vault({ params })).chain_time);
          const [from, to] = [now - 86_400_000, now].map((ms) => new Date(ms).toISOString()) as [string, string];
          const body = { vault_id, strategy_ids: [id], drafts: [], from, to, slippage_bps: 0 };
          return (await client.backtest({ body })).firings.length > 0;
        },
        minedMs,
      ),
    /** Archives the strategies of this name or names, whatever state a test left them in. */
    async archive(isOurs: (name: string) => boolean): Promise<void> {
      const { strategies } = await client.listStrategies({ query: { vault_id } });
      for (const { id, name, state, version } of strategies) {
        if (!isOurs(name) || state === 'ARCHIVED') continue;
        const idle =
          state === 'RUNNING'
            ? await client.setStrategyState({ params: { id }, body: { version, target_state: 'IDLE' } })
            : { version };
        await client.setStrategyState({ params: { id }, body: { version: idle.version, target_state: 'ARCHIVED' } });
      }
    },
    /** Puts leaves to deposit into and to redeem from all sources of the vault into force, if they are not. */
    allowAllSources: () => allowAllSources(client, { chain_id, vault_address }),
  };
}

async function hookOf(client: Client, chain_id: string, type: 'DEPOSIT' | 'WITHDRAWAL') {
  const { hooks } = await client.registryHooks({ query: { chain_id, is_active: 'true' } });
  const hook = hooks.find(({ hook_type }) => hook_type === type);
  if (!hook) throw new Error(`There is no hook of type ${type}.`);
  return hook;
}

async function allowAllSources(client: Client, ref: { chain_id: number; vault_address: string }): Promise<void> {
  const query = { ...ref, chain_id: `${ref.chain_id}` };
  const vault = await client.vault({ params: query });
  const deposit = await hookOf(client, query.chain_id, 'DEPOSIT');
  const redeem = await hookOf(client, query.chain_id, 'WITHDRAWAL');
  const rows = vault.allocation
    .filter(({ kind }) => kind === 'source')
    .flatMap(({ source_address: yield_source }) => [
      { hook_id: deposit.id, params: { yield_source, token: vault.asset.address } },
      { hook_id: redeem.id, params: { yield_source, owner: vault.strategy_address } },
    ]);
  const { version } = await client.createMerkleConfig({ body: { ...ref, rows } });
  await client.activateMerkleConfig({ body: { ...ref, version } });
  const { id } = await client.generateMerkleTree({ body: ref });
  await until(
    'the tree is generated',
    async () => {
      const { status } = await client.merkleJob({ params: { id } });
      if (status === 'failed') throw new Error('The tree could not be generated.');
      return status === 'completed';
    },
    keeperMs,
  );
  const isInForce = async () => !(await client.merkleSync({ query }));
  const sync = await client.merkleSync({ query });
  if (!sync) return;
  if (sync.action !== 'propose') throw new Error(`The vault's root needs: ${sync.action}.`);
  const call = await client.prepareProposeHooksRoot({ body: { ...ref, root: sync.root_hash ?? '' } });
  const tx_hash = await sendRaw(1, call);
  await client.broadcastPrepared({ params: { id: call.id }, body: { tx_hash } });
  await until('the root is in force', isInForce, minedMs);
}
