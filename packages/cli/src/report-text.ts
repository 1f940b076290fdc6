import type { ReportSection, ReportTable, ReportUnit, VaultReport } from '@castellan/contracts';
import { formatAmount } from '@castellan/sdk';
import { columns, visible } from './usage.ts';

type Value = string | number | null;

/** A value with its unit, exact where it is an amount; `n/a` for what is not known. */
function shown(value: Value, unit: ReportUnit, report: VaultReport): string {
  if (value === null) return 'n/a';
  const text = String(value);
  switch (unit) {
    case 'asset':
      return `${formatAmount(text, report.asset_decimals)} ${report.asset_symbol}`;
    case 'shares':
      return `${formatAmount(text, report.share_decimals)} ${report.vault_symbol}`;
    case 'wei':
      return `${formatAmount(text, 18)} ${report.native_symbol}`;
    case 'pps':
      return formatAmount(text, report.pps_precision.length - 1);
    case 'fraction':
      return `${(Number(value) * 100).toFixed(2)}%`;
    case 'usd':
      return `${Number(value).toFixed(2)} USD`;
    case 'seconds':
      return `${text} s`;
    case 'bps':
      return `${text} bp`;
    default:
      return text;
  }
}

function tableText({ title, columns: heads, rows, total }: ReportTable, report: VaultReport): string {
  const cells = rows.map((row) => heads.map(({ unit }, index) => shown(row[index]?.value ?? null, unit, report)));
  const all = [heads.map(({ label }) => label), ...cells].map(([first = '', ...rest]) => [`  ${first}`, ...rest]);
  const left = total > rows.length ? `  ${total - rows.length} more\n` : '';
  return rows.length === 0 ? '' : `\n  ${visible(title)}\n${columns(all)}${left}`;
}

function sectionText({ title, notes, figures, tables }: ReportSection, report: VaultReport): string {
  const rows = figures.map(({ label, value, unit, note }) => [
    `  ${label}`,
    shown(value, unit, report),
    note === null ? '' : `(${note})`,
  ]);
  const said = notes.map((note) => `  ${visible(note)}\n`).join('');
  return `\n${visible(title)}\n${said}${columns(rows)}${tables.map((table) => tableText(table, report)).join('')}`;
}

/** A report for the terminal: its figures and tables. Charts and receipts are in its JSON and on its page. */
export function reportText(report: VaultReport): string {
  const { vault_name, vault_symbol, chain_id, vault_address, period, state, edition, as_of, block_number } = report;
  const lines = [
    visible(`${vault_name} (${vault_symbol}), ${period}: ${state}, ${edition} edition`),
    `${chain_id}:${vault_address} as of ${as_of}, block ${block_number}, formulas ${report.formulas_version}`,
  ];
  return `${lines.join('\n')}\n${report.sections.map((section) => sectionText(section, report)).join('')}`;
}
