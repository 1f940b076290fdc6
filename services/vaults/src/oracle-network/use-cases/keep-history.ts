import type { SnapshotReader } from '../../vault/adapters/snapshot-store.mongo.ts';
import type { NetworkHistory, StretchRows } from '../adapters/network-history.mongo.ts';
import { HOUR_MS, type HourFacts, type Member } from '../domain/hour-facts.ts';
import { strategyKeyOf } from '../domain/keys.ts';
import { foldHour, type NetworkHour } from '../domain/network-hour.ts';
import type { ConfigDocument, MembershipDocument, NodeDocument } from '../domain/validator-network.ts';

export type HistoryPorts = {
  history: NetworkHistory;
  snapshots: Pick<SnapshotReader, 'ofStrategy'>;
  now: () => number;
};

/** Nodes report late, and the chain confirms later: an hour is added up once it has been over for so long. */
const SETTLED_MS = 10 * 60_000;
export const hourOf = (ms: number): number => Math.floor(ms / HOUR_MS) * HOUR_MS;

type Known = { memberships: MembershipDocument[]; nodes: NodeDocument[]; current: ConfigDocument | null };

type Configuration = Pick<ConfigDocument, 'digest' | 'oracles'> & { index: number | null };

/**
 * Each configuration that is known, with its members.
 * @param signer - Leaves those of which this node was a member, with its place in each.
 */
export function configurationsOf(
  { memberships, current }: Pick<Known, 'memberships' | 'current'>,
  signer?: string,
): Configuration[] {
  const kept = memberships.map(({ _id: digest, oracles }) => ({ digest, oracles }));
  const all = current && !kept.some(({ digest }) => digest === current.digest) ? [...kept, current] : kept;
  return all.flatMap(({ digest, oracles }): Configuration[] => {
    if (signer === undefined) return [{ digest, oracles, index: null }];
    const own = oracles.find((oracle) => oracle.signer.toLowerCase() === signer.toLowerCase());
    return own ? [{ digest, oracles, index: own.index }] : [];
  });
}

/** Who the nodes of a configuration are; none of one that no node reported. */
export function membersOf(known: Known): (digest: string) => readonly Member[] {
  const found = new Map<string, readonly Member[]>();
  const configurations = configurationsOf(known);
  return (digest) => {
    const before = found.get(digest);
    if (before) return before;
    const oracles = configurations.find((one) => one.digest === digest)?.oracles ?? [];
    const members = oracles.map(({ index, signer, transmitter }) => ({
      key: signer.toLowerCase(),
      index,
      node_id: known.nodes.find((node) => node.digest === digest && node.node_index === index)?._id ?? null,
      signer,
      transmitter,
    }));
    found.set(digest, members);
    return members;
  };
}

/** As often as a price must be stored, and two rounds on top; null while the vault or the network's rules are not known. */
export async function pacesOf(
  { snapshots }: Pick<HistoryPorts, 'snapshots'>,
  current: ConfigDocument | null,
  keys: readonly string[],
): Promise<HourFacts['paceOf']> {
  const paces = new Map<string, number>();
  for (const key of current ? keys : []) {
    const [chain = '', strategy = ''] = key.split(':');
    const snapshot = await snapshots.ofStrategy(Number(chain), strategy);
    if (!snapshot || !current) continue;
    const least = snapshot.detail.pps_config.min_update_interval_seconds;
    paces.set(key, (Math.max(least, current.heartbeat_seconds) + 2 * current.round_seconds) * 1_000);
  }
  return (key) => paces.get(key) ?? null;
}

/** A stretch of time, added up. @param until - What began after it may still end. */
export async function foldStretch(
  ports: HistoryPorts,
  rows: StretchRows,
  { from, until }: { from: number; until?: number },
): Promise<NetworkHour> {
  const known = await ports.history.memberships();
  const prices = rows.prices.map(({ chain_id, strategy_address, status, t, report_timestamp }) => ({
    key: strategyKeyOf(chain_id, strategy_address),
    status,
    at: Date.parse(t),
    reportedFor: Date.parse(report_timestamp),
  }));
  const marks =
    until === undefined
      ? rows.marks
      : rows.marks.filter(({ _id, started_at }) => rows.finished.has(_id) || started_at.getTime() < until);
  const paceOf = await pacesOf(ports, known.current, [...new Set(prices.map(({ key }) => key))]);
  return foldHour({ ...rows, marks, from, prices, membersOf: membersOf(known), paceOf });
}

/**
 * Adds up each hour once it is over, as the rounds of the next one come in: no timer asks the store for it. Rounds are forgotten after
 * some days, hours are not. Done twice, or by two instances, it comes to the same.
 */
export function hourKeeper(ports: HistoryPorts): (t: string) => Promise<void> {
  const { history, now } = ports;
  let next: number | undefined;
  const firstDue = async (): Promise<number | undefined> => {
    const last = await history.lastHour();
    if (last) return last.getTime() + HOUR_MS;
    const first = await history.firstRound();
    return first ? hourOf(first.getTime()) : undefined;
  };
  return async (t) => {
    // A node whose clock is ahead must not end an hour that goes on.
    const end = hourOf(Math.min(Date.parse(t), now()) - SETTLED_MS);
    if (next !== undefined && next >= end) return;
    next ??= await firstDue();
    while (next !== undefined && next < end) {
      const [from, to] = [next, next + HOUR_MS];
      const rows = await history.stretch(new Date(from), new Date(to));
      const isEmpty = rows.rounds.length + rows.marks.length + rows.transactions.length + rows.prices.length === 0;
      if (!isEmpty) await history.saveHour(new Date(from), await foldStretch(ports, rows, { from }));
      next = to;
    }
  };
}
