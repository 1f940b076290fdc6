import { superVaultStrategyAbi } from '@castellan/chain';
import type { LogEntry } from '@castellan/contracts';
import { type Address, encodeFunctionData, getAddress } from 'viem';
import { queueEvents } from '../../strategies/domain/redeem-queue.ts';
import type { Snapshot } from '../../vault/adapters/snapshot-store.mongo.ts';
import type { Redemption } from '../../vault/domain/redemption.ts';
import type { Kept } from '../adapters/journal.mongo.ts';
import { hourWithOneMore } from '../domain/hour.ts';
import { redemptions } from '../domain/outcome.ts';
import { type Pace, queueFrom, type RedemptionKind } from '../domain/pace.ts';
import { patienceMs } from '../domain/patience.ts';
import { isFailure, Refusal } from '../domain/refusal.ts';
import type { Call, KeeperPorts } from '../ports.ts';
import { noteRefused } from './note-refused.ts';
import { targetOf } from './plan.ts';
import { runOf } from './record-run.ts';
import { begin, send } from './transact.ts';

/** Requests asked for at once. */
const LOOKED_AT = 100;
/** So many times that in one pass: anybody can make the queue long. */
const PAGES = 5;

/** Controllers with an open request, the oldest first. */
export function openControllers(entries: readonly Pick<LogEntry, 'name' | 'contract' | 'args'>[]): Address[] {
  const open = new Set<string>();
  for (const { name, contract, args } of entries) {
    const controller = String(args.controller).toLowerCase();
    if (name !== 'RedeemRequest') open.delete(controller);
    else if (contract === 'vault') open.add(controller);
  }
  return [...open].map((controller) => getAddress(controller));
}

const byAddress = (a: { controller: Address }, b: { controller: Address }) =>
  BigInt(a.controller) < BigInt(b.controller) ? -1 : 1;

/**
 * The requests to pay now: the oldest that idle assets reach, at the price of the chain. One whose least is above that price
 * cannot be paid at all, and one that is being given back is not wanted.
 */
export function payableNow(requests: readonly Redemption[], idle: bigint, most: number): Redemption[] {
  const chosen: Redemption[] = [];
  let left = idle;
  for (const request of requests) {
    const { shares, assets, least, isCancelled } = request;
    if (isCancelled || shares === 0n || assets === 0n || assets < least) continue;
    // A request that idle assets do not reach does not hold up smaller ones behind it for longer than it waits itself.
    if (assets > left || chosen.length === most) continue;
    chosen.push(request);
    left -= assets;
  }
  return chosen;
}

const callOf = (strategy: Address, requests: readonly Redemption[], kind: RedemptionKind): Call => {
  const controllers = requests.map(({ controller }) => controller);
  const abi = superVaultStrategyAbi;
  const data =
    kind === 'fulfil'
      ? encodeFunctionData({
          abi,
          functionName: 'fulfillRedeemRequests',
          args: [controllers, requests.map(({ assets }) => assets)],
        })
      : encodeFunctionData({ abi, functionName: 'fulfillCancelRedeemRequests', args: [controllers] });
  return { to: strategy, data };
};

const openRequests = async ({ log }: Pick<KeeperPorts, 'log'>, { chain_id, vault }: Snapshot): Promise<Address[]> =>
  openControllers(await log.livingOfVault(chain_id, vault, queueEvents));

/** Whether anybody waits for the vault: known from the log, without a question to the chain. */
export const hasRequests = async (ports: Pick<KeeperPorts, 'log'>, snapshot: Snapshot): Promise<boolean> =>
  (await openRequests(ports, snapshot)).length > 0;

/**
 * What of a queue is looked at in a pass: its first page, and of the others so many as a pass has room for from one place on, so that
 * each has its turn.
 */
function pagesFrom(ordered: readonly Address[], place: number): { pages: Address[][]; after(looked: number): number } {
  const all = Array.from({ length: Math.ceil(ordered.length / LOOKED_AT) }, (_, page) =>
    ordered.slice(page * LOOKED_AT, (page + 1) * LOOKED_AT),
  );
  if (all.length <= PAGES) return { pages: all, after: () => 0 };
  const others = all.length - 1;
  const inTurn = Array.from({ length: PAGES - 1 }, (_, index) => 1 + ((place + index) % others));
  const pages = [0, ...inTurn].flatMap((page) => [all[page] ?? []]);
  return { pages, after: (looked) => (place + Math.max(0, looked - 1)) % others };
}

/** What holders of shares have asked of a vault. Read when it is needed, and once. */
export type Queue = {
  /** Requests of a kind to be paid now, in the order of the queue. */
  next(kind: RedemptionKind, pace: Pace | null): Promise<Redemption[]>;
};

export function queueOf(
  { chain, log, settings, queuePlaces }: KeeperPorts,
  snapshot: Snapshot,
  { isUsable }: { isUsable: boolean },
): Queue {
  const target = targetOf(snapshot);
  const most = settings.redemptionsAtOnce;
  const read = new Map<Address, Redemption>();
  let controllers: Address[] | undefined;
  const pageOf = async (page: readonly Address[]): Promise<Redemption[]> => {
    const missing = page.filter((controller) => !read.has(controller));
    for (const request of missing.length > 0 ? await chain.redemptions(target, missing) : [])
      read.set(request.controller, request);
    return page.flatMap((controller) => read.get(controller) ?? []);
  };
  return {
    async next(kind, pace) {
      if (kind === 'fulfil' && !isUsable) return [];
      controllers ??= await openRequests({ log }, snapshot);
      if (controllers.length === 0) return [];
      let left = kind === 'fulfil' ? await chain.idle(target) : undefined;
      // Each kind goes on where it was itself: what the other looked at, it has not.
      const key = `${snapshot.chain_id}:${snapshot.vault}:${kind}`;
      const { pages, after } = pagesFrom(queueFrom(controllers, pace), queuePlaces.get(key) ?? 0);
      let looked = 0;
      const chosen: Redemption[] = [];
      // Page by page: those that cannot be paid, however many they are, do not hide those behind them.
      for (const page of pages) {
        const room = most - chosen.length;
        if (room === 0 || left === 0n) break;
        const requests = await pageOf(page);
        looked += 1;
        const isCancel = ({ isCancelled, shares }: Redemption) => isCancelled && shares > 0n;
        const fit = left === undefined ? requests.filter(isCancel).slice(0, room) : payableNow(requests, left, room);
        chosen.push(...fit);
        if (left !== undefined) left -= fit.reduce((sum, { assets }) => sum + assets, 0n);
      }
      queuePlaces.set(key, after(looked));
      return chosen;
    },
  };
}

/** Refusals of a call that may be one request's fault. */
const mayBeOnes: ReadonlySet<string> = new Set(['SIMULATION_FAILED', 'GAS_LIMIT']);
/** Simulations of requests alone in one pass. */
const ALONE_TRIES = 10;

type Try = { chosen: readonly Redemption[]; pace: Pace | null };

/** As many as may be paid at once, and each of them alone should that not do. */
function triesOf(found: readonly Redemption[], pace: Pace | null): Try[] {
  const first = pace ? found.slice(0, pace.at_once) : found;
  const behind = (chosen: readonly Redemption[]) => chosen.at(-1)?.controller ?? null;
  const alone = (first.length === 1 ? found.slice(1) : found).slice(0, ALONE_TRIES);
  return [
    { chosen: first, pace: pace && { ...pace, after: behind(first) } },
    ...alone.map((one) => ({ chosen: [one], pace: { at_once: 1, after: one.controller } })),
  ];
}

type Order = { kind: RedemptionKind; queue: Queue };
type Redeemed = { hasSent: boolean; kept: Kept };

/** @throws Refusal */
async function pay(
  ports: KeeperPorts,
  kept: Kept,
  snapshot: Snapshot,
  { kind, chosen, pace }: Try & { kind: RedemptionKind },
): Promise<Redeemed> {
  const { now, settings, journal, logger, chain } = ports;
  const { transactionsPerHour, bumpAfterBlocks } = settings;
  const hour = hourWithOneMore(kept.hour, now(), transactionsPerHour);
  if (!hour)
    throw new Refusal('HOURLY_LIMIT', `The vault has had its ${transactionsPerHour} transactions of this hour.`);
  const key = `${kind}:${kept._id}:${kept.revision}`;
  const expires_at = new Date(now() + patienceMs(bumpAfterBlocks, chain.blockTimeSeconds)).toISOString();
  const call = callOf(targetOf(snapshot).strategy, [...chosen].sort(byAddress), kind);
  const changes = { hour, paying: { ...kept.paying, [kind]: pace } };
  const { kept: begun } = await begin(ports, kept, { key, kind, expires_at, call, changes });
  // Read last: what is stored and not sent is forgotten again.
  const engine = await ports.strategies.engine({ chainId: snapshot.chain_id, vault: snapshot.vault });
  if (engine.kill_switch) {
    const message = 'The kill switch of the vault was set before the transaction was sent.';
    const run = await runOf(ports, begun, { result: 'stopped', code: 'KILL_SWITCH', message });
    return { hasSent: false, kept: await journal.close(begun, { run }) };
  }
  logger.info('redemptions are paid', { vault: snapshot.vault, kind, requests: chosen.length });
  return { hasSent: true, kept: await send(ports, begun) };
}

/** Pays the redemptions that idle assets reach, or gives requests back that were cancelled. @returns whether it sent, and the vault after it. */
export async function redeem(
  ports: KeeperPorts,
  kept: Kept,
  snapshot: Snapshot,
  { kind, queue }: Order,
): Promise<Redeemed> {
  const { journal, logger } = ports;
  const before = kept.paying[kind] ?? null;
  const found = await queue.next(kind, before);
  if (found.length === 0) return { hasSent: false, kept };
  let refusal: Refusal | undefined;
  let tried = before;
  for (const attempt of triesOf(found, before)) {
    try {
      return await pay(ports, kept, snapshot, { kind, ...attempt });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      refusal = error;
      logger.warn('redemptions were not paid', { vault: snapshot.vault, code: error.code, reason: error.message });
      if (!mayBeOnes.has(error.code)) break;
      tried = { at_once: 1, after: attempt.pace?.after ?? null };
    }
  }
  const isSame = tried?.at_once === before?.at_once && tried?.after === before?.after;
  const paced = isSame ? kept : await journal.pace(kept, { ...kept.paying, [kind]: tried });
  if (refusal) await noteRefused(ports, snapshot, redemptions, { code: refusal.code, because: refusal.message });
  if (!refusal || !isFailure(refusal)) return { hasSent: false, kept: paced };
  const failure = `Redemptions were not paid. ${refusal.message}`;
  return { hasSent: false, kept: await journal.note(paced, { subject: redemptions, failure }) };
}
