import { type AlertRuleId, type AnyRuleId, alertRuleIds } from '@castellan/contracts';
import type { Settings } from '../../journal/domain/journal.ts';
import type { Facts } from './facts.ts';
import type { Finding, Inhibitor, Rule } from './rule.ts';
import { ruleIdsOf, ruleOf, settingsOf } from './rule-of.ts';
import { rules } from './rules.ts';

/** Between facts the rules are judged on whole multiples of this, so that it does not matter which process judges when. */
export const TICK_SECONDS = 60;

/** What holds an alert down or renames it. */
export type Inhibited = { rule_id: AlertRuleId; effect: 'mute' | 'rename'; reason: string; since: number };

/** One subject of one rule, from the first sign until the alert is resolved. Times in chain seconds. */
export type Watch = {
  phase: 'pending' | 'open' | 'clearing';
  since: number;
  openedAt: number | null;
  /** The number of the alert among those of the vault, from 1; null until one was shown. */
  ordinal: number | null;
  /** Whether people are shown the alert, once it is open: not while its rule is off. Absent in a state of before this was kept. */
  shown?: boolean;
  title: string;
  finding: Finding;
  inhibited: Inhibited | null;
};

/** All the evaluator carries from one moment to the next, of one vault. Plain JSON. */
export type EngineState = { time: number; opened: number; watches: Readonly<Record<string, Watch>> };

/** The state before the first item. @param time - Unix seconds. */
export const newEngine = (time: number): EngineState => ({ time, opened: 0, watches: {} });

/** What can happen to an alert; `released`: it has its own name again. */
export type TransitionKind = 'opened' | 'resolved' | 'muted' | 'unmuted' | 'renamed' | 'released';

/** A change of an alert. `released`: neither muted nor renamed any more, though it was renamed. */
export type Transition = {
  kind: TransitionKind;
  rule_id: AnyRuleId;
  rule: Rule;
  time: number;
  block: number | null;
  watch: Watch;
  settings: Settings;
};

const keyOf = (rule: AnyRuleId, subject: string): string => `${rule}|${subject}`;
const isOpen = (watch: Watch | undefined): watch is Watch => watch !== undefined && watch.phase !== 'pending';

/** States of before `shown` was kept do not say it: an alert that nobody was shown is then resolved in vain, which changes nothing. */
const isShown = (watch: Watch | undefined): watch is Watch => isOpen(watch) && watch.shown !== false;

type SettingsFor = (rule: AnyRuleId) => Settings;

const ruleIdOf = (key: string): AnyRuleId => key.slice(0, key.indexOf('|')) as AnyRuleId;

/** Where a watch goes by what was found; undefined once there is nothing to watch. */
function moved(
  watch: Watch | undefined,
  finding: Finding | undefined,
  settings: Settings,
  time: number,
  title: string,
): Watch | undefined {
  if (finding) {
    const base = watch ?? {
      phase: 'pending' as const,
      since: time,
      openedAt: null,
      ordinal: null,
      title,
      finding,
      inhibited: null,
    };
    if (base.phase === 'open') return { ...base, finding };
    if (base.phase === 'clearing') return { ...base, phase: 'open', since: time, finding };
    return time - base.since >= settings.for_seconds
      ? { ...base, phase: 'open', since: time, openedAt: time, finding }
      : { ...base, finding };
  }
  if (!watch || watch.phase === 'pending') return undefined;
  const since = watch.phase === 'clearing' ? watch.since : time;
  return time - since >= settings.clear_seconds ? undefined : { ...watch, phase: 'clearing', since };
}

/** The first of a rule's inhibitors that has an open alert. */
function inhibitorOf(
  { inhibitors }: Rule,
  subject: string,
  watches: Readonly<Record<string, Watch>>,
): Inhibitor | undefined {
  return inhibitors.find(({ rule_id, sameSubject }) =>
    sameSubject
      ? isOpen(watches[keyOf(rule_id, subject)])
      : Object.entries(watches).some(([key, watch]) => key.startsWith(`${rule_id}|`) && isOpen(watch)),
  );
}

function inhibitionOf(watch: Watch, inhibitor: Inhibitor | undefined, time: number): Inhibited | null {
  if (!inhibitor) return null;
  const { rule_id, effect, reason } = inhibitor;
  const { inhibited } = watch;
  return {
    rule_id,
    effect,
    reason,
    since: inhibited?.rule_id === rule_id && inhibited.effect === effect ? inhibited.since : time,
  };
}

/** What changed for those who watch, between what held an alert down before and what does now. */
function changeOf(before: Inhibited | null, after: Inhibited | null): TransitionKind | undefined {
  const [was, is] = [before?.effect, after?.effect];
  if (is === was) return undefined;
  if (is === 'mute') return 'muted';
  if (is === 'rename') return was === 'mute' ? 'unmuted' : 'renamed';
  return was === 'mute' ? 'unmuted' : 'released';
}

/**
 * A watch that people are shown from now on is an alert of its own: it is news when its rule is switched on, however long the condition
 * has held. One that is about to clear is shown only once the condition is back.
 */
function shown(before: Watch | undefined, after: Watch, isEnabled: boolean, next: { ordinal: number; time: number }) {
  if (!isOpen(after)) return { watch: after, isOpening: false };
  const isOpening = isEnabled && !isShown(before) && after.phase === 'open';
  const alert = isOpening ? { ordinal: next.ordinal, openedAt: next.time } : {};
  return { watch: { ...after, ...alert, shown: isOpening || (isEnabled && isShown(before)) }, isOpening };
}

/**
 * Judges one moment: a pure step from state and facts to state and what changed. Rules that are switched off are judged too, so that
 * what they inhibit stays explained, but nothing of theirs is shown: what was open resolves as a rule is switched off, and what holds
 * when it is switched on opens then.
 */
export function judge(
  state: EngineState,
  facts: Facts,
  time: number,
  settings: SettingsFor = (rule) => settingsOf(facts, rule),
): { state: EngineState; transitions: Transition[] } {
  const transitions: Transition[] = [];
  const watches: Record<string, Watch> = {};
  const opening = new Set<string>();
  let { opened } = state;
  const add = (kind: TransitionKind, rule_id: AnyRuleId, watch: Watch) =>
    transitions.push({
      kind,
      rule_id,
      rule: ruleOf(facts, rule_id),
      time,
      block: facts.block,
      watch,
      settings: settings(rule_id),
    });

  const known = Map.groupBy(Object.keys(state.watches), ruleIdOf);
  for (const id of ruleIdsOf(facts, known.keys())) {
    const rule = ruleOf(facts, id);
    const set = settings(id);
    const input = {
      time,
      facts,
      thresholds: set.thresholds,
      isOpen: (subject: string) => isShown(state.watches[keyOf(id, subject)]),
    };
    const found = new Map(rule.find(input).map((finding) => [keyOf(id, finding.subject), finding]));
    for (const key of new Set([...(known.get(id) ?? []), ...found.keys()])) {
      const before = state.watches[key];
      const after = moved(before, found.get(key), set, time, rule.title);
      if (isShown(before) && !(after && set.enabled)) add('resolved', id, before);
      if (!after) continue;
      const { watch, isOpening } = shown(before, after, set.enabled, { ordinal: opened + 1, time });
      if (isOpening) {
        opened += 1;
        opening.add(key);
      }
      watches[key] = watch;
    }
  }
  for (const [key, watch] of Object.entries(watches)) {
    if (!isOpen(watch)) continue;
    const rule_id = ruleIdOf(key);
    const rule = ruleOf(facts, rule_id);
    const inhibitor = inhibitorOf(rule, key.slice(key.indexOf('|') + 1), watches);
    const inhibited = inhibitionOf(watch, inhibitor, time);
    const now = { ...watch, inhibited, title: inhibitor?.title ?? rule.title };
    watches[key] = now;
    const change = changeOf(watch.inhibited, inhibited);
    if (opening.has(key)) add('opened', rule_id, now);
    else if (change && isShown(now)) add(change, rule_id, now);
  }
  return { state: { time, opened, watches }, transitions };
}

/**
 * The next moment after the state's at which the clock alone may change something; undefined when it cannot. At any other
 * {@link judge} finds what it found.
 */
export function nextTurn(
  { time, watches }: EngineState,
  facts: Facts,
  settings: SettingsFor = (rule) => settingsOf(facts, rule),
): number | undefined {
  const held = Object.entries(watches).flatMap(([key, { phase, since }]) => {
    const { for_seconds, clear_seconds } = settings(ruleIdOf(key));
    return phase === 'open' ? [] : [since + (phase === 'pending' ? for_seconds : clear_seconds)];
  });
  const changes = alertRuleIds.flatMap(
    (rule) => rules[rule].changesAt?.({ time, facts, thresholds: settings(rule).thresholds }) ?? [],
  );
  const ahead = [...held, ...changes].filter((change) => change > time);
  return ahead.length === 0 ? undefined : Math.min(...ahead);
}
