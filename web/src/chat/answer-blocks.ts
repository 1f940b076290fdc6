/** A part of an answer: text, or a table whose first row is its head. */
type AnswerBlock = { kind: 'text'; text: string } | { kind: 'table'; rows: string[][] };

const isRow = (line: string): boolean => /^\|.*\|\s*$/.test(line);
const isRule = (line: string): boolean => /^\|(?:\s*:?-{3,}:?\s*\|)+\s*$/.test(line);
const cellsOf = (line: string): string[] =>
  line
    .trim()
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim());

/** An answer in blocks: lines between bars are rows of a table, everything else is text. */
export function answerBlocks(text: string): AnswerBlock[] {
  const blocks: AnswerBlock[] = [];
  for (const line of text.split('\n')) {
    const last = blocks.at(-1);
    if (isRow(line)) {
      if (isRule(line)) continue;
      if (last?.kind === 'table') last.rows.push(cellsOf(line));
      else blocks.push({ kind: 'table', rows: [cellsOf(line)] });
    } else if (last?.kind === 'text') last.text += `\n${line}`;
    else blocks.push({ kind: 'text', text: line });
  }
  return blocks.filter((block) => block.kind === 'table' || block.text.trim() !== '');
}
