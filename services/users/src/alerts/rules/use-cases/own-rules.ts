import { randomBytes } from 'node:crypto';
import {
  AppError,
  alertMetricNames,
  alertMetrics,
  type ChangeOwnRule,
  type CreateOwnRule,
  type DeleteOwnRule,
  GetVault,
  type ListOwnRules,
  type Metric,
  MOST_OWN_RULES,
  type OwnRule,
  type OwnRuleDefinition,
  type OwnRuleId,
  type ParamsOf,
  type ResultOf,
} from '@castellan/contracts';
import { type Call, type ClientSession, isDuplicateKey } from '@castellan/service-kit';
import { forRole, needs, requireCaller, requireRole } from '../../../access/use-cases/require-role.ts';
import { announceNews, type JournalCollections } from '../../journal/models/collections.ts';
import { runbookOf } from '../domain/runbook.ts';
import type { OwnRuleCollections, StoredOwnRule } from '../models/own-rules.ts';
import type { RulesDeps } from './alert-rules.ts';

type Vault = { chain_id: number; vault_address: string };

export type OwnRulesDeps = Omit<RulesDeps, 'alerts'> & {
  alerts: OwnRuleCollections & Pick<JournalCollections, 'clocks'>;
  /** Channels of a vault, and what each of them gets. */
  store: {
    onVault(vault: Vault): Promise<readonly { channel_id: string; receives?: 'all' | 'escalations' | undefined }[]>;
  };
};

export const keyOf = ({ chain_id, vault_address }: Vault) => ({ chain_id, vault: vault_address.toLowerCase() });

/** What amounts of the vault are shown in. */
export async function assetOf(call: Call, { chain_id, vault_address }: Vault): Promise<StoredOwnRule['asset']> {
  const { asset } = await call.callAction(GetVault, { chain_id, vault_address }, { isShared: true });
  return { symbol: asset.symbol, decimals: asset.decimals };
}

const shown = (deps: OwnRulesDeps, stored: StoredOwnRule): OwnRule => ({
  ...stored.rule,
  rule_id: stored.rule_id,
  unit: alertMetrics[stored.rule.metric].unit,
  runbook_url: runbookOf(stored.rule_id),
  version: stored.version,
  created_by: deps.checksum(stored.created_by),
  created_at: stored.created_at.toISOString(),
  updated_by: deps.checksum(stored.updated_by),
  updated_at: stored.updated_at.toISOString(),
});

const sourceText = ({ source }: Metric): string =>
  'promise' in source ? `mandate: ${source.promise}` : `${source.read}: ${source.field}`;

const offered = alertMetricNames.map((metric) => {
  const { title, unit, known, source } = alertMetrics[metric];
  return { metric, title, unit, known, source: sourceText({ title, unit, known, source }) };
});

/** The rules that managers made for a vault, for anybody with a role on it. */
export const listOwnRules = (deps: OwnRulesDeps) =>
  forRole(
    deps.collections,
    needs.anyRole,
    async (params: ParamsOf<typeof ListOwnRules>, call): Promise<ResultOf<typeof ListOwnRules>> => {
      const asset = await assetOf(call, params);
      const stored = await deps.alerts.ownRules
        .find({ ...keyOf(params), deleted: { $ne: true } })
        .sort({ created_at: 1, rule_id: 1 })
        .toArray();
      return { rules: stored.map((each) => shown(deps, each)), most: MOST_OWN_RULES, metrics: offered, asset };
    },
  );

/**
 * Channels that the rule had may be gone from the vault since, and hinder no change of it.
 * @throws AppError VALIDATION_FAILED for others that get nothing of this vault.
 */
async function requireChannels(
  deps: OwnRulesDeps,
  vault: Vault,
  { channels }: OwnRuleDefinition,
  before: OwnRuleDefinition | null,
): Promise<void> {
  if (channels === null) return;
  const bound = await deps.store.onVault(vault);
  const known = new Set(bound.filter(({ receives }) => receives !== 'escalations').map(({ channel_id }) => channel_id));
  for (const channel of before?.channels ?? []) known.add(channel);
  const strange = channels.filter((channel) => !known.has(channel));
  if (strange.length === 0) return;
  throw new AppError('VALIDATION_FAILED', 'A rule names channels that the vault sends its alerts to.', {
    data: {
      errors: strange.map((channel) => ({
        path: 'body.rule.channels',
        message: `${channel} is no channel of the vault that gets everything`,
      })),
    },
  });
}

type Step = 'created' | 'changed' | 'deleted';

/** Stores a change with its row of the audit log, in one transaction. @returns false when `write` found something else there. */
async function record(
  deps: OwnRulesDeps,
  call: Call,
  step: Step,
  { vault, before, after }: { vault: Vault; before: StoredOwnRule | null; after: StoredOwnRule },
  write: (session: ClientSession) => Promise<boolean>,
): Promise<boolean> {
  const { chain_id, vault_address } = vault;
  const { rule_id, version, updated_at, rule } = after;
  const row = {
    id: `own-alert-rule:${chain_id}:${after.vault}:${rule_id}:${version}`,
    timestamp: updated_at.toISOString(),
    category: 'alert' as const,
    action_type: `own_alert_rule_${step}`,
    vault_address,
    chain_id,
    actor_wallet: requireCaller(call),
    details: {
      rule_id,
      title: rule.title,
      from: before?.rule ?? null,
      to: step === 'deleted' ? null : rule,
    },
    tx_hash: null,
    request_id: call.requestId ?? null,
  };
  const isStored = await deps.outbox.recordWith([], async (session) => {
    if (!(await write(session))) return false;
    await deps.auditLog.append(row, session);
    return true;
  });
  if (isStored) await announceNews(deps.alerts, chain_id);
  return isStored;
}

async function added(deps: OwnRulesDeps, rule: StoredOwnRule, session: ClientSession): Promise<boolean> {
  try {
    await deps.alerts.ownRules.insertOne({ ...rule }, { session });
    return true;
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    return false;
  }
}

/** The first place that no rule of the vault has. @throws AppError TOO_MANY_RULES when there is none. */
async function freeSlot(deps: OwnRulesDeps, vault: Vault): Promise<number> {
  const taken = new Set((await deps.alerts.ownRules.find(keyOf(vault)).toArray()).map(({ slot }) => slot));
  const slot = Array.from({ length: MOST_OWN_RULES }, (_, at) => at).find((at) => !taken.has(at));
  if (slot === undefined)
    throw new AppError('TOO_MANY_RULES', `A vault has at most ${MOST_OWN_RULES} own rules. Delete one first.`);
  return slot;
}

/** Makes a rule, for managers. It is judged from the next observation on, and by the last one at once. */
export const createOwnRule =
  (deps: OwnRulesDeps) =>
  async ({ rule, ...vault }: ParamsOf<typeof CreateOwnRule>, call: Call): Promise<OwnRule> => {
    await requireRole(deps.collections, call, vault, needs.manager);
    await requireChannels(deps, vault, rule, null);
    const actor = requireCaller(call).toLowerCase();
    const asset = await assetOf(call, vault);
    const at = deps.now();
    const rule_id: OwnRuleId = `own_${randomBytes(12).toString('hex')}`;
    // Each try that fails saw a place taken by somebody else.
    for (;;) {
      const made: StoredOwnRule = {
        ...keyOf(vault),
        rule_id,
        slot: await freeSlot(deps, vault),
        rule,
        asset,
        version: 1,
        created_by: actor,
        created_at: at,
        updated_by: actor,
        updated_at: at,
        pending: true,
      };
      const isMade = await record(deps, call, 'created', { vault, before: null, after: made }, (session) =>
        added(deps, made, session),
      );
      if (isMade) return shown(deps, made);
    }
  };

const conflict = (deps: OwnRulesDeps, current: StoredOwnRule): AppError =>
  new AppError('VERSION_CONFLICT', 'Somebody else has changed this rule in the meantime. Check it and save again.', {
    data: { current: shown(deps, current) },
  });

type Named = Vault & { rule_id: OwnRuleId };

async function ruleThere(deps: OwnRulesDeps, { rule_id, ...vault }: Named): Promise<StoredOwnRule> {
  const found = await deps.alerts.ownRules.findOne({ ...keyOf(vault), rule_id, deleted: { $ne: true } });
  if (!found) throw new AppError('RULE_NOT_FOUND', 'The vault has no such rule. It may have been deleted.');
  return found;
}

/** @throws AppError RULE_NOT_FOUND, VERSION_CONFLICT. */
async function replace(
  deps: OwnRulesDeps,
  call: Call,
  named: Named,
  {
    version,
    step,
    change,
  }: { version: number; step: Step; change: (before: StoredOwnRule) => Promise<Partial<StoredOwnRule>> },
): Promise<StoredOwnRule> {
  const before = await ruleThere(deps, named);
  if (before.version !== version) throw conflict(deps, before);
  const set = {
    ...(await change(before)),
    version: version + 1,
    updated_by: requireCaller(call).toLowerCase(),
    updated_at: deps.now(),
    pending: true,
  };
  const after = { ...before, ...set };
  const { chain_id, vault, rule_id } = before;
  const isStored = await record(deps, call, step, { vault: named, before, after }, async (session) => {
    const same = { chain_id, vault, rule_id, version };
    return (await deps.alerts.ownRules.updateOne(same, { $set: set }, { session })).matchedCount === 1;
  });
  if (!isStored) throw conflict(deps, await ruleThere(deps, named));
  return after;
}

/** Replaces a rule, for managers. What it has open goes on by the new words, or ends. */
export const changeOwnRule =
  (deps: OwnRulesDeps) =>
  async ({ rule, version, ...named }: ParamsOf<typeof ChangeOwnRule>, call: Call): Promise<OwnRule> => {
    await requireRole(deps.collections, call, named, needs.manager);
    const change = async (before: StoredOwnRule) => {
      await requireChannels(deps, named, rule, before.rule);
      return { rule, asset: await assetOf(call, named) };
    };
    return shown(deps, await replace(deps, call, named, { version, step: 'changed', change }));
  };

/** Deletes a rule, for managers; what it has open is resolved by the evaluator. */
export const deleteOwnRule =
  (deps: OwnRulesDeps) =>
  async ({ version, ...named }: ParamsOf<typeof DeleteOwnRule>, call: Call): Promise<null> => {
    await requireRole(deps.collections, call, named, needs.manager);
    await replace(deps, call, named, { version, step: 'deleted', change: async () => ({ deleted: true }) });
    return null;
  };
