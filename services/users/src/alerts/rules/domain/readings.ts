import type { OwnRuleSet, Reading } from '../../journal/domain/journal.ts';

/** The name of a reading among the values of an observation. */
export const readingKey = ({ metric, ago_seconds }: Reading): string =>
  ago_seconds === 0 ? metric : `${metric}@${ago_seconds}`;

/** What a rule has to know of each observation: its figure then, and what that was before where a change counts. */
export const readingsOf = ({ metric, within_seconds }: Pick<OwnRuleSet, 'metric' | 'within_seconds'>): Reading[] => [
  { metric, ago_seconds: 0 },
  ...(within_seconds === null ? [] : [{ metric, ago_seconds: within_seconds }]),
];

/** What the rules that are switched on need, each once, by its name. */
export const readingsOfAll = (rules: Iterable<OwnRuleSet>): ReadonlyMap<string, Reading> =>
  new Map(
    [...rules]
      .filter(({ enabled }) => enabled)
      .flatMap(readingsOf)
      .map((reading) => [readingKey(reading), reading]),
  );
