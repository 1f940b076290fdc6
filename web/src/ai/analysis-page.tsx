import type { Analysis } from '@castellan/contracts';
import { RefreshCw, Sparkles } from 'lucide-react';
import { serverNow } from '../client/server-clock.ts';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { explain } from '../design/explain.ts';
import { Empty, Failure, Notice, RowSkeletons } from '../design/states.tsx';
import { formatAgo, formatDuration, formatUtc } from '../format/time.ts';
import { useTick } from '../live/chain-clock.ts';
import { NotUpdated } from '../live/not-updated.tsx';
import type { Shown } from '../vault/vault-gate.tsx';
import { Citations } from './citations.tsx';
import { distinct } from './cited.ts';
import { unplaced } from './cited-places.ts';
import { CitedText, CitedTexts } from './cited-text.tsx';
import { UntracedNotice } from './marked-text.tsx';
import { secondsToWait, useAnalysis } from './use-analysis.ts';

/** What the figures of the vault say, in words, each figure traced to where it comes from. */
export function AnalysisPage({ shown }: { shown: Shown }) {
  const { analysis, refresh, isSignedIn, isBeingWritten } = useAnalysis(shown.vault);
  const { data } = analysis;
  return (
    <div className="mx-auto flex w-full max-w-[1200px] flex-col gap-4 px-4 py-6 sm:px-6">
      <div className="flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0">
          <h2 className="text-20 font-semibold">Analysis</h2>
          <p className="text-13 text-muted">
            What the figures say, in words. The mark behind a figure opens its receipt; one that could not be traced
            says so.
          </p>
        </div>
        <Button isDisabled={!isSignedIn || data === undefined || refresh.isPending} onPress={() => refresh.mutate()}>
          <RefreshCw size={14} aria-hidden="true" />
          {refresh.isPending ? 'Writing anew' : 'Refresh'}
        </Button>
      </div>
      {refresh.isError ? <RefreshRefused error={refresh.error} at={refresh.submittedAt} /> : null}
      {data === undefined ? (
        <Waiting error={analysis.error} isBeingWritten={isBeingWritten} retry={() => void analysis.refetch()} />
      ) : (
        <>
          {analysis.isError ? (
            <NotUpdated
              what="The analysis"
              readAt={analysis.dataUpdatedAt}
              error={analysis.error}
              retry={() => void analysis.refetch()}
            />
          ) : null}
          <Written analysis={data} shown={shown} isOld={refresh.isPending} />
        </>
      )}
    </div>
  );
}

type WaitingProps = { error: unknown; isBeingWritten: boolean; retry: () => void };

function Waiting({ error, isBeingWritten, retry }: WaitingProps) {
  if (error !== null) return <Failure error={error} title="The analysis could not be read" retry={retry} />;
  return (
    <div className="flex flex-col gap-3">
      {isBeingWritten ? (
        <Notice tone="info" title="The analysis is being written">
          It appears here by itself, usually within half a minute.
        </Notice>
      ) : null}
      <Card isFlush>
        <RowSkeletons rows={6} />
      </Card>
    </div>
  );
}

/** Why no new one came: the hour's budget with the time it is back, or the reason. */
function RefreshRefused({ error, at }: { error: unknown; at: number }) {
  const { code, detail } = explain(error);
  const seconds = secondsToWait(error);
  if (code !== 'AI_BUDGET_SPENT' && code !== 'RATE_LIMITED') {
    return <Failure error={error} title="No new analysis was written" />;
  }
  return (
    <Notice tone="warn" title="The hour’s budget of new analyses is spent">
      <p>{detail}</p>
      {seconds === undefined ? null : (
        <p>{`You can ask again in ${formatDuration(seconds)}, at ${formatUtc(at + seconds * 1_000)}.`}</p>
      )}
    </Notice>
  );
}

type WrittenProps = { analysis: Analysis; shown: Shown; isOld: boolean };

function Written({ analysis, shown, isOld }: WrittenProps) {
  const { sections, summary, highlights, ungrounded_figures: untraced } = analysis;
  const inPart = (part: string) => untraced.filter(({ section }) => section === part);
  if (sections.length === 0) {
    return <Empty title="Nothing to say yet">The analysis appears once the vault has its first prices.</Empty>;
  }
  const all = distinct(sections.flatMap(({ citations }) => citations));
  const from = { source: shown, moment: { block: String(analysis.block_number) } };
  return (
    <div aria-busy={isOld} className={isOld ? 'flex flex-col gap-4 opacity-70' : 'flex flex-col gap-4'}>
      <UntracedNotice doubtful={untraced} />
      <Card className="flex flex-col gap-3">
        <h3 className="text-16 font-semibold">Summary</h3>
        <CitedTexts citations={all} {...from}>
          <p className="max-w-prose break-words whitespace-pre-line">
            <CitedText text={summary} doubtful={inPart('summary')} />
          </p>
          {highlights.length === 0 ? null : (
            <ul aria-label="Highlights" className="flex max-w-prose list-disc flex-col gap-1 pl-5">
              {highlights.map((text) => (
                <li key={text} className="break-words">
                  <CitedText text={text} doubtful={inPart('highlights')} />
                </li>
              ))}
            </ul>
          )}
        </CitedTexts>
        <Origin analysis={analysis} />
      </Card>
      <div className="grid grid-cols-1 gap-4 lg:grid-cols-2">
        {sections.map(({ id, title, narrative, citations }) => (
          <Card key={id}>
            <section aria-labelledby={`analysis-${id}`} className="flex flex-col gap-3">
              <h3 id={`analysis-${id}`} className="text-16 font-semibold">
                {title}
              </h3>
              <CitedTexts citations={distinct(citations)} {...from}>
                <p className="max-w-prose break-words whitespace-pre-line">
                  <CitedText text={narrative} doubtful={inPart(id)} />
                </p>
              </CitedTexts>
              <Citations citations={unplaced(citations, [narrative])} {...from} />
            </section>
          </Card>
        ))}
      </div>
    </div>
  );
}

function Origin({ analysis: { provider, model, generated_at, block_number } }: Pick<WrittenProps, 'analysis'>) {
  useTick();
  const ago = formatAgo((serverNow() - Date.parse(generated_at)) / 1_000);
  const by =
    provider === 'built-in' ? `Built-in analyst (${model}): rules, no language model` : `${provider}, ${model}`;
  return (
    <p className="flex flex-wrap items-center gap-x-2 border-t pt-3 text-12 text-muted">
      <Sparkles size={14} aria-hidden="true" className="shrink-0" />
      <span>{`Written by: ${by}`}</span>
      <span aria-hidden="true" className="max-sm:hidden">
        ·
      </span>
      <span>
        <time dateTime={generated_at}>{formatUtc(generated_at)}</time>, {ago}
      </span>
      <span aria-hidden="true" className="max-sm:hidden">
        ·
      </span>
      <span>{`Figures of block ${block_number}`}</span>
    </p>
  );
}
