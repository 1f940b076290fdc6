import { RotateCcw } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from 'react-aria-components';
import { Citations } from '../ai/citations.tsx';
import { distinct } from '../ai/cited.ts';
import { unplaced } from '../ai/cited-places.ts';
import { CitedTexts } from '../ai/cited-text.tsx';
import { UntracedNotice } from '../ai/marked-text.tsx';
import type { AnalyticsId } from '../data/use-analytics.ts';
import { CopyButton } from '../design/address-tag.tsx';
import type { ReceiptOf } from '../receipts/receipt.ts';
import { AnswerText } from './markdown.tsx';
import { ProblemNotice } from './problem-notice.tsx';
import type { Live, Message } from './protocol.ts';
import { ToolCalls } from './tools.tsx';

export type Source = ReceiptOf<AnalyticsId>['source'];

/** What somebody asked: text, and nothing in it is markup. */
export const Question = ({ text }: { text: string }) => (
  <div data-question className="ml-auto max-w-[85%] rounded-card bg-raised px-3 py-2">
    <span className="sr-only">You asked: </span>
    <span dir="auto" className="break-words whitespace-pre-wrap">
      {text}
    </span>
  </div>
);

const Bubble = ({ children }: { children: ReactNode }) => (
  <div className="flex min-w-0 flex-col gap-2">
    <span className="sr-only">Answer: </span>
    {children}
  </div>
);

type AnswerProps = { message: Message; source: Source; onRetry?: (() => void) | undefined };

/** A finished answer with what it rests on, and what can be done with it. */
export function Answer({ message, source, onRetry }: AnswerProps) {
  const { text, status, tools, citations, ungrounded_figures: untraced, created_at, problem } = message;
  // The figures of an answer that was given earlier are those of then.
  const from = { source, tools, moment: created_at === null ? undefined : { at: created_at } };
  return (
    <Bubble>
      <ToolCalls tools={tools} />
      {text === '' ? null : (
        <CitedTexts citations={distinct(citations)} {...from}>
          <AnswerText text={text} doubtful={untraced} />
        </CitedTexts>
      )}
      {status === 'stopped' ? <p className="text-13 text-muted">You stopped this answer.</p> : null}
      {problem === null ? null : (
        <ProblemNotice title="This answer is not complete" problem={problem} onRetry={onRetry} />
      )}
      <UntracedNotice doubtful={untraced} />
      <Citations citations={unplaced(citations, [text])} {...from} />
      <span className="flex gap-1">
        {text === '' ? null : <CopyButton value={text} what="answer" />}
        {onRetry === undefined || problem !== null ? null : (
          <Button
            aria-label="Ask this again"
            onPress={onRetry}
            className="grid size-6 place-items-center rounded text-muted hover:bg-raised hover:text-text"
          >
            <RotateCcw size={14} aria-hidden="true" />
          </Button>
        )}
      </span>
    </Bubble>
  );
}

/** The answer that is coming. What is doubtful in it is marked by the server as it comes. */
export const ComingAnswer = ({ answer, isStopping }: { answer: Live; isStopping: boolean }) => (
  <Bubble>
    <ToolCalls tools={answer.tools} />
    {answer.text === '' ? null : <AnswerText text={answer.text} doubtful={[]} />}
    <p className="text-13 text-muted">
      {isStopping ? 'Stopping' : answer.isResuming ? 'Catching up' : answer.text === '' ? 'Looking' : 'Writing'}
      <span aria-hidden="true">…</span>
    </p>
  </Bubble>
);
