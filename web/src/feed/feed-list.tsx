import { ExternalLink } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Vault } from '../data/queries.ts';
import { AddressTag } from '../design/address-tag.tsx';
import { Pill } from '../design/pill.tsx';
import { nameOf } from '../format/address.ts';
import { formatUtc } from '../format/time.ts';
import { type Item, kindWords, metricText, metricWords, safeLink, severityWords } from './words.ts';

type Props = {
  items: readonly Item[];
  vault: Vault;
  explorerUrl: string | null | undefined;
  /** What may be done about an item. */
  actions?: (item: Item) => ReactNode;
};

export const FeedList = ({ items, vault, explorerUrl, actions }: Props) => (
  <ol aria-label="Feed, newest first" className="flex flex-col divide-y">
    {items.map((item) => (
      <li key={item.id} className="px-4 py-3">
        <FeedEntry item={item} vault={vault} explorerUrl={explorerUrl}>
          {actions?.(item)}
        </FeedEntry>
      </li>
    ))}
  </ol>
);

type EntryProps = { item: Item; vault: Vault; explorerUrl: string | null | undefined; children: ReactNode };

/** What people wrote is text and stays text: nothing in it is markup, and only `links` leads anywhere. */
function FeedEntry({ item, vault, explorerUrl, children }: EntryProps) {
  const { word, tone, icon } = severityWords[item.severity];
  return (
    <article aria-label={item.title} className="flex min-w-0 flex-col gap-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-12 text-muted">
        <Pill tone={tone} icon={icon}>
          {word}
        </Pill>
        <span>{kindWords[item.kind]}</span>
        <time dateTime={item.t}>{formatUtc(item.t)}</time>
        {item.author === null ? null : (
          <span title={item.author.wallet_address} dir="auto">{`by ${nameOf(item.author)}`}</span>
        )}
        {item.edited_at === null ? null : <span>{`edited ${formatUtc(item.edited_at)}`}</span>}
      </div>
      <p dir="auto" className="text-14 font-medium break-words">
        {item.title}
      </p>
      {item.body === '' ? null : (
        <p dir="auto" className="max-w-prose text-13 break-words whitespace-pre-wrap">
          {item.body}
        </p>
      )}
      <Metrics item={item} vault={vault} />
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-13 empty:hidden">
        <Links item={item} />
        {item.tx_hash === null ? null : (
          <AddressTag value={item.tx_hash} what="transaction hash" kind="tx" explorerUrl={explorerUrl} />
        )}
        {children}
      </div>
    </article>
  );
}

function Metrics({ item, vault }: { item: Item; vault: Vault }) {
  const metrics = Object.entries(item.metrics);
  if (metrics.length === 0) return null;
  return (
    <dl className="flex flex-wrap gap-x-4 gap-y-1 text-13">
      {metrics.map(([name, value]) => (
        <div key={name} className="flex gap-1.5">
          <dt className="text-muted">{metricWords(name)}</dt>
          <dd className="break-all">{metricText(vault, name, value)}</dd>
        </div>
      ))}
    </dl>
  );
}

const Links = ({ item: { links } }: { item: Item }) =>
  links.map(({ label, url }) => {
    const link = safeLink(url);
    return link === undefined ? null : (
      <a
        key={`${label} ${url}`}
        href={link.href}
        target="_blank"
        rel="noopener noreferrer nofollow ugc"
        className="inline-flex min-h-6 max-w-full items-center gap-1 link"
      >
        <span className="truncate">{label}</span>
        <span className="text-12 text-muted">{`(${link.host})`}</span>
        <ExternalLink size={12} aria-hidden="true" className="shrink-0" />
        <span className="sr-only">, opens in a new tab</span>
      </a>
    );
  });
