import { defineCollection } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { z } from 'zod';
import type { PreparedDocument } from '../domain/prepared-call.ts';

export const preparedCalls = defineCollection({
  name: 'prepared_calls',
  kept: 'truth',
  about: 'Calls prepared for signing, and what became of them.',
  shape: z.custom<PreparedDocument>(),
  indexes: [
    { keys: { chain_id: 1, vault: 1, place: -1 }, unique: true },
    { keys: { chain_id: 1, status: 1, expires_at: 1 }, only: { settled: false } },
    { keys: { chain_id: 1, 'tx.hash': 1 }, only: { 'tx.hash': { $exists: true } } },
  ],
  migrations: [
    {
      version: 2,
      run: async (connection) => {
        const renamed = { 'tx.told_at': 'tx.reported_at', 'tx.told_by': 'tx.reported_by' };
        const former = { 'tx.told_at': { $exists: true } };
        await connection.collection('prepared_calls').updateMany(former, { $rename: renamed });
      },
    },
  ],
});

/** Long after a call of a depositor has run out of time, and its transaction is settled. */
const KEPT_SECONDS = 30 * 86_400;

/** Apart from those of managers, so that strangers can neither fill their lists nor a backup. */
export const depositorCalls = defineCollection({
  name: 'depositor_calls',
  kept: 'transient',
  about: 'Calls that wallets prepared for their own positions, and what became of them; for 30 days.',
  shape: z.custom<PreparedDocument>(),
  indexes: [
    { keys: { prepared_by: 1, status: 1, expires_at: 1 } },
    { keys: { chain_id: 1, _id: 1 }, only: { settled: false } },
    { keys: { chain_id: 1, 'tx.hash': 1 }, only: { 'tx.hash': { $exists: true } } },
    { keys: { expires_at: 1 }, ttlSeconds: KEPT_SECONDS },
  ],
});

export const preparedCollection = (connection: Connection) => preparedCalls.open(connection);
export const depositorCollection = (connection: Connection) => depositorCalls.open(connection);
