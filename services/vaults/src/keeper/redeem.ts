import { superVaultStrategyAbi } from '@castellan/chain';
import type { LogEntry } from '@castellan/contracts';
import { type Address, encodeFunctionData, getAddress } from 'viem';
import type { Snapshot } from '../adapters/snapshot-store.mongo.ts';
import { queueEvents } from '../strategies/domain/redeem-queue.ts';
import { hourWithOneMore } from './domain/hour.ts';
import { redemptions } from './domain/outcome.ts';
import { isFailure, Refusal } from './domain/refusal.ts';
import type { Kept, Open } from './journal.mongo.ts';
import { targetOf } from './plan.ts';
import type { Call, KeeperPorts, Redemption, Target } from './ports.ts';
import { begin, send } from './transact.ts';

/** A transaction that pays redemptions is worth it until their prices have moved. */
const FULFIL_SECONDS = 60;
/** Requests asked for at once. */
const LOOKED_AT = 100;

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
  return chosen.sort(byAddress);
}

const callOf = (strategy: Address, requests: readonly Redemption[], kind: Open['kind']): Call => {
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

type Found = { kind: 'fulfil' | 'fulfil_cancels'; chosen: Redemption[] };

/** What is to be done, page by page: those that cannot be paid, however many they are, do not hide those behind them. */
async function nextOf(
  { chain, settings }: KeeperPorts,
  target: Target,
  controllers: readonly Address[],
  isUsable: boolean,
): Promise<Found> {
  const most = settings.redemptionsAtOnce;
  const idle = await chain.idle(target);
  const cancelled: Redemption[] = [];
  const payable: Redemption[] = [];
  for (let from = 0; from < controllers.length; from += LOOKED_AT) {
    const requests = await chain.redemptions(target, controllers.slice(from, from + LOOKED_AT));
    cancelled.push(...requests.filter(({ isCancelled, shares }) => isCancelled && shares > 0n));
    const left = idle - payable.reduce((sum, { assets }) => sum + assets, 0n);
    if (isUsable) payable.push(...payableNow(requests, left, most - payable.length));
    if (cancelled.length >= most || payable.length >= most) break;
  }
  if (cancelled.length > 0) return { kind: 'fulfil_cancels', chosen: cancelled.slice(0, most).sort(byAddress) };
  return { kind: 'fulfil', chosen: payable.sort(byAddress) };
}

/** Pays the redemptions that idle assets reach, or gives requests back that were cancelled. @returns whether it sent, and the vault after it. */
export async function redeem(
  ports: KeeperPorts,
  kept: Kept,
  snapshot: Snapshot,
  { isUsable }: { isUsable: boolean },
): Promise<{ hasSent: boolean; kept: Kept }> {
  const nothing = { hasSent: false, kept };
  const { log, now, logger, settings } = ports;
  const controllers = openControllers(await log.livingOfVault(snapshot.chain_id, snapshot.vault, queueEvents));
  if (controllers.length === 0) return nothing;
  const target = targetOf(snapshot);
  const { kind, chosen } = await nextOf(ports, target, controllers, isUsable);
  if (chosen.length === 0) return nothing;
  const key = `${kind}:${kept._id}:${kept.revision}`;
  const expires_at = new Date(now() + FULFIL_SECONDS * 1000).toISOString();
  const call = callOf(target.strategy, chosen, kind);
  try {
    const hour = hourWithOneMore(kept.hour, now(), settings.transactionsPerHour);
    if (!hour)
      throw new Refusal(
        'HOURLY_LIMIT',
        `The vault has had its ${settings.transactionsPerHour} transactions of this hour.`,
      );
    const { kept: begun } = await begin(ports, kept, { key, kind, expires_at, call, hour });
    // Read last: what is stored and not sent is forgotten again.
    const engine = await ports.strategies.engine({ chainId: snapshot.chain_id, vault: snapshot.vault });
    if (engine.kill_switch) {
      return { hasSent: false, kept: await ports.journal.close(begun) };
    }
    logger.info('redemptions are paid', { vault: snapshot.vault, kind, requests: chosen.length });
    return { hasSent: true, kept: await send(ports, begun) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    logger.warn('redemptions were not paid', { vault: snapshot.vault, code: error.code, reason: error.message });
    if (!isFailure(error)) return nothing;
    const failure = `Redemptions were not paid. ${error.message}`;
    return { hasSent: false, kept: await ports.journal.note(kept, { subject: redemptions, failure }) };
  }
}
