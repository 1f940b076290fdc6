import { z } from 'zod';
import { Address, ChainIdParam } from '../primitives.ts';
import { route } from '../route.ts';
import { Month } from './month.ts';
import { GetVaultReport, ReportEdition, reportFormats } from './report.ts';

/** The report that is sent to those who put money into a vault. */
export const reports = {
  /** @example const report = JSON.parse(await client.vaultReport({ params: vault, query: { period: '2026-10' } })); */
  vaultReport: route({
    id: 'vaultReport',
    method: 'GET',
    path: '/api/v1/vaults/{chain_id}/{vault_address}/report',
    auth: 'optional',
    rate: 'prepare',
    scope: 'read',
    params: z.strictObject({ chain_id: ChainIdParam, vault_address: Address }),
    query: z.strictObject({
      period: Month,
      edition: ReportEdition.optional(),
      format: z.enum(reportFormats).optional(),
    }),
    body: undefined,
    result: z.string(),
    action: GetVaultReport,
    otherMedia: ['text/html'],
  }),
};
