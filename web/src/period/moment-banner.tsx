import { Link2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../design/button.tsx';
import { Notice } from '../design/states.tsx';
import { toast } from '../design/toast.tsx';
import { formatUtc } from '../format/time.ts';
import { useMoment } from '../moment/use-moment.ts';
import { useQueryPart } from './use-view.ts';

/** Says what a page of the past shows; the strip above leads back. Nothing on a page of the present. */
export function MomentBanner({ children }: { children?: ReactNode }) {
  const { at, isMalformed } = useMoment();
  const put = useQueryPart();
  if (at === undefined && !isMalformed) return null;
  return at === undefined ? (
    <Notice
      tone="warn"
      title="This link names no time that can be read"
      action={<Button onPress={() => put({ at: null, vs: null })}>Back to now</Button>}
    >
      It should be UTC, such as 2026-11-20T14:05:00Z. You see the vault as it is now.
    </Notice>
  ) : (
    <Notice tone="info" title={`You see the vault as it was at ${formatUtc(at)}`}>
      What is marked “Of now” is of the present: its state, its managers and its settings. Every figure and chart is of
      that moment.
      {children}
    </Notice>
  );
}

/** Copies a link that shows for ever what is shown now: section, period, unit and moment. */
export function PermalinkButton({ chainTime }: { chainTime: string }) {
  const { at } = useMoment();
  const copy = async () => {
    const url = new URL(window.location.href);
    url.searchParams.set('at', at ?? chainTime);
    try {
      await navigator.clipboard.writeText(url.href);
      toast({
        tone: 'info',
        title: `Copied a link to this view as of ${formatUtc(at ?? chainTime)}`,
        key: 'permalink',
      });
    } catch {
      toast({ tone: 'warn', title: `The browser did not allow copying. The link is ${url.href}`, key: 'permalink' });
    }
  };
  return (
    <Button onPress={copy}>
      <Link2 size={14} aria-hidden="true" />
      Copy permalink
    </Button>
  );
}
