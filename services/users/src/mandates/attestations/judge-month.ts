import {
  AppError,
  JudgeMandate,
  type MandateAttestation,
  monthEnds,
  type PromiseBreach,
  type ResultOf,
} from '@castellan/contracts';
import type { CallAction } from '@castellan/service-kit';
import type { MandateCollections } from '../models/collections.ts';
import { keyOf, ledgerOf, type Vault } from '../stored.ts';
import { addTallies, attestedMandate, type JudgedStretch, type Stretch, stretchesOf } from './statement.ts';

type Judged = ResultOf<typeof JudgeMandate>;
type Ask = { callAction: CallAction };

const PAGE = 5_000;
/** Pages of the judge for one version: ten million observations. */
const MOST_PAGES = 2_000;

type From = { since: string; until: string; open: PromiseBreach[]; after: number | undefined };

/** Judges from a place to a time, page by page. `visit` gets each page. */
async function judgeTo(
  { callAction }: Ask,
  { chain_id, vault_address }: Vault,
  { version: { document } }: Stretch,
  { since, until, open, after }: From,
  visit: (page: Judged) => void,
): Promise<{ open: PromiseBreach[]; after: number | undefined; generation: number }> {
  let place = { open, after, generation: 0 };
  for (let n = 0; n < MOST_PAGES; n += 1) {
    const page: Judged = await callAction(JudgeMandate, {
      chain_id,
      vault_address,
      document,
      since,
      until,
      open: place.open,
      limit: PAGE,
      ...(place.after === undefined ? {} : { after_block: place.after }),
    });
    if (n > 0 && page.generation !== place.generation)
      throw new AppError('NOT_READY', 'The history of the vault is being read again. Ask again in a minute.');
    visit(page);
    place = {
      open: page.judged ? page.breaches.filter(({ ended }) => ended === null) : place.open,
      after: page.judged?.block_number ?? place.after,
      generation: page.generation,
    };
    if (!page.has_more) return place;
  }
  throw new Error('The month has more observations than are judged.');
}

/**
 * Judges a version over its part of a month, by its whole history: a breach that began before the month is known by its true beginning, whatever the
 * ledger has.
 */
async function judgeStretch(ask: Ask, vault: Vault, stretch: Stretch): Promise<JudgedStretch & { generation: number }> {
  const since = stretch.version.in_force_from?.toISOString() ?? stretch.from;
  const nothing = { open: [], after: undefined, generation: undefined };
  const before =
    since < stretch.from
      ? await judgeTo(ask, vault, stretch, { since, until: stretch.from, ...nothing }, () => undefined)
      : nothing;
  const found: JudgedStretch = { observations: 0, first: null, last: null, tallies: [], breaches: [] };
  const ended: PromiseBreach[] = [];
  const { open, generation } = await judgeTo(
    ask,
    vault,
    stretch,
    { since, until: stretch.to, open: before.open, after: before.after },
    (page) => {
      found.observations += page.observations;
      found.first ??= page.first;
      found.last = page.judged ?? found.last;
      found.tallies = addTallies(found.tallies, page.tallies);
      ended.push(...page.breaches.filter((breach) => breach.ended !== null));
    },
  );
  if (before.generation !== undefined && before.generation !== generation)
    throw new AppError('NOT_READY', 'The history of the vault is being read again. Ask again in a minute.');
  return { ...found, generation, breaches: [...ended, ...open] };
}

export type JudgeMonthDeps = {
  mandates: Pick<MandateCollections, 'versions' | 'breaches'>;
  checksum: (address: string) => string;
};

/** The versions that were in force in a month. */
export async function stretchesIn({ mandates }: JudgeMonthDeps, vault: Vault, month: string): Promise<Stretch[]> {
  const { to } = monthEnds(month);
  const began = { ...keyOf(vault), in_force_from: { $ne: null, $lt: new Date(to) } };
  return stretchesOf(await mandates.versions.find(began).sort({ version: 1 }).toArray(), month);
}

/** What the mandates of a month came to. @throws AppError NOT_READY when the history changes meanwhile. */
export async function judgeMonth(
  { mandates, checksum }: JudgeMonthDeps,
  ask: Ask,
  vault: Vault,
  stretches: readonly Stretch[],
): Promise<MandateAttestation['mandates']> {
  const attested: MandateAttestation['mandates'] = [];
  for (const stretch of stretches) {
    const judged = await judgeStretch(ask, vault, stretch);
    const place = { version: stretch.version.version, generation: judged.generation };
    const ledger = await ledgerOf(mandates, keyOf(vault), place, judged.breaches);
    attested.push(attestedMandate(stretch, judged, ledger, checksum));
  }
  return attested;
}
