import {
  type EventData,
  JudgeMandate,
  type PromiseBreach,
  type ResultOf,
  type VaultMeasured,
} from '@castellan/contracts';
import type { CallAction, ClientSession, RecordWith } from '@castellan/service-kit';
import type { recordSignal } from '../alerts/evaluator/signals.ts';
import { type BreachLog, endedRow, startedRow, undoing, undoingEnd } from './breach-rows.ts';
import { promiseText } from './breach-text.ts';
import type { MandateCollections, StoredBreach, StoredJudgement, StoredVersion } from './models/collections.ts';
import { keyOf, ledgerOf, type Vault, versionInForce } from './stored.ts';

export type JudgingDeps = {
  mandates: MandateCollections;
  auditLog: BreachLog;
  outbox: { recordWith: RecordWith };
  callAction: CallAction;
  signal: ReturnType<typeof recordSignal>;
};
type Judged = ResultOf<typeof JudgeMandate>;
type Identified = PromiseBreach & { breach_id: string };

/** Opens or ends the alert of a breach; the same again under the same projection changes nothing. */
const signalOf = (
  { signal }: JudgingDeps,
  { chain_id, vault_address }: Vault,
  { breach_id, ...breach }: Identified,
  { state, generation }: { state: 'ok' | 'failing'; generation: number },
): Promise<void> =>
  signal({
    id: `mandate:${breach_id}:${state}:${breach.ended?.block_number ?? ''}:${generation}`,
    chain_id,
    vault_address,
    kind: 'mandate',
    subject: breach.promise_id,
    state,
    detail: promiseText(breach),
  });

/** A breach of a page, and how the ledger had it before. */
type Found = { breach: Identified; before: StoredBreach | undefined };

async function identified(
  { mandates }: JudgingDeps,
  vault: Vault,
  version: number,
  { generation, breaches }: Judged,
): Promise<Found[]> {
  const ledger = await ledgerOf(mandates, keyOf(vault), { version, generation }, breaches);
  return breaches.map((breach) => ({
    breach: { ...breach, breach_id: ledger.idOf(breach) },
    before: ledger.get(breach),
  }));
}

/** Promises whose alert is open and stays so. */
const stillBroken = (found: readonly Found[]): ReadonlySet<string> =>
  new Set(
    found
      .filter(({ breach, before }) => breach.ended === null && before?.ended === null)
      .map(({ breach }) => breach.promise_id),
  );

/** An end that the ledger has may come on a page after this one, as most do when everything is judged again. */
const isUndecided = ({ breach, before }: Found, { has_more }: Judged): boolean =>
  has_more && breach.ended === null && before != null && before.ended !== null;

const isEndNew = ({ breach, before }: Found): boolean =>
  breach.ended !== null && breach.ended.block_number !== before?.ended?.block_number;

/**
 * A breach that is open at the end of a page that is not the last may be over on the next, as most are that are judged again; and
 * an earlier breach that comes to light then does not end the alert of the one that is open.
 */
async function signalAll(deps: JudgingDeps, vault: Vault, page: Judged, found: readonly Found[]): Promise<void> {
  const { generation, has_more } = page;
  const open = stillBroken(found);
  for (const each of found) {
    const { breach } = each;
    if (breach.ended === null && !has_more) await signalOf(deps, vault, breach, { state: 'failing', generation });
    if (isEndNew(each) && !open.has(breach.promise_id))
      await signalOf(deps, vault, breach, { state: 'ok', generation });
  }
}

type Write = (session: ClientSession) => Promise<void>;

/** What appends the rows of a breach that the audit log lacks. */
async function rowsFor({ auditLog }: JudgingDeps, vault: Vault, found: Found, page: Judged): Promise<Write> {
  const { breach, before } = found;
  const { generation } = page;
  if (isUndecided(found, page)) return async () => undefined;
  const { ended } = breach;
  const isEndUndone = before != null && before.ended !== null && before.ended.block_number !== ended?.block_number;
  const undo = isEndUndone ? await undoingEnd(auditLog, vault, before, generation) : undefined;
  return async (session) => {
    if (!before) await auditLog.append(startedRow(vault, breach), session);
    await undo?.(session);
    if (ended && isEndNew(found)) await auditLog.append(endedRow(vault, breach, ended, generation), session);
  };
}

/** Writes a page of judgements: its breaches, their audit rows and the place where the next page begins, in one transaction. */
async function store(
  deps: JudgingDeps,
  vault: Vault,
  version: number,
  before: StoredJudgement | null,
  page: Judged,
): Promise<StoredJudgement | null> {
  const { mandates, outbox } = deps;
  if (page.judged === null) return before;
  const key = keyOf(vault);
  const { generation } = page;
  const found = await identified(deps, vault, version, page);
  await signalAll(deps, vault, page, found);
  const writes = await Promise.all(found.map((each) => rowsFor(deps, vault, each, page)));
  const next: StoredJudgement = {
    ...key,
    version,
    generation,
    judged_block: page.judged.block_number,
    open: page.breaches.filter(({ ended }) => ended === null),
    revision: (before?.revision ?? 0) + 1,
  };
  await outbox.recordWith([], async (session) => {
    if (before) {
      const { matchedCount } = await mandates.judgements.updateOne(
        { ...key, revision: before.revision },
        { $set: next },
        { session },
      );
      if (matchedCount === 0) throw new Error('Another process judged the mandate meanwhile.');
    } else await mandates.judgements.insertOne({ ...next }, { session });
    for (const each of found) {
      const { breach, before: kept } = each;
      const fresh = { superseded: false, acknowledged_by: null, acknowledged_at: null, note: null };
      const { breach_id } = breach;
      const ended = isUndecided(each, page) && kept ? kept.ended : breach.ended;
      await mandates.breaches.updateOne(
        { ...key, breach_id },
        { $set: { ...breach, ended, version, generation }, $setOnInsert: fresh },
        { upsert: true, session },
      );
    }
    for (const write of writes) await write(session);
    return true;
  });
  return next;
}

/** Breaches of the version that the projection does not show any more: a reorganisation has undone them. */
async function dropUndone(deps: JudgingDeps, vault: Vault, judged: StoredJudgement): Promise<void> {
  const { mandates, auditLog, outbox } = deps;
  const { version, generation, open } = judged;
  const stillOpen = new Set(open.map(({ promise_id }) => promise_id));
  const undone = mandates.breaches.find({ ...keyOf(vault), version, generation: { $ne: generation } });
  for (const breach of await undone.toArray()) {
    if (breach.ended === null && !stillOpen.has(breach.promise_id))
      await signalOf(deps, vault, breach, { state: 'ok', generation });
    const append = await undoing(auditLog, vault, breach);
    await outbox.recordWith([], async (session) => {
      await append(session);
      const { breach_id } = breach;
      // One that was found again meanwhile has the generation by now.
      await mandates.breaches.deleteOne({ ...keyOf(vault), breach_id, generation: breach.generation }, { session });
      return true;
    });
  }
}

/** A version ends with the next: what was broken is judged by that one, if it promises it too. */
async function supersede(
  deps: JudgingDeps,
  vault: Vault,
  { version, generation, open }: StoredJudgement,
): Promise<void> {
  const ledger = await ledgerOf(deps.mandates, keyOf(vault), { version, generation }, open);
  for (const breach of open) {
    const breach_id = ledger.idOf(breach);
    await signalOf(deps, vault, { ...breach, breach_id }, { state: 'ok', generation });
    await deps.mandates.breaches.updateOne({ ...keyOf(vault), breach_id }, { $set: { superseded: true } });
  }
}

const isOf = ({ version, generation }: StoredJudgement, inForce: StoredVersion, judged: Judged): boolean =>
  version === inForce.version && generation === judged.generation;

/**
 * Judges the observations of a vault since the last that was judged, when its history has grown. Doing it again changes nothing; under
 * another projection everything since the version came into force is judged again.
 */
export const judgeInForce =
  (deps: JudgingDeps) =>
  async ({
    chain_id,
    vault_address,
  }: Pick<EventData<typeof VaultMeasured>, 'chain_id' | 'vault_address'>): Promise<void> => {
    const vault = { chain_id, vault_address };
    const inForce = await versionInForce(deps.mandates, keyOf(vault));
    if (!inForce?.in_force_from) return;
    const { version, document } = inForce;
    const since = inForce.in_force_from.toISOString();
    const judge = (from: StoredJudgement | null) =>
      deps.callAction(JudgeMandate, {
        ...vault,
        document,
        since,
        ...(from ? { after_block: from.judged_block, open: from.open } : {}),
      });
    let stored: StoredJudgement | null = await deps.mandates.judgements.findOne(keyOf(vault));
    if (stored && stored.version !== version) await supersede(deps, vault, stored);
    let page = await judge(stored?.version === version ? stored : null);
    if (stored?.version === version && !isOf(stored, inForce, page)) page = await judge(null);
    for (;;) {
      stored = await store(deps, vault, version, stored, page);
      if (!page.has_more) break;
      page = await judge(stored);
      // The next measure begins again, under the new projection.
      if (stored && !isOf(stored, inForce, page)) return;
    }
    if (page.judged && stored) await dropUndone(deps, vault, stored);
  };
