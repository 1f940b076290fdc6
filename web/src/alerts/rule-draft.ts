import type { AlertRule } from './queries.ts';
import { readThreshold, showThreshold, thresholdFault } from './threshold-text.ts';

/** Settings of a rule as they are typed, thresholds in the units people read. */
export type RuleDraft = {
  thresholds: Readonly<Record<string, string>>;
  for_seconds: string;
  clear_seconds: string;
  owner: string;
};
type Change = Partial<Pick<AlertRule['settings'], 'thresholds' | 'for_seconds' | 'clear_seconds' | 'owner'>>;

const LONGEST_DELAY = 86_400;
export const LONGEST_OWNER = 64;

export const draftOf = ({ settings }: AlertRule): RuleDraft => ({
  thresholds: Object.fromEntries(
    Object.entries(settings.thresholds).map(([name, value]) => [name, showThreshold(name, value)]),
  ),
  for_seconds: String(settings.for_seconds),
  clear_seconds: String(settings.clear_seconds),
  owner: settings.owner,
});

export const delayFault = (text: string): string | undefined =>
  /^\d{1,5}$/.test(text.trim()) && Number(text) <= LONGEST_DELAY ? undefined : 'Whole seconds, a day at most';

export const ownerFault = (text: string): string | undefined =>
  text.trim() === '' || text.trim().length > LONGEST_OWNER ? `1 to ${LONGEST_OWNER} characters` : undefined;

/** What nobody typed over stays as it is, also where the unit that is read shows it rounded. */
const thresholdOf = (name: string, text: string, set: number | undefined): number =>
  set !== undefined && text.trim() === showThreshold(name, set) ? set : readThreshold(name, text);

/** What the draft changes of the rule; undefined while something in it cannot be. */
export function changeOf({ settings }: AlertRule, draft: RuleDraft): Change | undefined {
  const faults = [
    ...Object.entries(draft.thresholds).map(([name, text]) => thresholdFault(name, text)),
    delayFault(draft.for_seconds),
    delayFault(draft.clear_seconds),
    ownerFault(draft.owner),
  ];
  if (faults.some((fault) => fault !== undefined)) return undefined;
  const thresholds = Object.fromEntries(
    Object.entries(draft.thresholds).map(([name, text]) => [name, thresholdOf(name, text, settings.thresholds[name])]),
  );
  const for_seconds = Number(draft.for_seconds);
  const clear_seconds = Number(draft.clear_seconds);
  const owner = draft.owner.trim();
  return {
    ...(Object.entries(thresholds).some(([name, value]) => value !== settings.thresholds[name]) ? { thresholds } : {}),
    ...(for_seconds === settings.for_seconds ? {} : { for_seconds }),
    ...(clear_seconds === settings.clear_seconds ? {} : { clear_seconds }),
    ...(owner === settings.owner ? {} : { owner }),
  };
}
