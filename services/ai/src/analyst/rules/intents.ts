import { type PreparedKind, preparedArgs, preparedKinds } from '@castellan/contracts';
import type { Section } from '../analyst.ts';

/** What a question is about, and the tool that answers it besides the context; null when the context is enough. */
export type Intent =
  | { about: 'self' | 'help' | 'summary' | 'price' | 'drawdown' | 'churn' | 'upkeep' | 'flows' }
  | { about: 'section'; id: Section['id'] }
  | { about: 'compare'; days: 7 | 30 }
  | { about: 'what_if' | 'timeline' | 'my_vaults' | 'transmissions' }
  | { about: 'run'; topHolders: number | null; hours: number | null }
  | { about: 'prepare'; kind: PreparedKind | null };

const patterns: readonly (readonly [Intent, RegExp])[] = [
  [
    { about: 'self' },
    /\b(?:who|what) are you\b|\bare you (?:an? )?(?:ai|llm|gpt|model|bot|human)|which model|built-in/i,
  ],
  [{ about: 'what_if' }, /what[- ]if|would .*price/i],
  [{ about: 'my_vaults' }, /\bmy (?:other )?vaults\b|which vaults|all vaults/i],
  [
    { about: 'timeline' },
    /\btimeline\b|what (?:has )?happened|recent (?:events|changes|activity)|\bhistory of\b|who (?:changed|did)/i,
  ],
  [{ about: 'transmissions' }, /\bvalidators?\b|transmission|oracle nodes?|\bsigners?\b|\bquorum\b/i],
  [
    { about: 'price' },
    /\bstale|\blate\b|\bexpir|\bfresh|\bpaus|\bpps\b|price per share|share price|\bnav\b|divergence|\bstatus\b|deviation/i,
  ],
  [{ about: 'drawdown' }, /draw[- ]?down|\bloss(?:es)?\b|\blost\b|\bfell\b|\bdip\b/i],
  [{ about: 'churn' }, /churn|retention|\bholders?\b|\bdepositors?\b|\busers?\b|\bleft\b|who (?:came|left)|\bcohort/i],
  [{ about: 'upkeep' }, /upkeep|runway|\bgas\b/i],
  [{ about: 'section', id: 'fees' }, /\bfees?\b|\bskim|\bhigh[- ]water|\bhwm\b/i],
  [
    { about: 'section', id: 'yield_sources' },
    /\bsources?\b|allocation|strateg|concentrat|\bidle\b|where .*(?:yield|assets|money)|diversif/i,
  ],
  [
    { about: 'section', id: 'liquidity' },
    /liquid|redeem|redemption|withdraw(?:al)?s?\b.*(?:wait|pending|queue)|pay out|paid out|\bqueue\b/i,
  ],
  [
    { about: 'flows' },
    /\bflows?\b|deposits?|withdrawals?|\btvl\b|assets under management|\baum\b|\bgrew\b|\bgrowth\b/i,
  ],
  [{ about: 'section', id: 'risk' }, /\brisk|volatil|sharpe|\bsafe\b|danger|\bscore\b/i],
  [{ about: 'section', id: 'performance' }, /perform|\bapy\b|\bapr\b|\byield|return|benchmark|\bearn/i],
  [{ about: 'summary' }, /summar|overview|how (?:is|are|does|goes)|tell me about|brief/i],
  [{ about: 'price' }, /\bprice/i],
  [{ about: 'help' }, /\bhelp\b|what can you/i],
];

const kindWords = (kind: PreparedKind): string[] => kind.split('_').map((word) => word.replace(/s$/, ''));

/** The kind of change whose words all occur in the question; the longest name first. */
function kindIn(text: string): PreparedKind | null {
  const lower = text.toLowerCase();
  const byLength = [...preparedKinds].sort((a, b) => b.length - a.length);
  return byLength.find((kind) => kindWords(kind).every((word) => new RegExp(`\\b${word}`).test(lower))) ?? null;
}

/** Whether a change needs no more than its name. */
export const needsNothing = (kind: PreparedKind): boolean => preparedArgs[kind].safeParse({}).success;

const numberIn = (text: string, what: RegExp): number | null => {
  const match = what.exec(text);
  const said = match?.[1] ?? match?.[2];
  return said === undefined ? null : Number(said);
};

/** What a question asks for. Words are looked for, and never followed. */
export function intentOf(text: string): Intent {
  if (/\bprepare\b|\bcalldata\b/i.test(text)) return { about: 'prepare', kind: kindIn(text) };
  if (/\bcompare\b|\bversus\b|\bvs\b|(?:this|last) (?:week|month) (?:to|with|against)/i.test(text))
    return { about: 'compare', days: /month|30/i.test(text) ? 30 : 7 };
  if (/\brun\b|bank run|everybody (?:leaves|withdraws)|largest holders? (?:leave|withdraw|redeem)/i.test(text))
    return {
      about: 'run',
      topHolders: numberIn(text, /\b(\d{1,3}) (?:largest|biggest|top)|\btop[- ](\d{1,3})\b/i),
      hours: numberIn(text, /\b(\d{1,3}) ?h(?:ours?)?\b/i),
    };
  return patterns.find(([, pattern]) => pattern.test(text))?.[0] ?? { about: 'help' };
}
