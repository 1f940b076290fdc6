import { useEffect } from 'react';
import { useApp } from '../client/services.ts';
import { Button } from '../design/button.tsx';
import { explain } from '../design/explain.ts';
import { Notice } from '../design/states.tsx';
import { formatAgo, formatUtc } from '../format/time.ts';
import { useTick } from './chain-clock.ts';
import { type Outage, readFailedAgain, useOutage } from './outage.ts';

const AGAIN_MS = 15_000;

/** On every page while reads get no answer: since when what it shows stands, why, and that it is asked for again. */
export function OutageStrip() {
  const outage = useOutage();
  return outage === undefined ? null : <Strip outage={outage} />;
}

function Strip({ outage: { since, error } }: { outage: Outage }) {
  const { queries } = useApp();
  useTick();
  useEffect(() => {
    const timer = setInterval(() => void readFailedAgain(queries), AGAIN_MS);
    return () => clearInterval(timer);
  }, [queries]);
  const { headline, detail, requestId } = explain(error);
  const age =
    since === undefined
      ? 'Not all of this page could be read yet.'
      : `Some of this page was last read ${formatAgo((Date.now() - since) / 1_000)}, at ${formatUtc(since)}.`;
  return (
    <div className="mx-auto w-full max-w-[1200px] px-4 py-3 sm:px-6 print:hidden">
      <Notice
        tone="warn"
        title={headline}
        action={<Button onPress={() => void readFailedAgain(queries)}>Try again</Button>}
      >
        <p>{[age, detail, ...(detail.includes('tries again') ? [] : ['The page tries again by itself.'])].join(' ')}</p>
        {requestId === undefined ? null : (
          <p className="text-12">
            Request <code className="font-mono break-all">{requestId}</code>
          </p>
        )}
      </Notice>
    </div>
  );
}
