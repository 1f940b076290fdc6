import { superVaultStrategyAbi } from '@castellan/chain';
import type { LogEntry } from '@castellan/contracts';
import { type Address, encodeFunctionData, getAddress } from 'viem';
import type { Snapshot } from '../adapters/snapshot-store.mongo.ts';
import { queueEvents } from '../strategies/domain/redeem-queue.ts';
import { redemptions } from './domain/outcome.ts';
import { isFailure, Refusal } from './domain/refusal.ts';
import type { Kept, Open } from './journal.mongo.ts';
import { targetOf } from './plan.ts';
import type { Call, KeeperPorts, Redemption } from './ports.ts';
import { begin, send } from './transact.ts';

/** A transaction that pays redemptions is worth it until their prices have moved. */
const FULFIL_SECONDS = 60;
/** Requests looked at in one pass; the rest waits for the next. */
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

/** Pays the redemptions that idle assets reach, or gives requests back that were cancelled. @returns whether it sent, and the vault after it. */
export async function redeem(
  ports: KeeperPorts,
  kept: Kept,
  snapshot: Snapshot,
  { isUsable }: { isUsable: boolean },
): Promise<{ hasSent: boolean; kept: Kept }> {
  const nothing = { hasSent: false, kept };
  const { chain, settings, log, now, logger } = ports;
  const controllers = openControllers(await log.livingOfVault(snapshot.chain_id, snapshot.vault, queueEvents));
  if (controllers.length === 0) return nothing;
  const target = targetOf(snapshot);
  const [requests, idle] = await Promise.all([
    chain.redemptions(target, controllers.slice(0, LOOKED_AT)),
    chain.idle(target),
  ]);
  const most = settings.redemptionsAtOnce;
  const cancelled = requests.filter(({ isCancelled, shares }) => isCancelled && shares > 0n).slice(0, most);
  const [kind, chosen] =
    cancelled.length > 0
      ? (['fulfil_cancels', cancelled.sort(byAddress)] as const)
      : (['fulfil', isUsable ? payableNow(requests, idle, most) : []] as const);
  if (chosen.length === 0) return nothing;
  const key = `${kind}:${kept._id}:${kept.revision}`;
  const expires_at = new Date(now() + FULFIL_SECONDS * 1000).toISOString();
  const call = callOf(target.strategy, chosen, kind);
  try {
    const { kept: begun } = await begin(ports, kept, { key, kind, expires_at, call });
    logger.info('redemptions are paid', { vault: snapshot.vault, kind, requests: chosen.length });
    await send(ports, begun);
    return { hasSent: true, kept: begun };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    logger.warn('redemptions were not paid', { vault: snapshot.vault, code: error.code, reason: error.message });
    if (!isFailure(error)) return nothing;
    const failure = `Redemptions were not paid. ${error.message}`;
    return { hasSent: false, kept: await ports.journal.note(kept, { subject: redemptions, failure }) };
  }
}
