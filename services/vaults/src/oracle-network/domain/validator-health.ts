import type { ConfigDocument, NodeDocument, RoundDocument } from './validator-network.ts';

/** Rounds in a row that an oracle must be missing from before it is called silent: one is lost to a slow answer. */
const MISSED_ROUNDS = 3;
/** On top of as many rounds, what a round itself may take; where rounds follow each other faster, as many rounds again. */
const SLACK_MS = 30_000;

/** For so long without a finished round, or a word, something is wrong. */
export const quietMs = ({ round_seconds }: Pick<ConfigDocument, 'round_seconds'>): number => {
  const missedMs = MISSED_ROUNDS * round_seconds * 1_000;
  return missedMs + Math.min(SLACK_MS, missedMs);
};

/** Health of one oracle of the configuration; `lastSeen` is null when no event of it is known. */
export type NodeHealth = {
  index: number;
  status: 'ok' | 'silent' | 'unknown';
  lastSeen: Date | null;
  nodeId: string | null;
};

/**
 * How each oracle of a configuration does: silent when the last rounds went on without it, or when nothing was heard of it while
 * there were no rounds.
 * @param rounds - Of this configuration, newest first.
 */
export function healthOf(
  config: ConfigDocument,
  nodes: readonly NodeDocument[],
  rounds: readonly RoundDocument[],
  now: Date,
): NodeHealth[] {
  const newest = rounds[0]?.finished_at;
  const last = rounds.slice(0, MISSED_ROUNDS);
  const goesOn = newest !== undefined && now.getTime() - newest.getTime() <= quietMs(config);
  return config.oracles.map(({ index }) => {
    const node = nodes.find((item) => item.node_index === index && item.digest === config.digest);
    const lastSeen = node?.last_seen ?? null;
    const isHeard = lastSeen !== null && now.getTime() - lastSeen.getTime() <= quietMs(config);
    const missed = last.length === MISSED_ROUNDS && last.every(({ observers }) => !observers.includes(index));
    const status = !goesOn && !isHeard ? (lastSeen ? 'silent' : 'unknown') : missed || !isHeard ? 'silent' : 'ok';
    return { index, status, lastSeen, nodeId: node?._id ?? null };
  });
}

/** A price that is late, since when, and the most likely reason. */
export type Lateness = {
  dueAt: Date;
  lateMs: number;
  reason:
    | 'paused'
    | 'unfunded'
    | 'no_rounds'
    | 'too_few_observers'
    | 'too_few_signers'
    | 'transmission_fails'
    | 'not_reported';
  detail: string;
};

/** What decides when the price of a strategy is due. */
export type PriceState = {
  lastUpdate: Date;
  minIntervalSeconds: number;
  isPaused: boolean;
  isUnfunded: boolean;
  /** What became of the last transmission of this strategy. */
  lastTransmission: { status: string; reason: string | null } | undefined;
  /** Last rounds that priced the strategy, newest first. */
  rounds: readonly RoundDocument[];
};

const names = (nodes: readonly NodeHealth[]): string =>
  nodes.map(({ index, nodeId }) => nodeId ?? `oracle ${index}`).join(', ');

function whyLate(
  config: ConfigDocument,
  health: readonly NodeHealth[],
  { isPaused, isUnfunded, lastTransmission, rounds }: PriceState,
  goesOn: boolean,
): Pick<Lateness, 'reason' | 'detail'> {
  if (isPaused) return { reason: 'paused', detail: 'The vault is paused: the contract accepts no price.' };
  if (isUnfunded) return { reason: 'unfunded', detail: 'The upkeep balance does not pay for an update.' };
  const silent = health.filter(({ status }) => status !== 'ok');
  const alive = health.length - silent.length;
  if (!goesOn && alive <= 2 * config.f)
    return {
      reason: 'too_few_observers',
      detail: `${alive} of ${health.length} nodes answer, ${2 * config.f + 1} must observe. Silent: ${names(silent)}.`,
    };
  if (!goesOn && alive < config.quorum)
    return {
      reason: 'too_few_signers',
      detail: `${alive} of ${health.length} nodes answer, ${config.quorum} must sign. Silent: ${names(silent)}.`,
    };
  if (!goesOn) return { reason: 'no_rounds', detail: 'The nodes answer, and no round was finished.' };
  if (rounds.length > 0 && lastTransmission && lastTransmission.status !== 'success')
    return {
      reason: 'transmission_fails',
      detail: `The last transmission ended as ${lastTransmission.status}${lastTransmission.reason ? `: ${lastTransmission.reason}` : ''}.`,
    };
  return { reason: 'not_reported', detail: 'Rounds go on, and none of the last ones reported a price of this vault.' };
}

/** When the next price is due, how late it is (0: not yet), and what keeps it. Chain time. */
export function latenessOf(
  config: ConfigDocument,
  health: readonly NodeHealth[],
  newestRound: RoundDocument | undefined,
  price: PriceState,
  now: { chain: Date; wall: Date },
): Lateness {
  const pace = Math.max(price.minIntervalSeconds, config.heartbeat_seconds) + 2 * config.round_seconds;
  const dueAt = new Date(price.lastUpdate.getTime() + pace * 1_000);
  const goesOn = newestRound !== undefined && now.wall.getTime() - newestRound.finished_at.getTime() <= quietMs(config);
  return {
    dueAt,
    lateMs: Math.max(0, now.chain.getTime() - dueAt.getTime()),
    ...whyLate(config, health, price, goesOn),
  };
}
