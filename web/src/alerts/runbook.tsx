import { BookOpen } from 'lucide-react';

/** Where the page that the build made of a runbook is; a runbook of somebody's own is where it says. */
export const runbookHref = (url: string): string => url.replace(/^docs\/(.+)\.md(?=#|$)/, '/$1.html');

/** What to do about an alert, in a page of its own so that the list stays where it was. */
export const RunbookLink = ({ url, of }: { url: string; of: string }) => (
  <a
    href={runbookHref(url)}
    target="_blank"
    rel="noreferrer"
    aria-label={`Runbook of ${of}`}
    className="inline-flex min-h-6 items-center gap-1 text-13 text-accent hover:underline"
  >
    <BookOpen size={14} aria-hidden="true" />
    Runbook
  </a>
);
