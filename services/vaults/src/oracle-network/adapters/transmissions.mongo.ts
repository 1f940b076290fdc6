import { Transmission } from '@castellan/contracts';
import { foundAndTotal, pageOf, placeIn } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { type TransmissionDocument, transmissionCollection } from '../models/transmission.ts';

export type TransmissionPage = {
  transmissions: Transmission[];
  total: number;
  has_more: boolean;
  next_cursor: string | null;
};

export type TransmissionStore = {
  /** Storing the same one again changes nothing. @returns its key. */
  save(transmission: Transmission): Promise<string>;
  /** Newest first. */
  latest(limit: number): Promise<Transmission[]>;
  /** Of one vault, newest first. @returns undefined for a cursor this list did not return. */
  page(chainId: number, vault: string, limit: number, cursor?: string): Promise<TransmissionPage | undefined>;
  /** Of one round, oldest first: those of a window of time, for numbers of rounds begin anew with each configuration. */
  ofRound(round: { epoch: number; round: number; from: Date; to: Date }): Promise<Transmission[]>;
  /** Stored prices by transmitter, lower case, since an ISO time. */
  successesSince(time: string): Promise<Map<string, number>>;
};

const shown = ({ _id, vault: _vault, sent_at: _sentAt, ...transmission }: TransmissionDocument): Transmission => ({
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
      const { chain_id, strategy_address, report_timestamp, transmitter, tx_hash, status } = transmission;
      const _id = [chain_id, strategy_address, report_timestamp, transmitter, tx_hash ?? '-', status]
        .join(':')
        .toLowerCase();
      const vault = transmission.vault_address?.toLowerCase() ?? null;
      await transmissions.replaceOne(
        { _id },
        { ...transmission, vault, sent_at: new Date(transmission.t) },
        { upsert: true },
      );
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
