import { restBps, type Targets } from './aims.ts';

/** What one types for a source, in percent. */
export type Typed = { target: string; cap: string };
/** By address. */
export type TargetsDraft = Readonly<Record<string, Typed>>;
type Body = { source_address: string; target_bps: number | null; cap_bps: number | null }[];

const textOf = (bps: number | null): string => (bps === null ? '' : String(bps / 100));

export const draftOf = ({ sources }: Targets): TargetsDraft =>
  Object.fromEntries(
    sources.map(({ source_address, target_bps, cap_bps }) => [
      source_address,
      { target: textOf(target_bps), cap: textOf(cap_bps) },
    ]),
  );

const percentForm = /^(\d{1,3})(?:[.,](\d{1,2}))?\s*%?$/;

/** Basis points of a percentage as one types it; null for nothing, undefined for what is none. */
function bpsIn(text: string): number | null | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  const [, whole, part = ''] = percentForm.exec(trimmed) ?? [];
  if (whole === undefined) return undefined;
  const bps = Number(whole) * 100 + Number(part.padEnd(2, '0'));
  return bps > 10_000 ? undefined : bps;
}

const NO_SHARE = 'A percentage from 0 to 100 with two decimals at most';
export const percentText = (bps: number): string => `${bps / 100} %`;

export type Faults = { readonly [address: string]: { target?: string | undefined; cap?: string | undefined } };

/** What was typed, read: as it is sent, or why it cannot be. */
export function readDraft(draft: TargetsDraft, { sources, idle }: Targets) {
  const body: Body = [];
  const faults: Record<string, { target?: string | undefined; cap?: string | undefined }> = {};
  for (const { source_address, mandate_cap_bps } of sources) {
    const typed = draft[source_address] ?? { target: '', cap: '' };
    const target = bpsIn(typed.target);
    const cap = bpsIn(typed.cap);
    const above = (bound: number | null | undefined) =>
      typeof target === 'number' && typeof bound === 'number' && target > bound;
    const fault = {
      target:
        target === undefined
          ? NO_SHARE
          : above(cap)
            ? 'Must not be above the cap'
            : above(mandate_cap_bps)
              ? `The mandate promises ${percentText(mandate_cap_bps ?? 0)} at most`
              : undefined,
      cap: cap === undefined ? NO_SHARE : undefined,
    };
    if (fault.target !== undefined || fault.cap !== undefined) faults[source_address] = fault;
    body.push({ source_address, target_bps: target ?? null, cap_bps: cap ?? null });
  }
  const typed = body.map(({ target_bps }) => target_bps);
  const rest = restBps(typed);
  const restWords = typed.includes(null) ? 'Idle and the sources without a target keep' : 'Idle keeps';
  const whole = wholeFault(rest, idle.mandate_at_least_bps);
  return {
    body,
    faults,
    left: `${restWords} ${percentText(rest)}.`,
    whole,
    isSound: whole === undefined && Object.keys(faults).length === 0,
  };
}

/** What is wrong with all targets together. */
function wholeFault(rest: number, promised: number | null): string | undefined {
  if (rest < 0) return `The targets come to ${percentText(10_000 - rest)}: 100 % is the most.`;
  if (promised !== null && rest < promised)
    return `The targets leave ${percentText(rest)} idle; the mandate promises ${percentText(promised)} at least.`;
  return undefined;
}
