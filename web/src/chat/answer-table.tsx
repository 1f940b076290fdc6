import { CitedText } from '../ai/cited-text.tsx';
import type { Doubtful } from '../ai/ungrounded.ts';

type Props = { rows: readonly string[][]; doubtful: readonly Doubtful[] };

/** Figures of an answer, each row behind its name. Cells are text. */
export function AnswerTable({ rows: [head = [], ...rows], doubtful }: Props) {
  return (
    <div className="overflow-x-auto">
      <table className="w-full text-13">
        <thead>
          <tr className="border-b text-left text-muted">
            {head.map((cell) => (
              <th key={cell} scope="col" className="py-1 pr-3 font-medium">
                {cell}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells) => (
            <tr key={cells.join('|')} className="border-b last:border-0">
              {cells.map((cell, place) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: cells of a row do not move
                <td key={place} className={place === 0 ? 'py-1 pr-3' : 'py-1 pr-3 tabular-nums'}>
                  <CitedText text={cell} doubtful={doubtful} name={place === 0 ? undefined : cells[0]} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
