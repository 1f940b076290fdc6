import type { AlertRuleId, AlertSeverity } from '@castellan/contracts';
import type { Settings } from '../../journal/domain/journal.ts';
import type { Facts } from './facts.ts';

/** The figures of an alert, by name. */
export type Figures = Record<string, string | number | boolean | null>;

/** Something a rule finds wrong at one moment. */
export type Finding = { subject: string; message: string; facts: Figures };

/** What a rule judges. `isOpen` says whether its alert about a subject is open, for thresholds with hysteresis. */
export type RuleInput = {
  time: number;
  facts: Facts;
  thresholds: Readonly<Record<string, number>>;
  isOpen: (subject: string) => boolean;
};

/** Another alert that mutes or renames one. */
export type Inhibitor = {
  rule_id: AlertRuleId;
  effect: 'mute' | 'rename';
  reason: string;
  /** Only by an alert about the same subject; by default by any of the vault's. */
  sameSubject?: true;
  /** The name while it is inhibited. */
  title?: string;
};

/** A rule: what it finds, and how it is described. */
export type Rule = {
  title: string;
  description: string;
  severity: AlertSeverity;
  source: string;
  defaults: Settings;
  inhibitors: readonly Inhibitor[];
  /** Channels that alone get its alerts, of those that get everything; absent for all. */
  channels?: readonly string[];
  find: (input: RuleInput) => Finding[];
  /** When next, with the facts as they are, the clock alone changes what is found; undefined when it never does. */
  changesAt?: (input: Omit<RuleInput, 'isOpen'>) => number | undefined;
};
