import { z } from 'zod';
import { action } from '../action.ts';
import { Receipt } from './figures.ts';
import { rangeParams } from './request.ts';

/** What can be downloaded of a vault. */
export const exportDatasets = ['pps', 'transactions', 'users', 'fees', 'redemptions'] as const;
/** `ndjson`: one JSON object per line. */
export const exportFormats = ['csv', 'json', 'ndjson'] as const;

/** The columns of a dataset with their types, for the header of a file. */
export const exportColumn = z.object({
  name: z.string(),
  type: z.enum(['time', 'integer', 'number', 'text']),
});

/**
 * One page of an export, oldest first; the gateway turns pages into one streamed file. `next` is where the following page
 * begins, null after the last. Pages of one export share its block, so that a file is of one moment.
 */
export const ExportPage = action('v1.analytics.exportPage', {
  callers: { user: 'read', services: ['gateway'] },
  params: rangeParams({
    dataset: z.enum(exportDatasets),
    after: z.string().max(200).optional(),
    limit: z.int().min(1).max(1000).default(500),
  }),
  result: z.object({
    block_number: z.int(),
    columns: z.array(exportColumn),
    rows: z.array(z.array(z.union([z.string(), z.number(), z.null()]))),
    next: z.string().nullable(),
    /** With `receipt`: of each row, those of its figures by column. */
    receipts: z.array(z.record(z.string(), Receipt)).optional(),
  }),
});
