import {
  type AcknowledgeMandateBreach,
  AppError,
  type BacktestMandate,
  type GetMandateStatus,
  JudgeMandate,
  type ListMandateBreaches,
  type MandateBreach,
  type MandateDocument,
  type ParamsOf,
  type PromiseBreach,
  type PromiseState,
  type ResultOf,
} from '@castellan/contracts';
import { type Call, foundAndTotal, invalidCursor, pageOf, placeIn, sharedByParams } from '@castellan/service-kit';
import { needs, requireCaller, requireRole } from '../../access/use-cases/require-role.ts';
import type { StoredVersion } from '../models/collections.ts';
import { keyOf, plainBreach, type Vault } from '../stored.ts';
import { type MandateDeps, readableBy } from './versions.ts';

const worstFirst = ['broken', 'unknown', 'warned', 'held'] as const satisfies readonly PromiseState[];

/** Judged when it is asked for, so that it does not depend on how far the ledger is. */
export const getMandateStatus = (deps: MandateDeps) => {
  type Judged = Vault & { version: number };
  const judge = async (params: Judged, { document }: StoredVersion, call: Call) => {
    const { chain_id, vault_address, version } = params;
    const since = deps.now().toISOString();
    const [{ promises }, open_breaches] = await Promise.all([
      call.callAction(JudgeMandate, { chain_id, vault_address, document, since, limit: 1 }, { isShared: true }),
      deps.mandates.breaches.countDocuments({ ...keyOf(params), version, ended: null }),
    ]);
    const state = worstFirst.find((worst) => promises.some((promise) => promise.state === worst)) ?? null;
    return { version, title: document.title, state, promises, open_breaches };
  };
  const readable = readableBy(deps);
  const shared = sharedByParams(judge);
  return async (params: ParamsOf<typeof GetMandateStatus>, call: Call): Promise<ResultOf<typeof GetMandateStatus>> => {
    const { inForce } = await readable(params, call);
    if (!inForce) return { version: null, title: null, state: null, promises: [], open_breaches: 0 };
    return shared({ ...params, version: inForce.version }, inForce, call);
  };
};

const placeOf = ({ started, breach_id }: MandateBreach): string => `${started.block_number} ${breach_id}`;

/** Newest first; who has no role on the vault sees those of the version in force. */
export const listMandateBreaches = (deps: MandateDeps) => {
  type Asked = ParamsOf<typeof ListMandateBreaches> & { version: number | null };
  const read = async (params: Asked): Promise<ResultOf<typeof ListMandateBreaches>> => {
    const { limit, cursor, version } = params;
    const scope = { ...keyOf(params), ...(version === null ? {} : { version }) };
    const place = cursor === undefined ? undefined : placeIn(cursor, /^([0-9]{1,15}) (mb_[0-9a-f]{24})$/);
    if (cursor !== undefined && !place) throw invalidCursor();
    const block = Number(place?.[1]);
    const after = place
      ? {
          $or: [
            { 'started.block_number': { $lt: block } },
            { 'started.block_number': block, breach_id: { $lt: String(place[2]) } },
          ],
        }
      : {};
    const [found, total] = await foundAndTotal(
      { limit, cursor },
      () =>
        deps.mandates.breaches
          .find({ ...scope, ...after })
          .sort({ 'started.block_number': -1, breach_id: -1 })
          .limit(limit + 1)
          .toArray(),
      () => deps.mandates.breaches.countDocuments(scope),
    );
    const { items, ...page } = pageOf(found.map(plainBreach), limit, placeOf);
    return { breaches: items, total, ...page };
  };
  const readable = readableBy(deps);
  const shared = sharedByParams(read);
  return async (params: ParamsOf<typeof ListMandateBreaches>, call: Call) => {
    const { hasRole, inForce } = await readable(params, call);
    // No version has the number 0.
    return shared({ ...params, version: hasRole ? null : (inForce?.version ?? 0) });
  };
};

export const acknowledgeMandateBreach =
  (deps: MandateDeps) =>
  async (params: ParamsOf<typeof AcknowledgeMandateBreach>, call: Call): Promise<MandateBreach> => {
    const { chain_id, vault_address, breach_id, note = null } = params;
    await requireRole(deps.collections, call, params, needs.manager);
    const key = { ...keyOf(params), breach_id };
    const actor = requireCaller(call);
    const acknowledged_at = deps.now().toISOString();
    const breach = await deps.outbox.recordWith([], async (session) => {
      const found = await deps.mandates.breaches.findOne(key, { session });
      if (!found) return null;
      const change = found.acknowledged_by
        ? { note: note ?? found.note }
        : { acknowledged_by: actor, acknowledged_at, note };
      if (found.acknowledged_by && change.note === found.note) return found;
      await deps.mandates.breaches.updateOne(key, { $set: change }, { session });
      await deps.auditLog.append(
        {
          id: `mandate-breach:${breach_id}:acknowledged:${acknowledged_at}`,
          timestamp: acknowledged_at,
          category: 'setting',
          action_type: 'mandate_breach_acknowledged',
          vault_address,
          chain_id,
          actor_wallet: actor,
          details: { breach_id, promise_id: found.promise_id, note: change.note },
          tx_hash: null,
          request_id: call.requestId ?? null,
        },
        session,
      );
      return { ...found, ...change };
    });
    if (!breach) throw new AppError('BREACH_NOT_FOUND', 'The ledger of this vault has no such breach.');
    return plainBreach(breach);
  };

const DAYS_BACK = 90;
/** Pages of observations that one back-test judges. */
const PAGES = 50;
const BREACHES = 200;

type Judged = ResultOf<typeof JudgeMandate>;
type Range = { from: string; to: string };

async function judgeRange(
  { callAction }: Pick<Call, 'callAction'>,
  vault: { chain_id: number; vault_address: string },
  document: MandateDocument,
  { from, to }: Range,
) {
  const ended: PromiseBreach[] = [];
  let open: PromiseBreach[] = [];
  let observations = 0;
  let last: Judged['judged'] = null;
  for (let page = 0; page < PAGES; page += 1) {
    const after = last ? { after_block: last.block_number } : {};
    const judged: Judged = await callAction(JudgeMandate, {
      ...vault,
      document,
      since: from,
      until: to,
      open,
      ...after,
    });
    observations += judged.observations;
    ended.push(...judged.breaches.filter((breach) => breach.ended !== null));
    open = judged.breaches.filter((breach) => breach.ended === null);
    last = judged.judged ?? last;
    if (!judged.has_more) return { breaches: [...ended, ...open], observations, last, truncated: false };
  }
  return { breaches: [...ended, ...open], observations, last, truncated: true };
}

const secondsBetween = (from: string, to: string): number =>
  Math.max(0, Math.round((Date.parse(to) - Date.parse(from)) / 1000));

/** What a document would have found, for anybody with a role on the vault. */
export const backtestMandate =
  (deps: MandateDeps) =>
  async (params: ParamsOf<typeof BacktestMandate>, call: Call): Promise<ResultOf<typeof BacktestMandate>> => {
    const { chain_id, vault_address, document } = params;
    await requireRole(deps.collections, call, params, needs.anyRole);
    const to = params.to ?? deps.now().toISOString();
    const from = params.from ?? new Date(Date.parse(to) - DAYS_BACK * 86_400_000).toISOString();
    if (Date.parse(from) >= Date.parse(to))
      throw new AppError('RANGE_REVERSED', 'The range must begin before it ends.');
    const { breaches, observations, last, truncated } = await judgeRange(call, { chain_id, vault_address }, document, {
      from,
      to,
    });
    const end = truncated && last ? last.time : to;
    const ordered = breaches.sort((a, b) => b.started.block_number - a.started.block_number);
    return {
      from,
      to: end,
      observations,
      truncated,
      promises: document.promises.map(({ id }) => {
        const own = ordered.filter(({ promise_id }) => promise_id === id);
        const seconds = own.map(({ started, ended }) => secondsBetween(started.time, ended?.time ?? end));
        return { promise_id: id, breaches: own.length, broken_seconds: seconds.reduce((sum, each) => sum + each, 0) };
      }),
      breaches: ordered.slice(0, BREACHES),
    };
  };
