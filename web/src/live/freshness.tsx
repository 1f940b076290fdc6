import { clsx } from 'clsx';
import { Pause, Play } from 'lucide-react';
import { Button as AriaButton } from 'react-aria-components';
import type { Live } from '../data/use-live.ts';
import { Button } from '../design/button.tsx';
import { explain } from '../design/explain.ts';
import { Notice } from '../design/states.tsx';
import { formatAgo, formatDuration } from '../format/time.ts';
import { useTick } from './chain-clock.ts';
import { useOutage } from './outage.ts';

const modeWords = { stream: 'Streaming', poll: 'Every 15 s', paused: 'Paused', hidden: 'Resting' } as const;

const secondsSince = (at: number) => (Date.now() - at) / 1_000;

/** "Updated 8 s ago", how updates come, and the button that stops them. */
export function UpdatedAgo({ updatedAt, live }: { updatedAt: number; live: Live }) {
  useTick();
  const paused = live.mode === 'paused';
  const outage = useOutage();
  return (
    <span className="inline-flex items-center gap-1 whitespace-nowrap text-12 text-muted">
      <AriaButton
        aria-label={paused ? 'Resume updates' : 'Pause updates'}
        onPress={live.toggle}
        className="grid size-6 place-items-center rounded text-muted hover:bg-raised hover:text-text"
      >
        {paused ? <Play size={14} aria-hidden="true" /> : <Pause size={14} aria-hidden="true" />}
      </AriaButton>
      <span className={clsx('tabular-nums', outage !== undefined && 'text-brass')}>
        {`${outage === undefined ? modeWords[live.mode] : 'Some reads fail'} · updated ${formatAgo(
          secondsSince(Math.min(updatedAt, outage?.since ?? updatedAt)),
        )}`}
      </span>
    </span>
  );
}

/** Older than this the page says so; three missed polls. */
const OLD_SECONDS = 60;

export const isOld = (updatedAt: number, live: Live): boolean =>
  live.mode !== 'paused' && live.mode !== 'hidden' && secondsSince(updatedAt) > OLD_SECONDS;

type BannerProps = { updatedAt: number; live: Live; error: unknown; retry: () => void };

/** Says once per minute how old the figures are, why, and offers to ask again. Nothing while all is well. */
export function AgeBanner({ updatedAt, live, error, retry }: BannerProps) {
  useTick();
  const outage = useOutage();
  const isStale = isOld(updatedAt, live);
  // The strip over the page says it then, for all that is on it.
  if (outage !== undefined || (!isStale && error == null)) return null;
  const minutes = Math.floor(secondsSince(updatedAt) / 60);
  const reason = error == null ? 'The server has not answered since.' : explain(error).detail;
  const requestId = error == null ? undefined : explain(error).requestId;
  return (
    <Notice
      tone="warn"
      title={isStale ? `These figures are ${formatDuration(minutes * 60)} old` : 'The last update failed'}
      action={<Button onPress={retry}>Try again</Button>}
    >
      <p>{`${reason} The page keeps trying.`}</p>
      {requestId === undefined ? null : (
        <p className="text-12">
          Request <code className="font-mono break-all">{requestId}</code>
        </p>
      )}
    </Notice>
  );
}
