import { type ManagerKind, managerKinds, preparedArgs } from '@castellan/contracts';

const kindWords = (kind: ManagerKind): string[] => kind.split('_').map((word) => word.replace(/s$/, ''));

/** The kind of change whose words all occur in the question; the longest name first. */
export function kindIn(text: string): ManagerKind | null {
  const lower = text.toLowerCase();
  const byLength = [...managerKinds].sort((a, b) => b.length - a.length);
  return byLength.find((kind) => kindWords(kind).every((word) => new RegExp(`\\b${word}`).test(lower))) ?? null;
}

/** Whether a change needs no more than its name. */
export const needsNothing = (kind: ManagerKind): boolean => preparedArgs[kind].safeParse({}).success;
