import type { AuditRow } from '@castellan/contracts';
import { hasOwnHash } from '../domain/audit-chain.ts';
import { isOfVault, type VaultFault, verifyVaultChain } from '../domain/vault-chain.ts';
import { type ExportFile, readExport } from './export-file.ts';

export type VerifyOptions = {
  /** The hash of a row that was the head at an earlier time. */
  head: string | undefined;
  /** The file may have been laid out anew, for instance by an editor. */
  anyLayout: boolean;
  /** The file may leave rows out by its filters. */
  filtered: boolean;
};
export type Finding = { ok: boolean; line: string };

const broken = (line: string): Finding => ({ ok: false, line: `broken: ${line}` });

const faults: Readonly<Record<VaultFault, string>> = {
  missing: 'a row is missing here, or rows are not in their order',
  altered: 'this row is not what its hash was made of',
  unlinked: 'this row is not tied to the one before it',
  foreign: 'this row is of another vault',
  truncated: 'the rows do not end where the head says',
};

const named = (row: AuditRow | undefined): string => (row ? ` (${row.action_type} of ${row.timestamp})` : '');

/** The first byte in which the file differs from what the export writes. */
function layoutFault({ text, written }: ExportFile): string | undefined {
  if (text === written) return undefined;
  const at = [...text].findIndex((character, index) => character !== written[index]);
  return `the file is not laid out as the export wrote it, from character ${at < 0 ? text.length : at}; --any-layout ignores that`;
}

/** The rows by themselves: gaps between them are the filters', or not. */
function verifyRows({ rows, opening }: ExportFile): Finding {
  let previous: AuditRow | undefined;
  for (const [index, row] of rows.entries()) {
    const position = `at row ${index + 1}${named(row)}`;
    if (!isOfVault(row, opening)) return broken(`${position}: ${faults.foreign}`);
    if (!hasOwnHash(row)) return broken(`${position}: ${faults.altered}`);
    if (previous && row.seq <= previous.seq) return broken(`${position}: ${faults.missing}`);
    const follows = row.vault_seq !== null && previous?.vault_seq === row.vault_seq - 1;
    if (follows && row.vault_prev_hash !== previous?.hash) return broken(`${position}: ${faults.unlinked}`);
    previous = row;
  }
  return {
    ok: true,
    line: `ok: ${rows.length} rows as they were written; by its filters the file leaves rows out, so a missing one cannot be noticed`,
  };
}

/** Verifies the text of an export by itself. @throws Unreadable. */
export function verifyExport(text: string, { head, anyLayout, filtered }: VerifyOptions): Finding {
  const file = readExport(text);
  const { opening, rows } = file;
  const layout = anyLayout ? undefined : layoutFault(file);
  if (layout) return broken(layout);
  if (opening.filters !== undefined && !filtered)
    return broken('the file was exported with filters and leaves rows out; export without, or say --filtered');
  if (head !== undefined && !rows.some(({ hash }) => hash === head))
    return broken(`no row has the hash ${head}, which was the head earlier`);
  if (opening.filters !== undefined) return verifyRows(file);
  const verdict = verifyVaultChain(rows, opening);
  if (verdict.ok) return { ok: true, line: `ok: ${verdict.rows} rows, head ${opening.head.hash}` };
  return broken(`at row ${verdict.position}${named(rows[verdict.position - 1])}: ${faults[verdict.fault]}`);
}
