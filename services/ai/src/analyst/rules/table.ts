import type { ContextFigure } from '../../domain/figure.ts';
import { say } from '../../domain/say.ts';
import { type Ground, type Phrase, plain, together, writerOn } from './writer.ts';

const mostRows = 12;
const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** Lines of a table below its head; those that could not be written are left out, and nothing is left of an empty table. */
export function table(head: readonly string[], rows: readonly (Phrase | null)[]): Phrase | null {
  const written = rows.filter((row) => row !== null).slice(0, mostRows);
  if (written.length === 0) return null;
  const line = (cells: readonly string[]) => plain(`| ${cells.join(' | ')} |`);
  return together([line(head), line(head.map(() => '---')), ...written], '\n');
}

/** Figures as a table: each behind its own label, those without a value left out. */
export function tableOf(figures: readonly (ContextFigure | null)[], ground: Ground): Phrase | null {
  const { phrase } = writerOn(ground);
  const rows = figures.map((figure) =>
    figure === null || say(figure) === null ? null : phrase`| ${capital(figure.label)} | ${figure} |`,
  );
  return table(['Figure', 'Value'], rows);
}
