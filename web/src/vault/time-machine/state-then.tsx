import { Card } from '../../design/card.tsx';
import { RowSkeletons } from '../../design/states.tsx';
import { formatUtc } from '../../format/time.ts';
import { useMoment } from '../../moment/use-moment.ts';
import { ReadFailure } from '../../receipts/read-failure.tsx';
import { useRead } from '../../receipts/use-read.ts';
import type { Shown } from '../vault-gate.tsx';
import { comparedRows, type MomentReads } from './comparison.ts';
import { observedWords } from './observed-words.ts';

const none: MomentReads = {
  overview: undefined,
  pps: undefined,
  risk: undefined,
  state: undefined,
  allocation: undefined,
  operations: undefined,
  mandate: undefined,
};

/** Settings and roles as they were at the moment of the page; nothing on a page of the present. */
export function StateThen({ shown }: { shown: Shown }) {
  const { at } = useMoment();
  return at === undefined ? null : <AsItWas shown={shown} at={at} />;
}

function AsItWas({ shown, at }: { shown: Shown; at: string }) {
  const read = useRead(shown, 'analyticsState');
  const { data: state, isError } = read.result;
  const reads = { ...none, state };
  return (
    <Card className="flex flex-col gap-3">
      <h3 className="label-caps">{`As it was at ${formatUtc(at)}`}</h3>
      <ReadFailure of={read} what="Settings and roles of this moment" />
      {state === undefined ? (
        isError ? null : (
          <RowSkeletons rows={4} />
        )
      ) : (
        <>
          <dl className="grid grid-cols-1 gap-x-8 text-13 lg:grid-cols-2">
            {comparedRows(shown.vault, [reads, reads]).map(({ name, values }) => (
              <div key={name} className="flex min-h-9 items-center justify-between gap-4 border-b py-1">
                <dt className="text-muted">{name}</dt>
                <dd className="text-right">{values[1]}</dd>
              </div>
            ))}
          </dl>
          <p className="text-12 text-muted">{observedWords(state)}</p>
        </>
      )}
    </Card>
  );
}
