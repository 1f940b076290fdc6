import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * By which key each collection is distributed over the shards of a store, for `docs/operations/scaling.md`:
 * `node tools/shard-keys.ts` writes its table. A test holds the keys to the unique indexes.
 */
const page = join(dirname(dirname(fileURLToPath(import.meta.url))), 'docs/operations/scaling.md');

/** Fields of the key in their order; `hashed` of an identifier; or why the collection stays whole on one shard. */
export type ShardKey = { fields: readonly string[] } | { hashed: string } | { whole: string };

const ofVault: ShardKey = { fields: ['chain_id', 'vault'] };
const byId: ShardKey = { hashed: '_id' };
const small: ShardKey = { whole: 'small: a document per chain, node or version' };
const perVault: ShardKey = { whole: 'a few documents per vault' };
const twoUnique: ShardKey = { whole: 'its unique indexes have no field in common to begin with' };

/** By service and collection, as in docs/collections.md; `service-kit` has what every database has. */
export const shardKeys: Readonly<Record<string, Readonly<Record<string, ShardKey>>>> = {
  'service-kit': {
    schema_versions: small,
    handled_messages: byId,
    outbox: { whole: 'short: what is not published yet' },
    leases: small,
    outbox_order: small,
    restores: small,
    backups: small,
  },
  ai: {
    analyses: byId,
    budgets: byId,
    chat_chunks: { fields: ['message_id'] },
    chat_conversations: byId,
    chat_messages: { whole: 'one answer at a time is a unique index over all of them; kept for 90 days' },
    feed_cursors: small,
    feed_items: { fields: ['chain_id'] },
    feed_states: ofVault,
  },
  analytics: { cursors: small, segments: { fields: ['chain_id', 'epoch', 'subject'] }, subjects: byId },
  auth: { key_rotations: small, nonce_quotas: byId, nonces: byId, sessions: byId, signing_keys: small },
  gateway: { idempotency_keys: byId },
  users: {
    display_names: { fields: ['wallet'] },
    people: { fields: ['wallet'] },
    view_only_grants: ofVault,
    channel_bindings: { fields: ['channel_id'] },
    duty_rotas: { fields: ['chain_id', 'vault'] },
    escalation_watches: { fields: ['alert_id'] },
    deliveries: { fields: ['delivery_id'] },
    notification_channels: { fields: ['channel_id'] },
    alert_engines: ofVault,
    alert_clocks: small,
    alert_journal: ofVault,
    alert_events: twoUnique,
    alerts: { fields: ['alert_id'] },
    alert_revisions: byId,
    alert_settings: ofVault,
    alert_own_rules: ofVault,
    audit_log: { whole: 'one chain of hashes, in one order' },
    log_cursors: small,
    attestation_key_history: small,
    attestation_keys: small,
    mandate_attestations: ofVault,
    mandate_breaches: ofVault,
    mandate_judgements: ofVault,
    mandate_versions: ofVault,
    scenario_sets: ofVault,
    vault_reports: ofVault,
  },
  vaults: {
    merkle_active_configs: perVault,
    merkle_artifact_parts: byId,
    merkle_artifacts: byId,
    merkle_config_trees: perVault,
    merkle_configs: ofVault,
    merkle_trees: byId,
    merkle_published: perVault,
    registry_hooks: small,
    merkle_jobs: { whole: 'a job at a time is a unique index over all of them' },
    merkle_leaves: { fields: ['tree_id'] },
    keeper_heartbeats: small,
    keeper_refusals: ofVault,
    keeper_runs: ofVault,
    keeper_vaults: { whole: 'a nonce at a time is a unique index over all of them' },
    chain_blocks: { fields: ['chain_id'] },
    chain_commits: small,
    chain_log: { fields: ['chain_id'] },
    chain_status: small,
    log_archives: { fields: ['chain_id'] },
    transmissions: ofVault,
    validator_configs: small,
    validator_hours: small,
    validator_marks: byId,
    validator_memberships: small,
    validator_nodes: small,
    validator_rounds: byId,
    validator_strategies: small,
    validator_transactions: byId,
    pause_proofs: perVault,
    prepared_calls: ofVault,
    depositor_calls: byId,
    seen_transactions: byId,
    strategy_runs: ofVault,
    intents: twoUnique,
    strategies: ofVault,
    allocation_targets: ofVault,
    strategy_engines: perVault,
    strategy_lanes: perVault,
    strategy_simulations: ofVault,
    strategy_snapshots: ofVault,
    display_names: byId,
    view_only_grants: ofVault,
    mandates_in_force: byId,
    vault_snapshots: ofVault,
  },
};

const textOf = (key: ShardKey): string => {
  if ('whole' in key) return `none: ${key.whole}`;
  if ('hashed' in key) return `\`{ ${key.hashed}: "hashed" }\``;
  return `\`{ ${key.fields.map((field) => `${field}: 1`).join(', ')} }\``;
};

/** The table of the page: collections with the same key in one row. */
export function shardTable(): string {
  const rows = Object.entries(shardKeys).flatMap(([service, collections]) => {
    const byKey = new Map<string, string[]>();
    for (const [name, key] of Object.entries(collections))
      byKey.set(textOf(key), [...(byKey.get(textOf(key)) ?? []), `\`${name}\``]);
    const database = service === 'service-kit' ? 'every service' : service;
    return [...byKey].map(([key, names]) => `| ${database} | ${names.join(', ')} | ${key} |`);
  });
  return ['| Database | Collections | Shard key |', '| --- | --- | --- |', ...rows].join('\n');
}

const marks = ['<!-- made by node tools/shard-keys.ts -->', '<!-- until here -->'] as const;
const between = new RegExp(`(${marks[0]}\\n)[\\s\\S]*(\\n${marks[1]})`);

/** The page with the table of now. */
export const pageWithTable = (text: string): string => text.replace(between, `$1\n${shardTable()}\n$2`);
export const readPage = (): string => readFileSync(page, 'utf8');

if (import.meta.main) writeFileSync(page, pageWithTable(readPage()));
