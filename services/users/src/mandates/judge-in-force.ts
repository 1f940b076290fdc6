import {
  type EventData,
  JudgeMandate,
  type PromiseBreach,
  type ResultOf,
  type VaultMeasured,
} from '@castellan/contracts';
import type { CallAction, ClientSession, RecordWith } from '@castellan/service-kit';
import type { recordSignal } from '../alerts/evaluator/signals.ts';
import type { AuditLog } from '../audit/adapters/audit-log.mongo.ts';
import { promiseText } from './breach-text.ts';
import type { MandateCollections, StoredJudgement, StoredVersion } from './models/collections.ts';
import { breachIdOf, keyOf, type Vault, versionInForce } from './stored.ts';

export type JudgingDeps = {
  mandates: MandateCollections;
  auditLog: Pick<AuditLog, 'append'>;
  outbox: { recordWith: RecordWith };
  callAction: CallAction;
  signal: ReturnType<typeof recordSignal>;
};
type Judged = ResultOf<typeof JudgeMandate>;
type Identified = PromiseBreach & { breach_id: string };

const idOf = (vault: Vault, version: number, { promise_id, started }: PromiseBreach): string =>
  breachIdOf(keyOf(vault), version, promise_id, started.block_number);

/** Opens or ends the alert of a breach; the same again changes nothing. */
const signalOf = (
  { signal }: JudgingDeps,
  { chain_id, vault_address }: Vault,
  { breach_id, ...breach }: Identified,
  state: 'ok' | 'failing',
): Promise<void> =>
  signal({
    id: `mandate:${breach_id}:${state}:${breach.ended?.block_number ?? ''}`,
    chain_id,
    vault_address,
    kind: 'mandate',
    subject: breach.promise_id,
    state,
    detail: promiseText(breach),
  });

async function recordRow(
  { auditLog }: JudgingDeps,
  { chain_id, vault_address }: Vault,
  breach: Identified,
  session: ClientSession,
): Promise<void> {
  const row = {
    vault_address,
    chain_id,
    actor_wallet: null,
    tx_hash: null,
    request_id: null,
    category: 'setting' as const,
  };
  const { breach_id, promise_id, started, worst, limit, unit, ended } = breach;
  const details = { breach_id, promise_id, limit, unit, started, worst };
  const id = `mandate-breach:${breach_id}`;
  await auditLog.append(
    { ...row, id: `${id}:started`, action_type: 'mandate_breached', timestamp: started.time, details },
    session,
  );
  if (ended)
    await auditLog.append(
      {
        ...row,
        id: `${id}:ended:${ended.block_number}`,
        action_type: 'mandate_breach_ended',
        timestamp: ended.time,
        details: { ...details, ended },
      },
      session,
    );
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
  const breaches = page.breaches.map((breach) => ({ ...breach, breach_id: idOf(vault, version, breach) }));
  for (const breach of breaches) await signalOf(deps, vault, breach, breach.ended ? 'ok' : 'failing');
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
    for (const breach of breaches) {
      const fresh = { superseded: false, acknowledged_by: null, acknowledged_at: null, note: null };
      const { breach_id } = breach;
      await mandates.breaches.updateOne(
        { ...key, breach_id },
        { $set: { ...breach, version, generation }, $setOnInsert: fresh },
        { upsert: true, session },
      );
      await recordRow(deps, vault, breach, session);
    }
    return true;
  });
  return next;
}

/** Breaches of the version that the projection does not show any more: a reorganisation has undone them. */
async function dropUndone(deps: JudgingDeps, vault: Vault, version: number, generation: number): Promise<void> {
  const undone = { ...keyOf(vault), version, generation: { $ne: generation } };
  for (const breach of await deps.mandates.breaches.find({ ...undone, ended: null }).toArray())
    await signalOf(deps, vault, breach, 'ok');
  await deps.mandates.breaches.deleteMany(undone);
}

/** A version ends with the next: what was broken is judged by that one, if it promises it too. */
async function supersede(deps: JudgingDeps, vault: Vault, { version, open }: StoredJudgement): Promise<void> {
  for (const breach of open) {
    const breach_id = idOf(vault, version, breach);
    await signalOf(deps, vault, { ...breach, breach_id }, 'ok');
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
    if (page.judged) await dropUndone(deps, vault, version, page.generation);
  };
