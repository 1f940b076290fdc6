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

export const preparedCollection = (connection: Connection) => preparedCalls.open(connection);
