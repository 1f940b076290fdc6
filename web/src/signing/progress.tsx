import { CircleCheck, CircleDashed, CircleX } from 'lucide-react';
import { AddressTag } from '../design/address-tag.tsx';
import { Button } from '../design/button.tsx';
import { explain } from '../design/explain.ts';
import { Failure, Notice } from '../design/states.tsx';
import { type Followed, isMined, stateOf } from './follow.ts';

type Step = { word: string; state: 'done' | 'now' | 'later' | 'failed' };

const sent: Step = { word: 'Sent', state: 'done' };

/** How it ended where the chain did not do what was asked. */
function failure({ resource, transaction }: Followed, state: string): Step | undefined {
  if (state === 'reverted') {
    const reason = resource?.revert_reason ?? transaction?.revert_reason ?? 'no reason given';
    return { word: `The chain refused it: ${reason}. Nothing changed.`, state: 'failed' };
  }
  if (state === 'replaced') {
    return {
      word: 'Another transaction took its place in the wallet. This one will not happen.',
      state: 'failed',
    };
  }
  return undefined;
}

function verification({ resource }: Followed, state: string): Step {
  if (state === 'failed_post_condition') {
    const { description = '', actual = null } = resource?.post_condition ?? {};
    const says = actual === null ? '' : ` The chain says: ${actual}.`;
    return { word: `Mined, but not in effect. Expected: ${description}${says}`, state: 'failed' };
  }
  if (state === 'verified') {
    const description = resource?.post_condition.description;
    return { word: description === undefined ? 'Verified' : `Verified: ${description}`, state: 'done' };
  }
  return { word: 'Verified on the chain', state: state === 'confirmed' ? 'now' : 'later' };
}

export function stepsOf(followed: Followed): Step[] {
  const state = stateOf(followed);
  const failed = failure(followed, state);
  if (failed !== undefined) return [sent, failed];
  const { resource, transaction } = followed;
  const mined = isMined(followed);
  const block =
    transaction?.block_number ?? resource?.history.findLast((entry) => entry.block_number !== null)?.block_number;
  const confirmed = mined && state !== 'mined';
  const verified = verification(followed, state);
  const indexed = transaction?.indexed === true;
  return [
    sent,
    {
      word: mined ? `Mined${block == null ? '' : ` in block ${block}`}` : 'Waiting for a block',
      state: mined ? 'done' : 'now',
    },
    {
      word: confirmed ? 'Confirmed' : 'Waiting for confirmations',
      state: confirmed ? 'done' : mined ? 'now' : 'later',
    },
    verified,
    {
      word: indexed ? 'Indexed: the change shows everywhere' : 'Indexed',
      state: indexed ? 'done' : mined ? 'now' : 'later',
    },
  ];
}

const looks = { done: 'text-accent', now: 'text-text', later: 'text-muted', failed: 'text-danger' } as const;

function StepIcon({ state }: { state: Step['state'] }) {
  if (state === 'done') return <CircleCheck size={16} aria-hidden="true" className="mt-0.5 shrink-0" />;
  if (state === 'failed') return <CircleX size={16} aria-hidden="true" className="mt-0.5 shrink-0" />;
  return (
    <CircleDashed
      size={16}
      aria-hidden="true"
      className={state === 'now' ? 'keep-loading mt-0.5 shrink-0' : 'mt-0.5 shrink-0'}
    />
  );
}

type Props = {
  hash: string;
  followed: Followed;
  error: unknown;
  /** Why the server does not follow the call; null while it does. */
  reportFailure: unknown;
  reportAgain?: (() => void) | undefined;
  explorerUrl: string | null | undefined;
};

export function Progress({ hash, followed, error, reportFailure, reportAgain, explorerUrl }: Props) {
  return (
    <section aria-label="Transaction progress" className="flex flex-col gap-2 rounded-control border p-3">
      <AddressTag value={hash} what="transaction hash" kind="tx" explorerUrl={explorerUrl} />
      <ol role="status" className="flex flex-col gap-1">
        {stepsOf(followed).map(({ word, state }) => (
          <li key={word} className={`flex items-start gap-2 text-13 break-words ${looks[state]}`}>
            <StepIcon state={state} />
            <span className="min-w-0">{word}</span>
          </li>
        ))}
      </ol>
      {reportFailure == null || followed.resource !== undefined ? null : (
        <Notice
          tone="warn"
          title="The server does not follow this transaction yet"
          action={reportAgain === undefined ? null : <Button onPress={reportAgain}>Report it again</Button>}
        >
          {`${explain(reportFailure).detail} The transaction itself is on its way.`}
        </Notice>
      )}
      {error == null ? null : <Failure error={error} title="Its state could not be read; the page keeps asking" />}
    </section>
  );
}
