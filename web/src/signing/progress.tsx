import { CircleCheck, CircleDashed, CircleX } from 'lucide-react';
import type { Api } from '../app/api.ts';
import { AddressTag } from '../design/address-tag.tsx';
import { Failure } from '../design/states.tsx';

export type Transaction = Awaited<ReturnType<Api['transaction']>>;

/** True once nothing more will happen to the transaction that this page waits for. */
export const isSettled = (transaction: Transaction | undefined): boolean => {
  if (transaction === undefined) return false;
  if (transaction.status === 'reverted' || transaction.status === 'replaced') return true;
  return transaction.status === 'mined' && transaction.indexed;
};

type Step = { word: string; state: 'done' | 'now' | 'later' | 'failed' };

export function stepsOf(transaction: Transaction | undefined): Step[] {
  if (transaction?.status === 'reverted') {
    const reason = transaction.revert_reason ?? 'no reason given';
    return [
      { word: 'Sent', state: 'done' },
      { word: `The chain refused it: ${reason}. Nothing changed.`, state: 'failed' },
    ];
  }
  if (transaction?.status === 'replaced') {
    return [
      { word: 'Sent', state: 'done' },
      { word: 'Another transaction took its place in the wallet. This one will not happen.', state: 'failed' },
    ];
  }
  const isMined = transaction?.status === 'mined';
  const block = transaction?.block_number ?? null;
  return [
    { word: 'Sent', state: 'done' },
    {
      word: isMined ? `Mined${block === null ? '' : ` in block ${block}`}` : 'Waiting for a block',
      state: isMined ? 'done' : 'now',
    },
    {
      word: isMined && transaction.indexed ? 'Indexed: the change is in force everywhere' : 'Indexed',
      state: isMined ? (transaction.indexed ? 'done' : 'now') : 'later',
    },
  ];
}

const looks = { done: 'text-accent', now: 'text-text', later: 'text-muted', failed: 'text-danger' } as const;

function StepIcon({ state }: { state: Step['state'] }) {
  if (state === 'done') return <CircleCheck size={16} aria-hidden="true" />;
  if (state === 'failed') return <CircleX size={16} aria-hidden="true" />;
  return <CircleDashed size={16} aria-hidden="true" className={state === 'now' ? 'keep-loading' : undefined} />;
}

type Props = {
  hash: string;
  transaction: Transaction | undefined;
  error: unknown;
  explorerUrl: string | null | undefined;
};

export function Progress({ hash, transaction, error, explorerUrl }: Props) {
  return (
    <section aria-label="Transaction progress" className="flex flex-col gap-2 rounded-control border p-3">
      <AddressTag value={hash} what="transaction hash" kind="tx" explorerUrl={explorerUrl} />
      <ol role="status" className="flex flex-col gap-1">
        {stepsOf(transaction).map(({ word, state }) => (
          <li key={word} className={`flex items-center gap-2 text-13 ${looks[state]}`}>
            <StepIcon state={state} />
            {word}
          </li>
        ))}
      </ol>
      {error == null ? null : <Failure error={error} title="Its state could not be read; the page keeps asking" />}
    </section>
  );
}
