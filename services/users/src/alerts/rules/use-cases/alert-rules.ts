import {
  type AlertRule,
  type AlertRuleId,
  AppError,
  alertRuleIds,
  type BacktestAlertRule,
  type ListAlertRules,
  type ParamsOf,
  type ResultOf,
  type SetAlertRule,
} from '@castellan/contracts';
import { type Call, type ClientSession, isDuplicateKey, type RecordWith } from '@castellan/service-kit';
import type { AccessCollections } from '../../../access/models/collections.ts';
import { forRole, needs, requireCaller, requireRole } from '../../../access/use-cases/require-role.ts';
import type { AuditLog } from '../../../audit/adapters/audit-log.mongo.ts';
import type { Journal } from '../../journal/adapters/journal.mongo.ts';
import type { Settings } from '../../journal/domain/journal.ts';
import { announceNews, type JournalCollections } from '../../journal/models/collections.ts';
import { backtest, type Episode } from '../domain/backtest.ts';
import { rules } from '../domain/rules.ts';
import { runbookOf } from '../domain/runbook.ts';
import type { RuleCollections, StoredSettings } from '../models/collections.ts';

export type RulesDeps = {
  collections: AccessCollections;
  alerts: RuleCollections & Pick<JournalCollections, 'clocks'>;
  journal: Journal;
  auditLog: AuditLog;
  outbox: { recordWith: RecordWith };
  checksum: (address: string) => string;
  now: () => Date;
  yieldToEventLoop: () => Promise<void>;
};

const DAYS_BACK = 90;
const EPISODES = 200;
const isoOf = (seconds: number): string => new Date(seconds * 1000).toISOString();

type Vault = { chain_id: number; vault_address: string };
const keyOf = ({ chain_id, vault_address }: Vault) => ({ chain_id, vault: vault_address.toLowerCase() });

function ruleOf(deps: RulesDeps, rule_id: AlertRuleId, stored: StoredSettings | null | undefined): AlertRule {
  const { title, description, severity, inhibitors, defaults } = rules[rule_id];
  const settings = stored?.settings;
  return {
    rule_id,
    title,
    description,
    severity,
    runbook_url: runbookOf(rule_id),
    inhibited_by: inhibitors.map(({ rule_id: by, effect, reason }) => ({ rule_id: by, effect, reason })),
    settings: settings ? { ...settings, thresholds: { ...defaults.thresholds, ...settings.thresholds } } : defaults,
    defaults,
    version: stored?.version ?? 0,
    updated_by: stored ? deps.checksum(stored.updated_by) : null,
    updated_at: stored?.updated_at.toISOString() ?? null,
  };
}

export const listAlertRules = (deps: RulesDeps) =>
  forRole(
    deps.collections,
    needs.anyRole,
    async (params: ParamsOf<typeof ListAlertRules>): Promise<ResultOf<typeof ListAlertRules>> => {
      const stored = await deps.alerts.settings.find(keyOf(params)).toArray();
      return {
        rules: alertRuleIds.map((id) =>
          ruleOf(
            deps,
            id,
            stored.find(({ rule_id }) => rule_id === id),
          ),
        ),
      };
    },
  );

type Change = { [K in keyof Settings]?: Settings[K] | undefined };

const isShare = (name: string): boolean => /_(share|rate)$/.test(name);

const refused = (message: string, names: readonly string[], rule: string): AppError =>
  new AppError('VALIDATION_FAILED', message, {
    data: { errors: names.map((name) => ({ path: `body.thresholds.${name}`, message: rule })) },
  });

/** @throws AppError VALIDATION_FAILED for a threshold that the rule does not have, and for a share of more than the whole. */
function settingsWith(rule_id: AlertRuleId, base: Settings, change: Change): Settings {
  const { defaults } = rules[rule_id];
  const given = Object.entries(change.thresholds ?? {});
  const unknown = given.map(([name]) => name).filter((name) => defaults.thresholds[name] === undefined);
  if (unknown.length > 0) {
    const known = Object.keys(defaults.thresholds).join(', ') || 'none';
    throw refused('The rule has no threshold of this name.', unknown, `is none of ${known}`);
  }
  const excessive = given.filter(([name, value]) => isShare(name) && value > 1).map(([name]) => name);
  if (excessive.length > 0)
    throw refused('A share of more than the whole is not possible.', excessive, 'must be 0 to 1, where 1 is the whole');
  return {
    enabled: change.enabled ?? base.enabled,
    thresholds: { ...base.thresholds, ...change.thresholds },
    for_seconds: change.for_seconds ?? base.for_seconds,
    clear_seconds: change.clear_seconds ?? base.clear_seconds,
    owner: change.owner ?? base.owner,
  };
}

/** Changes a rule of one vault, for its managers. The evaluator takes it up with the next fact or tick. */
export const setAlertRule =
  (deps: RulesDeps) =>
  async (params: ParamsOf<typeof SetAlertRule>, call: Call): Promise<AlertRule> => {
    const { rule_id, chain_id, vault_address, version, ...change } = params;
    await requireRole(deps.collections, call, params, needs.manager);
    const key = { ...keyOf(params), rule_id };
    const current = await deps.alerts.settings.findOne(key);
    if ((current?.version ?? 0) !== version) throw conflict(ruleOf(deps, rule_id, current));
    const actor = requireCaller(call);
    const before = ruleOf(deps, rule_id, current).settings;
    const next = {
      settings: settingsWith(rule_id, before, change),
      version: version + 1,
      updated_by: actor.toLowerCase(),
      updated_at: deps.now(),
      pending: true,
    };
    const row = {
      id: `alert-rule:${chain_id}:${key.vault}:${rule_id}:${version + 1}`,
      timestamp: next.updated_at.toISOString(),
      category: 'alert' as const,
      action_type: 'alert_rule_set',
      vault_address,
      chain_id,
      actor_wallet: actor,
      details: { rule_id, from: before, to: next.settings },
      tx_hash: null,
      request_id: call.requestId ?? null,
    };
    const isSet = await deps.outbox.recordWith([], async (session) => {
      if (!(await swap(deps, key, version, next, session))) return false;
      await deps.auditLog.append(row, session);
      return true;
    });
    if (isSet) await announceNews(deps.alerts, chain_id);
    if (!isSet) throw conflict(ruleOf(deps, rule_id, await deps.alerts.settings.findOne(key)));
    return ruleOf(deps, rule_id, { ...key, ...next });
  };

const conflict = (current: AlertRule): AppError =>
  new AppError('VERSION_CONFLICT', 'Somebody else has changed this rule in the meantime. Check it and save again.', {
    data: { current },
  });

async function swap(
  { alerts }: RulesDeps,
  key: Pick<StoredSettings, 'chain_id' | 'vault' | 'rule_id'>,
  version: number,
  next: Omit<StoredSettings, 'chain_id' | 'vault' | 'rule_id'>,
  session: ClientSession,
): Promise<boolean> {
  if (version > 0)
    return (await alerts.settings.updateOne({ ...key, version }, { $set: next }, { session })).matchedCount === 1;
  try {
    await alerts.settings.insertOne({ ...key, ...next }, { session });
    return true;
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    return false;
  }
}

const durationOf = ({ openedAt, resolvedAt }: Episode, end: number): number => (resolvedAt ?? end) - openedAt;

const episodeOf = (episode: Episode, end: number) => ({
  subject: episode.subject,
  title: episode.titles.at(-1) as string,
  message: episode.message,
  opened_at: isoOf(episode.openedAt),
  resolved_at: episode.resolvedAt === null ? null : isoOf(episode.resolvedAt),
  duration_seconds: durationOf(episode, end),
  muted_seconds: episode.mutedSeconds,
  titles: episode.titles,
});

/** What became of a rule over a stretch that ends at a moment. */
export function outcomeOf(episodes: readonly Episode[], to: number) {
  const lengths = episodes.map((episode) => durationOf(episode, to));
  return {
    fired: episodes.length,
    notified: episodes.filter((episode) => episode.mutedSeconds < durationOf(episode, to) || episode.mutedSeconds === 0)
      .length,
    open_seconds: lengths.reduce((total, length) => total + length, 0),
    longest_seconds: lengths.length === 0 ? null : Math.max(...lengths),
    episodes: episodes
      .slice(-EPISODES)
      .reverse()
      .map((episode) => episodeOf(episode, to)),
  };
}

type Asked = { chain_id: number; from?: string | undefined; to?: string | undefined };

/** The asked range in Unix seconds, by default the last 90 days. @throws AppError RANGE_REVERSED. */
export async function rangeOf(
  { alerts, now }: { alerts: Pick<JournalCollections, 'clocks'>; now: () => Date },
  asked: Asked,
): Promise<{ from: number; to: number }> {
  const clock = await alerts.clocks.findOne({ chain_id: asked.chain_id });
  const present = clock?.time ?? Math.floor(now().getTime() / 1000);
  const to = asked.to === undefined ? present : Math.min(present, Math.floor(Date.parse(asked.to) / 1000));
  const from = asked.from === undefined ? to - DAYS_BACK * 86_400 : Math.floor(Date.parse(asked.from) / 1000);
  if (from >= to) throw new AppError('RANGE_REVERSED', 'The range must begin before it ends, and before now.');
  return { from, to };
}

/** What a rule would have done, for anybody with a role on the vault. */
export const backtestAlertRule =
  (deps: RulesDeps) =>
  async (params: ParamsOf<typeof BacktestAlertRule>, call: Call): Promise<ResultOf<typeof BacktestAlertRule>> => {
    const { rule_id, settings: change } = params;
    await requireRole(deps.collections, call, params, needs.anyRole);
    const key = keyOf(params);
    const { from, to } = await rangeOf(deps, params);
    const stored = await deps.alerts.settings.findOne({ ...key, rule_id });
    // Who tries other settings asks what the rule would do, also of one that is switched off.
    const tried = change && { enabled: true, ...change };
    const settings = settingsWith(rule_id, ruleOf(deps, rule_id, stored).settings, tried ?? {});
    const items = await deps.journal.after(key, 0);
    const first = items[0];
    // Before the first fact there is nothing to judge, and nothing can be open.
    const start = Math.max(from, first?.time ?? from);
    const { episodes, facts } =
      first && start < to
        ? await backtest(
            { items, rule: rule_id, from: start, to, settings: tried ? settings : undefined },
            deps.yieldToEventLoop,
          )
        : { episodes: [], facts: 0 };
    return {
      rule_id,
      from: isoOf(from),
      to: isoOf(to),
      settings,
      ...outcomeOf(episodes, to),
      truncated: episodes.length > EPISODES,
      facts,
      history_since: first ? isoOf(first.time) : null,
    };
  };
