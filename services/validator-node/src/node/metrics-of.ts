import type { ConfigEvent } from '../chain/config-tracker.ts';
import type { EndpointEvent } from '../chain/endpoints.ts';
import type { WatchEvent } from '../chain/event-watcher.ts';
import type { NodeEvent, RejectReason, TransmitStatus } from '../monitoring/events.ts';
import type { PluginEvent } from '../plugin/events.ts';
import type { ProtocolEvent } from '../ports.ts';
import type { PendingEvent, TransmitEvent } from '../transmit/types.ts';

/** What the parts of a node say, in the words of its metrics. Each thing is counted once, by the part that knows it best. */

/** The plugin reports its own phases with their reasons; the protocol alone knows when it stopped waiting. */
export const ofProtocol = (event: ProtocolEvent): NodeEvent[] =>
  event.type === 'phase' && event.result !== 'timeout' ? [] : [event];

/** @param homeChain - Chain of the configuration, for what is said of a report as a whole. */
export function ofPlugin(event: PluginEvent, homeChain: number): NodeEvent[] {
  switch (event.type) {
    case 'phase':
      return [{ ...event, epoch: 0, round: 0 }, ...notSent(event, homeChain)];
    case 'observation':
      return [{ type: 'strategy_observed', chainId: event.chainId, strategy: event.strategy, result: event.result }];
    case 'pps_fetch':
      return [{ type: 'pps_fetched', chainId: event.chainId, result: event.result, seconds: event.seconds }];
    case 'insufficient_observations':
      return [{ type: 'strategy_insufficient', chainId: event.chainId, strategy: event.strategy }];
    case 'pps_deviation':
      return [{ type: 'pps_deviation', chainId: event.chainId, strategy: event.strategy, ppb: Number(event.ppb) }];
    case 'pack_error':
      return [{ type: 'pack_failed', chainId: event.chainId }];
    default:
      return [];
  }
}

/** A due report that is not sent: another node landed it first, or it is worth nothing any more. */
function notSent({ phase, result }: Extract<PluginEvent, { type: 'phase' }>, chainId: number): NodeEvent[] {
  if (phase !== 'should_transmit' || result === 'transmit' || result === 'error') return [];
  return [
    { type: 'transmit_finished', chainId, status: result === 'nonce_mismatch' ? 'superseded' : 'skipped', seconds: 0 },
  ];
}

/** Heads are compared with each other: how far behind the best of its chain an endpoint is. */
export function endpointEvents(blockSeconds: ReadonlyMap<number, number>): (event: EndpointEvent) => NodeEvent[] {
  const heads = new Map<string, { chainId: number; head: bigint }>();
  return ({ chainId, rpc, result, head }) => {
    const place = Number(rpc.replace(/\D/g, ''));
    const request: NodeEvent = {
      type: 'rpc_request',
      chainId,
      rpc: place,
      result: result === 'ok' ? 'success' : 'error',
    };
    if (head === null) return [request];
    heads.set(`${chainId}:${rpc}`, { chainId, head });
    const best = [...heads.values()].reduce(
      (top, each) => (each.chainId === chainId && each.head > top ? each.head : top),
      head,
    );
    const lagSeconds = Number(best - head) * (blockSeconds.get(chainId) ?? 0);
    return [request, { type: 'rpc_head', chainId, rpc: place, block: head, lagSeconds }];
  };
}

const refusals = { version_not_increasing: 'reorg', invalid: 'parse', contradicted: 'reload' } as const;

export function configEvents(): (event: ConfigEvent) => NodeEvent[] {
  let isFirst = true;
  return (event) => {
    if (event.type === 'config_refused') return [{ type: 'config_refused', reason: refusals[event.reason] }];
    if (event.type === 'config_reorged') return [{ type: 'config_refused', reason: 'reorg' }];
    if (event.type !== 'config_active') return [];
    const { digest, version, oracles: signers, f } = event;
    const firstAfterStart = isFirst;
    isFirst = false;
    return [{ type: 'config_active', digest, version, signers, f, firstAfterStart }];
  };
}

export function ofWatch(event: WatchEvent): NodeEvent[] {
  if (event.type !== 'price_event' || event.kind !== 'validated') return [];
  const { chainId, strategy, blockSeconds, headSeconds } = event;
  return [{ type: 'price_validated', chainId, strategy, blockSeconds, headSeconds }];
}

const rejections: Readonly<Record<string, RejectReason>> = {
  StrategyPaused: 'paused',
  StrategyCheckFailed: 'deviation',
  InsufficientUpkeep: 'unfunded',
  TimestampNotMonotonic: 'stale',
  StaleUpdate: 'stale',
  UpdateTooFrequent: 'too_soon',
  INVALID_VALIDATOR: 'bad_proof',
  INVALID_PROOF: 'bad_proof',
  QUORUM_NOT_MET: 'bad_proof',
  ECDSAInvalidSignature: 'bad_proof',
};

/** Whether a whole transmission did what it was for. */
export function statusOf({ type, outcomes }: Pick<PendingEvent, 'type' | 'outcomes'>): TransmitStatus {
  if (type === 'lost') return 'error';
  if (type === 'superseded') return 'superseded';
  if (type === 'failed' || outcomes.some(({ status }) => status === 'failure')) return 'failure';
  return outcomes.every(({ status }) => status === 'superseded') ? 'superseded' : 'success';
}

const ends: ReadonlySet<string> = new Set(['confirmed', 'failed', 'superseded', 'lost']);

/** What the transmitter of one chain says. `submittedAt`: local time a key was handed over. */
export function transmitEvents(
  chainId: number,
  submittedAt: ReadonlyMap<string, number>,
  now: () => number,
): (event: TransmitEvent) => NodeEvent[] {
  const sent = new Set<string>();
  return (event) => {
    switch (event.type) {
      case 'attempted':
        if (event.result !== 'accepted' || sent.has(event.key)) return [];
        sent.add(event.key);
        return [{ type: 'tx', chainId, change: 'broadcast' }];
      case 'replaced':
        return [{ type: 'tx', chainId, change: 'replaced' }];
      case 'stuck':
        return [{ type: 'tx', chainId, change: 'stuck' }];
      case 'reorged':
        return [{ type: 'tx', chainId, change: 'reorged' }];
      case 'balance_low':
        return [{ type: 'transmitter_balance', chainId, wei: event.balance }];
      case 'mined':
        return event.kind === 'fill'
          ? []
          : [
              { type: 'tx', chainId, change: 'confirmed' },
              { type: 'transmit_submitted', chainId, strategies: event.prices.length },
            ];
      default:
        return ends.has(event.type) && 'outcomes' in event ? ended(event) : [];
    }
  };

  function ended(event: Extract<TransmitEvent, { id: string }>): NodeEvent[] {
    sent.delete(event.key);
    if (event.kind === 'fill') return [];
    const seconds = (now() - (submittedAt.get(event.key) ?? now())) / 1_000;
    const failures = event.outcomes.filter(({ status }) => status === 'failure');
    return [
      ...(event.reason === 'reverted' ? [{ type: 'tx', chainId, change: 'reverted' } as const] : []),
      ...(event.type === 'confirmed' ? [{ type: 'tx', chainId, change: 'finalized' } as const] : []),
      ...failures.map(
        ({ reason }): NodeEvent => ({
          type: 'strategy_rejected',
          chainId,
          reason: rejections[reason ?? ''] ?? 'other',
        }),
      ),
      { type: 'transmit_finished', chainId, status: statusOf(event), seconds },
    ];
  }
}
