import type { ReportFigure, ReportSection, ReportTable, ReportUnit, VaultReport } from '@castellan/contracts';
import { chartSvg } from './chart.ts';
import { style } from './style.ts';
import { escapeHtml, valueText } from './text.ts';

const facts: readonly ReportUnit[] = ['text', 'time', 'address', 'hash'];
const classOf = (unit: ReportUnit): string => (facts.includes(unit) ? '' : ' class="figure"');
const receiptHtml = (receipt: string | null): string =>
  receipt === null ? '' : `<span class="receipt">${escapeHtml(receipt)}</span>`;
const noteHtml = (note: string): string => `<p class="note">${escapeHtml(note)}</p>`;

function figuresHtml(figures: readonly ReportFigure[], report: VaultReport): string {
  if (figures.length === 0) return '';
  const rows = figures.map(({ label, value, unit, receipt, note }) => {
    const reason = note === null ? '' : `<span class="note"> (${escapeHtml(note)})</span>`;
    const shown = escapeHtml(valueText(value, unit, report));
    return `<tr><th scope="row">${escapeHtml(label)}${reason}${receiptHtml(receipt)}</th><td class="figure">${shown}</td></tr>`;
  });
  return `<table><tbody>${rows.join('')}</tbody></table>`;
}

function tableHtml({ title, columns, rows, total }: ReportTable, report: VaultReport): string {
  const heading = `<h3>${escapeHtml(title)}</h3>`;
  if (rows.length === 0) return `${heading}<p class="note">None.</p>`;
  const head = columns.map(({ label, unit }) => `<th scope="col"${classOf(unit)}>${escapeHtml(label)}</th>`).join('');
  const body = rows.map((cells) => {
    const shown = cells.map(({ value, receipt }, at) => {
      const unit = columns[at]?.unit ?? 'text';
      return `<td${classOf(unit)}>${escapeHtml(valueText(value, unit, report))}${receiptHtml(receipt)}</td>`;
    });
    return `<tr>${shown.join('')}</tr>`;
  });
  const more = total > rows.length ? noteHtml(`The first ${rows.length} of ${total}.`) : '';
  return `${heading}<div class="scroll"><table><thead><tr>${head}</tr></thead><tbody>${body.join('')}</tbody></table></div>${more}`;
}

function sectionHtml({ id, title, notes, figures, tables, charts }: ReportSection, report: VaultReport): string {
  const pictures = charts.map((chart) => {
    const receipts = chart.points[0] ? receiptHtml(`${chart.points[0].receipt.replace('.0.', '.*.')}`) : '';
    const picture = chartSvg(chart, (value) => valueText(value, chart.unit, report));
    return `<h3>${escapeHtml(chart.title)}</h3>${picture}${receipts}`;
  });
  return [
    `<section id="${id}"><h2>${escapeHtml(title)}</h2>`,
    ...notes.map(noteHtml),
    figuresHtml(figures, report),
    ...pictures,
    ...tables.map((table) => tableHtml(table, report)),
    '</section>',
  ].join('');
}

const readsHtml = ({ reads }: VaultReport): string =>
  [
    '<section id="receipts"><h2>Receipts</h2>',
    noteHtml(
      'Below each figure is the id of its receipt: a question of this list, a colon, and the path of the figure in the receipts of its answer. Each command computes all figures of its question again.',
    ),
    '<div class="scroll"><table><tbody>',
    ...reads.map(
      ({ id, address, verify }) =>
        `<tr><th scope="row">${escapeHtml(id)}</th><td><span class="receipt">${escapeHtml(address)}</span><span class="receipt">${escapeHtml(verify)}</span></td></tr>`,
    ),
    '</tbody></table></div></section>',
  ].join('');

/**
 * A report as one page: no script, no file beside it, for reading and for printing.
 * @param sha256 - Of the same report as JSON.
 */
export function reportHtml(report: VaultReport, sha256: string): string {
  const { vault_name, vault_symbol, vault_address, chain_name, chain_id, period, from, to, state, edition } = report;
  const title = `${vault_name} (${vault_symbol}), report of ${period}`;
  const preview = `Preview as of ${to}: ${period} is not final. Its figures change until it is, and nothing of this page is kept.`;
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">',
    `<title>${escapeHtml(title)}</title><style>${style}</style></head><body><main>`,
    `<h1>${escapeHtml(title)}</h1>`,
    noteHtml(`${vault_address} on ${chain_name} (chain ${chain_id}). ${from} to ${to}, block ${report.block_number}.`),
    ...(state === 'preview' ? [`<p class="preview" role="status">${escapeHtml(preview)}</p>`] : []),
    ...(edition === 'full' ? [noteHtml('Full edition: with alerts, for people with a role on the vault.')] : []),
    ...report.sections.map((section) => sectionHtml(section, report)),
    readsHtml(report),
    `</main><footer><p>Formulas version ${escapeHtml(report.formulas_version)}. SHA-256 of this report as JSON: ${sha256}.</p></footer></body></html>`,
    '\n',
  ].join('');
}
