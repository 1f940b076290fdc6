import type { AnyRuleId } from '@castellan/contracts';
import type { JournalItem, Settings } from '../../journal/domain/journal.ts';
import { newEngine, type Transition } from './engine.ts';
import { type Facts, Fold } from './facts.ts';
import { settingsOf } from './rule-of.ts';
import { runThrough } from './run-through.ts';

/** One alert as a back-test or the live evaluator made it; times in chain seconds. */
export type Episode = {
  subject: string;
  message: string;
  titles: string[];
  openedAt: number;
  /** Null while it is open. */
  resolvedAt: number | null;
  mutedSeconds: number;
};

type Open = Episode & { mutedSince: number | null };

/** Alerts of one rule out of what changed, in the order they opened. `until` ends the counting of those still open. */
export function episodesOf(transitions: readonly Transition[], rule: AnyRuleId, until: number): Episode[] {
  const all: Open[] = [];
  const open = new Map<string, Open>();
  const unmute = (episode: Open, time: number) => {
    if (episode.mutedSince !== null) episode.mutedSeconds += time - episode.mutedSince;
    episode.mutedSince = null;
  };
  for (const { kind, rule_id, time, watch } of transitions) {
    if (rule_id !== rule) continue;
    const { subject, message } = watch.finding;
    const isMuted = watch.inhibited?.effect === 'mute';
    if (kind === 'opened') {
      const mutedSince = isMuted ? time : null;
      const made = {
        subject,
        message,
        titles: [watch.title],
        openedAt: time,
        resolvedAt: null,
        mutedSeconds: 0,
        mutedSince,
      };
      all.push(made);
      open.set(subject, made);
      continue;
    }
    const episode = open.get(subject);
    if (!episode) continue;
    if (kind === 'resolved') {
      unmute(episode, time);
      episode.resolvedAt = time;
      open.delete(subject);
      continue;
    }
    episode.message = message;
    if (isMuted) episode.mutedSince ??= time;
    else unmute(episode, time);
    if (episode.titles.at(-1) !== watch.title) episode.titles.push(watch.title);
  }
  for (const episode of open.values()) unmute(episode, Math.max(until, episode.openedAt));
  return all.map(({ mutedSince: _since, ...episode }) => episode);
}

/** A rule, and the part of the journal it is tried on; `from` and `to` in Unix seconds. */
export type Backtest = {
  items: readonly JournalItem[];
  rule: AnyRuleId;
  from: number;
  to: number;
  /** Instead of what was set at each moment. */
  settings?: Partial<Settings> | undefined;
};

/** What the rule would have done from one moment to another. What was wrong before counts as found at the first. */
export async function backtest(
  { items, rule, from, to, settings }: Backtest,
  yieldToEventLoop: () => Promise<void>,
): Promise<{ episodes: Episode[]; facts: number }> {
  const fold = new Fold();
  const start = items.findIndex(({ time }) => time >= from);
  const before = start < 0 ? items : items.slice(0, start);
  for (const item of before) fold.add(item);
  const within = items.slice(before.length).filter(({ time }) => time <= to);
  const tried = (facts: Facts) => (id: AnyRuleId) => {
    const set = settingsOf(facts, id);
    return id === rule ? { ...set, ...settings, thresholds: { ...set.thresholds, ...settings?.thresholds } } : set;
  };
  const { transitions } = await runThrough(fold, newEngine(from), within, to, {
    yieldToEventLoop,
    settings: settings && tried,
  });
  return { episodes: episodesOf(transitions, rule, to), facts: within.length };
}
