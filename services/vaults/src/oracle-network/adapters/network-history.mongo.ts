import type { ConfigChanged, EventData, ObservationDropped, RoundFinished, RoundStarted } from '@castellan/contracts';
import type { Connection } from 'mongoose';
import type { NetworkHour } from '../domain/network-hour.ts';
import type {
  ConfigDocument,
  MarkDocument,
  MembershipDocument,
  NodeDocument,
  RoundDocument,
  TransactionDocument,
} from '../domain/validator-network.ts';
import { type HourDocument, historyCollections } from '../models/network-history.ts';
import { transmissionCollection } from '../models/transmission.ts';
import { validatorCollections } from '../models/validator-network.ts';
import { idOf, placeOf, type RoundPlace } from './round-place.ts';
import { Mark, Membership, Node, RecordedRound, Round, soundBy } from './sound-documents.ts';
import { type TransactionWrites, transactionWrites } from './transaction-writes.mongo.ts';
import type { Distrust } from './transmissions.mongo.ts';

/** A round that ends within this of its hour's end began in it. */
const AROUND_MS = 10 * 60_000;

/** A price that was sent, as far as an hour asks. */
export type SentRow = {
  chain_id: number;
  strategy_address: string;
  status: string;
  t: string;
  report_timestamp: string;
};

/** What one stretch of time holds; `finished`: ids of rounds that ended in it or soon after. */
export type StretchRows = {
  rounds: RoundDocument[];
  marks: MarkDocument[];
  finished: ReadonlySet<string>;
  transactions: TransactionDocument[];
  prices: SentRow[];
};

/** The oracle network over time. Every write can be done again. */
export type NetworkHistory = TransactionWrites & {
  began(event: EventData<typeof RoundStarted>): Promise<void>;
  dropped(event: EventData<typeof ObservationDropped>): Promise<void>;
  /** After the round itself is kept. */
  finished(event: EventData<typeof RoundFinished>): Promise<void>;
  members(event: EventData<typeof ConfigChanged>): Promise<void>;
  stretch(from: Date, to: Date): Promise<StretchRows>;
  memberships(): Promise<{ memberships: MembershipDocument[]; nodes: NodeDocument[]; current: ConfigDocument | null }>;
  /** Newest first. */
  hours(from: Date, to: Date): Promise<HourDocument[]>;
  firstHour(): Promise<Date | null>;
  lastHour(): Promise<Date | null>;
  firstRound(): Promise<Date | null>;
  saveHour(at: Date, hour: NetworkHour): Promise<void>;
  newestRounds(
    of: { from: Date; to: Date; strategy: string | undefined; digests: readonly string[] | undefined },
    limit: number,
  ): Promise<RoundDocument[]>;
  round(place: RoundPlace): Promise<{ round: RoundDocument | null; mark: MarkDocument | null }>;
  transactionsOf(place: RoundPlace): Promise<TransactionDocument[]>;
};

type Collections = ReturnType<typeof historyCollections>;
type Rounds = ReturnType<typeof validatorCollections>['rounds'];

function writesOf({ marks, memberships, hours }: Collections, rounds: Rounds) {
  const close = (_id: string) => marks.updateOne({ _id }, { $unset: { open: '' } });
  /** The first that is heard of a round as it runs, or after it ended: events come in any order. */
  async function mark(place: RoundPlace, first: { started_at: Date; leader: number | null }): Promise<void> {
    const _id = idOf(place);
    const fields = { ...first, digest: place.digest, open: true } as const;
    await marks.updateOne({ _id }, { $setOnInsert: fields }, { upsert: true });
    if (await rounds.findOne({ _id }, { projection: { _id: 1 } })) await close(_id);
  }
  return {
    async began({ t, ...event }) {
      await mark(placeOf(event), { started_at: new Date(t), leader: event.leader });
    },
    async dropped({ observer, reason, t, ...event }) {
      const place = placeOf(event);
      await mark(place, { started_at: new Date(t), leader: event.node_index });
      await marks.updateOne({ _id: idOf(place) }, { $addToSet: { dropped: { observer, reason } } });
    },
    async finished(event) {
      await close(idOf(placeOf(event)));
    },
    async members({ config_digest, oracles, round_seconds, heartbeat_seconds, t }) {
      const first = { $set: { oracles, round_seconds, heartbeat_seconds }, $setOnInsert: { since: new Date(t) } };
      await memberships.updateOne({ _id: config_digest ?? 'none' }, first, { upsert: true });
    },
    async saveHour(at, hour) {
      await hours.replaceOne({ _id: at.toISOString() }, { ...hour, at }, { upsert: true });
    },
  } satisfies Partial<NetworkHistory>;
}

export function mongoNetworkHistory(connection: Connection, distrust: Distrust = () => undefined): NetworkHistory {
  const isSound = soundBy(distrust);
  const collections = historyCollections(connection);
  const { marks, transactions, memberships, hours } = collections;
  const { rounds, nodes, configs } = validatorCollections(connection);
  const sent = transmissionCollection(connection);
  const edge = async (order: 1 | -1) => (await hours.find({}).sort({ at: order }).limit(1).toArray())[0]?.at ?? null;
  return {
    ...writesOf(collections, rounds),
    ...transactionWrites(transactions),
    async stretch(from, to) {
      const within = { $gte: from, $lt: to };
      const [ended, began, mined, prices] = await Promise.all([
        rounds.find({ finished_at: { $gte: from, $lt: new Date(to.getTime() + AROUND_MS) } }).toArray(),
        marks.find({ started_at: { $gte: new Date(from.getTime() - AROUND_MS), $lt: to } }).toArray(),
        // Of one transmission, what was replaced cost nothing and stored nothing.
        transactions.find({ ended_at: within, replaced_by: { $exists: false } }).toArray(),
        sent
          .find(
            { t: { $gte: from.toISOString(), $lt: to.toISOString() } },
            { projection: { chain_id: 1, strategy_address: 1, status: 1, t: 1, report_timestamp: 1 } },
          )
          .toArray(),
      ]);
      return {
        rounds: ended.filter(({ finished_at }) => finished_at < to).filter(isSound('validator_rounds', Round)),
        marks: began.filter(isSound('validator_marks', Mark)),
        finished: new Set(ended.map(({ _id }) => _id)),
        transactions: mined,
        prices,
      };
    },
    async memberships() {
      const [all, known, current] = await Promise.all([
        memberships.find({}).toArray(),
        nodes.find({}).toArray(),
        configs.findOne({ _id: 'current' }),
      ]);
      return {
        memberships: all.filter(isSound('validator_memberships', Membership)),
        nodes: known.filter(isSound('validator_nodes', Node)),
        current: current && isSound('validator_configs', Membership)(current) ? current : null,
      };
    },
    hours: (from, to) =>
      hours
        .find({ at: { $gte: from, $lt: to } })
        .sort({ at: -1 })
        .toArray(),
    firstHour: () => edge(1),
    lastHour: () => edge(-1),
    firstRound: async () => (await rounds.find({}).sort({ finished_at: 1 }).limit(1).toArray())[0]?.finished_at ?? null,
    async newestRounds({ from, to, strategy, digests }, limit) {
      const found = rounds
        .find({
          finished_at: { $gte: from, $lt: to },
          ...(strategy !== undefined && { strategies: strategy }),
          ...(digests && { digest: { $in: digests } }),
        })
        .sort({ finished_at: -1, _id: -1 })
        .limit(limit);
      return (await found.toArray()).filter(isSound('validator_rounds', RecordedRound));
    },
    async round(place) {
      const _id = idOf(place);
      const [round, mark] = await Promise.all([rounds.findOne({ _id }), marks.findOne({ _id })]);
      return { round, mark };
    },
    transactionsOf: ({ digest, epoch, round }) => transactions.find({ digest, epoch, round }).toArray(),
  };
}
