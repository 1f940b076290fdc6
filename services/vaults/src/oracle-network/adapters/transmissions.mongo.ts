import { type EventData, type PriceTransmitted, Transmission } from '@castellan/contracts';
import { foundAndTotal, pageOf, placeIn } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { type TransmissionDocument, transmissionCollection } from '../models/transmission.ts';

export type TransmissionPage = {
  transmissions: Transmission[];
  total: number;
  has_more: boolean;
  next_cursor: string | null;
};

type Reported = EventData<typeof PriceTransmitted>;

export type TransmissionStore = {
  /**
   * Storing the same one again changes nothing. What was stored of the same transmission before gives way: a reorganisation undid it.
   * @returns its key; undefined when something later is known of the transmission.
   */
  save(transmission: Reported): Promise<string | undefined>;
  /** Newest first. */
  latest(limit: number): Promise<Transmission[]>;
  /** Of one vault, newest first. @returns undefined for a cursor this list did not return. */
  page(chainId: number, vault: string, limit: number, cursor?: string): Promise<TransmissionPage | undefined>;
  /** Of one round, oldest first: those of a window of time, for numbers of rounds begin anew with each configuration. */
  ofRound(round: { epoch: number; round: number; from: Date; to: Date }): Promise<Transmission[]>;
  /** Stored prices by transmitter, lower case, since an ISO time. */
  successesSince(time: string): Promise<Map<string, number>>;
};

/** The price and who sent it, with which the ids of its rows begin. */
const priceOf = ({ chain_id, strategy_address, report_timestamp, transmitter }: Reported): string =>
  [chain_id, strategy_address, report_timestamp, transmitter].join(':').toLowerCase();

/** A transmission that was reverted and is tried again is another one, with another hash. */
const isSame = (a: Reported, b: Reported): boolean =>
  (a.tx_hash !== null && a.tx_hash === b.tx_hash) ||
  (a.transmission_id !== undefined && a.transmission_id === b.transmission_id);

const shown = ({
  _id,
  vault: _vault,
  sent_at: _sentAt,
  transmission_id: _transmissionId,
  ...transmission
}: TransmissionDocument): Transmission => ({
  ...transmission,
  // Older ones were reported before rounds were.
  epoch: transmission.epoch ?? null,
  round: transmission.round ?? null,
  node_id: transmission.node_id ?? null,
});

/** Logs and counts a malformed document: others may be able to write to the store. */
export type Distrust = (collection: string, id: unknown) => void;

const placeOf = ({ t, _id }: TransmissionDocument): string => `${t} ${_id}`;

function keysIn(cursor: string): { t: string; _id: string } | undefined {
  const [, t, _id] = placeIn(cursor, /^([^ ]+) ([^ ]+)$/) ?? [];
  return t && _id && !Number.isNaN(Date.parse(t)) ? { t, _id } : undefined;
}

export function mongoTransmissions(connection: Connection, distrust: Distrust = () => undefined): TransmissionStore {
  const transmissions = transmissionCollection(connection);
  const sound = (found: readonly TransmissionDocument[]): Transmission[] =>
    found.flatMap((document) => {
      const read = Transmission.safeParse(shown(document));
      if (!read.success) distrust('transmissions', document._id);
      return read.success ? [read.data] : [];
    });
  const order = { t: -1, _id: -1 } as const;
  return {
    async save(transmission) {
      const { tx_hash, status, t } = transmission;
      const price = priceOf(transmission);
      const _id = `${price}:${tx_hash ?? '-'}:${status}`.toLowerCase();
      // Every id that begins with the price and a colon.
      const ofPrice = await transmissions.find({ _id: { $gt: `${price}:`, $lt: `${price};` } }).toArray();
      const others = ofPrice.filter((row) => row._id !== _id && isSame(row, transmission));
      if (others.some((row) => row.t > t)) return undefined;
      const vault = transmission.vault_address?.toLowerCase() ?? null;
      await transmissions.replaceOne(
        { _id },
        { ...transmission, vault, sent_at: new Date(transmission.t) },
        { upsert: true },
      );
      if (others.length > 0) await transmissions.deleteMany({ _id: { $in: others.map((row) => row._id) } });
      return _id;
    },
    latest: async (limit) => sound(await transmissions.find({}).sort(order).limit(limit).toArray()),
    async page(chainId, vault, limit, cursor) {
      const all = { chain_id: chainId, vault: vault.toLowerCase() };
      const from = cursor === undefined ? undefined : keysIn(cursor);
      if (cursor !== undefined && !from) return undefined;
      const older = from ? { $or: [{ t: { $lt: from.t } }, { t: from.t, _id: { $lt: from._id } }] } : {};
      const [found, total] = await foundAndTotal(
        { limit, cursor },
        () =>
          transmissions
            .find({ ...all, ...older })
            .sort(order)
            .limit(limit + 1)
            .toArray(),
        () => transmissions.countDocuments(all),
      );
      const { items, ...rest } = pageOf(found, limit, placeOf);
      return { transmissions: sound(items), total, ...rest };
    },
    async ofRound({ epoch, round, from, to }) {
      const t = { $gte: from.toISOString(), $lt: to.toISOString() };
      return sound(await transmissions.find({ t, epoch, round }).sort({ t: 1, _id: 1 }).toArray());
    },
    async successesSince(time) {
      const rows = await transmissions
        .aggregate<{ _id: string; count: number }>([
          { $match: { t: { $gte: time }, status: 'success', transmitter: { $type: 'string' } } },
          { $group: { _id: '$transmitter', count: { $sum: 1 } } },
        ])
        .toArray();
      return new Map(rows.map(({ _id, count }) => [_id.toLowerCase(), count]));
    },
  };
}
