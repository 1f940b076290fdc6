import { ReportEdition } from '@castellan/contracts';
import { defineCollection } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { z } from 'zod';

const FileOfReport = z.object({ text: z.string(), sha256: z.string() });

export const vaultReports = defineCollection({
  name: 'vault_reports',
  kept: 'truth',
  about: 'Reports of final months, as the bytes that are sent.',
  shape: z.object({
    chain_id: z.number(),
    /** Lower case. */
    vault: z.string(),
    period: z.string(),
    edition: ReportEdition,
    formulas_version: z.string(),
    json: FileOfReport,
    html: FileOfReport,
    made_at: z.date(),
  }),
  indexes: [{ keys: { chain_id: 1, vault: 1, period: 1, edition: 1 }, unique: true }],
});

/** What was reported. */
export const openReportCollections = (connection: Connection) => ({ reports: vaultReports.open(connection) });
export type ReportCollections = ReturnType<typeof openReportCollections>;
