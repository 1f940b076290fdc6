import { z } from 'zod';
import { draftPrefix } from '../../client/drafts.ts';
import { type Draft, type DraftNode, newDraft, newKey, withNewKeys } from './draft.ts';

/** A text that cannot be read, so that it is no part of the program. */
const PendingText = z.object({
  text: z.string(),
  /** The text of the program when this was typed; another one by now says that the program was changed elsewhere. */
  over: z.string(),
});
export type PendingText = Readonly<z.infer<typeof PendingText>>;

export type KeptDraft = {
  readonly draft: Draft;
  readonly pending: PendingText | undefined;
  /** What it was begun from: the version of a strategy, or null for a new one. */
  readonly version: number | null;
  readonly at: string;
};

const Envelope = z.object({
  draft: z.unknown(),
  pending: PendingText.optional(),
  version: z.int().nullable(),
  at: z.iso.datetime(),
});
const Node: z.ZodType<DraftNode> = z.object({
  key: z.number(),
  type: z.enum(['EXPR', 'AND', 'OR', 'NOT', 'VOTE']),
  expr: z.string(),
  threshold: z.string(),
  children: z.array(z.lazy(() => Node)),
});
const Indicators = z.array(z.object({ key: z.number(), alias: z.string(), expr: z.string() }));

/** Whether a value has every text, number and switch that a draft has. */
function fits(value: unknown, like: unknown): boolean {
  if (Array.isArray(like)) return Array.isArray(value);
  if (typeof like !== 'object' || like === null) return like === null || typeof value === typeof like;
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.entries(like).every(([key, each]) => fits((value as Record<string, unknown>)[key], each))
  );
}

function draftIn(value: unknown): Draft | undefined {
  if (!fits(value, newDraft('DEPOSIT'))) return undefined;
  const draft = value as Draft;
  const rule = Node.safeParse(draft.rule);
  const indicators = Indicators.safeParse(draft.indicators);
  if (!rule.success || !indicators.success) return undefined;
  // The page gives its rows keys of its own, which those of an earlier page would meet.
  return {
    ...draft,
    rule: withNewKeys(rule.data),
    indicators: indicators.data.map((each) => ({ ...each, key: newKey() })),
  };
}

/** Where the draft of a strategy is kept; `id` undefined for a new one. */
export const placeOfDraft = (wallet: string, vaultId: string, id: string | undefined): string =>
  `${draftPrefix}${wallet.toLowerCase()}:${vaultId.toLowerCase()}:${id ?? ''}`;

/** The draft that was left; undefined when there is none that this version can read. */
export function readDraft(storage: Storage, place: string): KeptDraft | undefined {
  try {
    const { draft: value, pending, version, at } = Envelope.parse(JSON.parse(storage.getItem(place) ?? 'null'));
    const draft = draftIn(value);
    return draft && { draft, pending, version, at };
  } catch {
    // What cannot be read is no draft.
    return undefined;
  }
}

/** @returns whether it is kept: a browser may refuse to store anything. */
export function keepDraft(storage: Storage, place: string, kept: KeptDraft): boolean {
  try {
    storage.setItem(place, JSON.stringify(kept));
    return true;
  } catch {
    return false;
  }
}

/** The draft was saved, or is not wanted any more. */
export const dropDraft = (storage: Storage, place: string): void => storage.removeItem(place);
