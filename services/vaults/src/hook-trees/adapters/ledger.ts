import { randomUUID } from 'node:crypto';
import { AuditRecorded } from '@castellan/contracts';
import { currentRequestId, type Outbox } from '@castellan/service-kit';
import { getAddress } from 'viem/utils';
import type { AuditEvent, MerkleCollections, Owing } from '../models/hook-trees.ts';

type Written = {
  action: string;
  actor: string;
  at: Date;
  vault?: { chain_id: number; vault_address: string };
  details: Record<string, unknown>;
  requestId?: string | null;
};

/** The audit row of a write. */
export const writtenBy = ({ action, actor, at, vault, details, requestId }: Written): AuditEvent => ({
  id: `merkle:${randomUUID()}`,
  timestamp: at.toISOString(),
  category: 'write',
  action_type: action,
  vault_address: vault?.vault_address ?? null,
  chain_id: vault?.chain_id ?? null,
  actor_wallet: getAddress(actor),
  details,
  tx_hash: null,
  request_id: requestId ?? currentRequestId() ?? null,
});

const owingNames = ['hooks', 'configs', 'active', 'jobs'] as const;
export type OwingName = (typeof owingNames)[number];
type OwingDocument = Owing & { _id: string };
type Owings = {
  findOne(filter: object): Promise<OwingDocument | null>;
  find(filter: object): { limit(count: number): { toArray(): Promise<OwingDocument[]> } };
  updateOne(filter: object, update: object): Promise<unknown>;
};

const PASS = 100;

/** Pays the audit rows that documents owe; each was stored together with the write it tells of. */
export function merkleLedger(collections: MerkleCollections, outbox: Pick<Outbox, 'add'>) {
  const of = (name: OwingName) => collections[name] as unknown as Owings;
  const pay = async (name: OwingName, { _id, owed }: OwingDocument) => {
    for (const event of owed) {
      await outbox.add(AuditRecorded, event, { msgId: event.id });
      await of(name).updateOne({ _id }, { $pull: { owed: { id: event.id } } });
    }
  };
  return {
    async settle(name: OwingName, id: string): Promise<void> {
      const document = await of(name).findOne({ _id: id });
      if (document) await pay(name, document);
    },
    /** What a process that was killed left unpaid. */
    async sweep(): Promise<void> {
      for (const name of owingNames)
        for (const document of await of(name)
          .find({ 'owed.id': { $exists: true } })
          .limit(PASS)
          .toArray())
          await pay(name, document);
    },
  };
}
export type MerkleLedger = ReturnType<typeof merkleLedger>;
