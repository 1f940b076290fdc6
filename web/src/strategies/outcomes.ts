import type { TickOutcome } from '@castellan/strategy';
import type { Tone } from '../design/pill.tsx';

/** The outcomes of an evaluation in words, for the editor and for simulations. */

/** What the engine would do at this moment. */
export const outcomesNow: Readonly<Record<TickOutcome, { word: string; tone: Tone }>> = {
  fired: { word: 'Would fire now', tone: 'ok' },
  rule_false: { word: 'Would not fire: the rule does not hold', tone: 'plain' },
  no_value: { word: 'Would not fire: a value is missing', tone: 'warn' },
  score_low: { word: 'Would not fire: the score is too low', tone: 'plain' },
  not_held_long_enough: { word: 'Holds now, but not long enough yet', tone: 'info' },
  size_zero: { word: 'Would not fire: the size is zero', tone: 'plain' },
  cooldown: { word: 'Waiting for its cooldown to end', tone: 'info' },
  max_concurrent: { word: 'Waiting for its open intents', tone: 'info' },
};

/** It would fire, but the server has not checked this text yet. */
export const unchecked = { word: 'Holds now; not checked yet', tone: 'plain' } as const;

const counted: Readonly<Record<string, string>> = {
  fired: 'fired',
  rule_false: 'rule did not hold',
  no_value: 'a value was missing',
  score_low: 'score too low',
  not_held_long_enough: 'not held long enough',
  size_zero: 'nothing to move',
  cooldown: 'cooldown',
  max_concurrent: 'intents under way',
  locked: 'source locked',
};
/** An outcome beside how often it came up. */
export const countedOutcome = (outcome: string): string => counted[outcome] ?? outcome.replaceAll('_', ' ');
