import { AuditRow } from '@castellan/contracts';
import { z } from 'zod';
import { guardedFetch } from '../client/guarded-fetch.ts';
import type { Session } from '../client/session.ts';
import type { Exported } from './chain.ts';

export const exportFormats = ['csv', 'json', 'ndjson'] as const;
export type ExportFormat = (typeof exportFormats)[number];

type Wanted = {
  vault: { chain_id: number; vault_address: string };
  format: ExportFormat;
  query: Readonly<Record<string, string>>;
};

async function refusalOf(response: Response): Promise<Error> {
  const status = { status: response.status, detail: `The server answered ${response.status}.` };
  const isProblem = response.headers.get('content-type')?.includes('json') ?? false;
  const problem: object = isProblem ? ((await response.json()) as object) : {};
  return Object.assign(new Error(`The export was refused with ${response.status}`), status, problem);
}

/** The file of an export, as the server made it. The log is not public, so the session's token goes along. */
async function readExport(session: Session, { vault, format, query }: Wanted): Promise<Response> {
  const state = session.get();
  if (state.status !== 'signed_in') throw new Error('Sign in again to read the log.');
  const search = new URLSearchParams({
    vault_address: vault.vault_address,
    chain_id: String(vault.chain_id),
    format,
    ...query,
  });
  const get = guardedFetch(session, (...input) => window.fetch(...input));
  const response = await get(`/api/v1/audit/export?${search}`, { headers: { authorization: `Bearer ${state.token}` } });
  if (!response.ok) throw await refusalOf(response);
  return response;
}

const media: Record<ExportFormat, string> = {
  csv: 'text/csv;charset=utf-8',
  json: 'application/json',
  ndjson: 'application/x-ndjson',
};

export async function readFile(session: Session, wanted: Wanted): Promise<{ name: string; blob: Blob }> {
  const response = await readExport(session, wanted);
  return {
    name: `${wanted.vault.vault_address}-audit.${wanted.format}`,
    blob: new Blob([await response.text()], { type: media[wanted.format] }),
  };
}

const ExportFile = z.object({
  head: z.object({ vault_seq: z.int().nonnegative(), hash: z.string() }),
  rows: z.array(AuditRow.loose()),
});

/** All rows of a vault with the head the server names, oldest first. */
export async function readWhole(session: Session, vault: Wanted['vault']): Promise<Exported> {
  const response = await readExport(session, { vault, format: 'json', query: {} });
  return ExportFile.parse(await response.json());
}
