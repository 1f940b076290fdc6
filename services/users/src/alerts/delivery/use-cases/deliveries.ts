import { randomUUID } from 'node:crypto';
import type { Delivery, ListDeliveries, ParamsOf, ResultOf, TestChannel } from '@castellan/contracts';
import { type Call, cursorOf, invalidCursor, placeIn } from '@castellan/service-kit';
import type { StoredDelivery } from '../../channels/models/collections.ts';
import { isDelivery } from '../../channels/models/trusted.ts';
import { type ChannelDeps, requireManagerSomewhere, requireOwn } from '../../channels/use-cases/channels.ts';
import type { Dispatcher } from '../deliver-and-retry.ts';

export type DeliveryDeps = ChannelDeps & { dispatcher: Pick<Dispatcher, 'attempt'> };

const plainDelivery = ({ t, ...delivery }: StoredDelivery): Delivery => {
  const { _id, ...rest } = delivery as typeof delivery & { _id?: unknown };
  return { ...rest, t: t.toISOString() };
};

/** Sends an event that is part of no sequence, and answers what the log says of it. */
export const testChannel =
  (deps: DeliveryDeps) =>
  async ({ channel_id }: ParamsOf<typeof TestChannel>, call: Call): Promise<ResultOf<typeof TestChannel>> => {
    const channel = await requireOwn(deps, call, channel_id);
    await requireManagerSomewhere(call);
    const [bound] = await deps.store.bindingsOf([channel_id]);
    const event_id = `test_${randomUUID()}`;
    await deps.dispatcher.attempt(channel, undefined, {
      event_id,
      event_type: 'test',
      sequence: null,
      timestamp: deps.now().toISOString(),
      vault_address: bound?.vault_address ?? null,
      chain_id: bound?.chain_id ?? null,
      data: { alert: null, note: 'A test of this channel. Nothing is wrong.' },
    });
    return plainDelivery((await deps.store.deliveries.findOne({ event_id })) as StoredDelivery);
  };

const placeOf = ({ t, delivery_id }: StoredDelivery): string => `${t.toISOString()}|${delivery_id}`;

function afterCursor(cursor: string | undefined) {
  if (cursor === undefined) return {};
  const [, time = '', delivery_id = ''] = placeIn(cursor, /^([^|]+)\|(dl_[^|]*)$/) ?? [];
  if (Number.isNaN(Date.parse(time))) throw invalidCursor();
  const t = new Date(time);
  return { $or: [{ t: { $lt: t } }, { t, delivery_id: { $lt: delivery_id } }] };
}

export const listDeliveries =
  (deps: DeliveryDeps) =>
  async (
    { channel_id, limit, cursor }: ParamsOf<typeof ListDeliveries>,
    call: Call,
  ): Promise<ResultOf<typeof ListDeliveries>> => {
    await requireOwn(deps, call, channel_id);
    const { deliveries } = deps.store;
    const found = await deliveries
      .find({ $and: [{ channel_id }, afterCursor(cursor)] })
      .sort({ t: -1, delivery_id: -1 })
      .limit(limit + 1)
      .toArray();
    const page = found.slice(0, limit).filter(isDelivery);
    const last = page.at(-1);
    const has_more = found.length > limit;
    return {
      deliveries: page.map(plainDelivery),
      total: await deliveries.countDocuments({ channel_id }),
      has_more,
      next_cursor: has_more && last ? cursorOf(placeOf(last)) : null,
    };
  };
