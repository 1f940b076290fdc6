import { defineCollection } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { z } from 'zod';
import type { NetworkHour } from '../domain/network-hour.ts';
import type { MarkDocument, MembershipDocument, TransactionDocument } from '../domain/validator-network.ts';
import { ROUNDS_KEPT_DAYS } from './validator-network.ts';

/** A year of accounts and a month to look back at it, as transmissions. */
const HISTORY_SECONDS = 400 * 86_400;

/** One hour of the oracle network; `_id` is its beginning. */
export type HourDocument = NetworkHour & { _id: string; at: Date };

export const validatorMarks = defineCollection({
  name: 'validator_marks',
  kept: 'transient',
  about: 'What leaders said of their rounds: when each began, and whose observations were not used.',
  shape: z.custom<MarkDocument>(),
  indexes: [
    { keys: { started_at: -1, _id: -1 }, only: { open: true } },
    { keys: { started_at: 1 }, ttlSeconds: ROUNDS_KEPT_DAYS * 86_400 },
  ],
});

export const validatorTransactions = defineCollection({
  name: 'validator_transactions',
  kept: 'truth',
  about: 'Transactions of the validators with what they cost, by their receipts.',
  shape: z.custom<TransactionDocument>(),
  indexes: [
    { keys: { digest: 1, epoch: 1, round: 1 } },
    { keys: { chain_id: 1, transmitter: 1, epoch: 1, round: 1 } },
    { keys: { ended_at: 1 } },
    { keys: { at: 1 }, ttlSeconds: HISTORY_SECONDS },
  ],
});

export const validatorHours = defineCollection({
  name: 'validator_hours',
  kept: 'truth',
  about: 'What the rounds of one hour of the oracle network came to, by node and vault.',
  shape: z.custom<HourDocument>(),
  indexes: [{ keys: { at: 1 }, ttlSeconds: HISTORY_SECONDS }],
});

export const validatorMemberships = defineCollection({
  name: 'validator_memberships',
  kept: 'truth',
  about: 'The members of each configuration of the oracle network, by its digest.',
  shape: z.custom<MembershipDocument>(),
});

export const historyCollections = (connection: Connection) => ({
  marks: validatorMarks.open(connection),
  transactions: validatorTransactions.open(connection),
  hours: validatorHours.open(connection),
  memberships: validatorMemberships.open(connection),
});
