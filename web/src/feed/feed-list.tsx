import { ExternalLink } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { AddressTag } from '../design/address-tag.tsx';
import { Pill } from '../design/pill.tsx';
import { nameOf } from '../format/address.ts';
import { formatUtc } from '../format/time.ts';
import { typeset } from '../format/typeset.ts';
import { type Item, isVaultLink, kindWords, safeLink, severityWords } from './feed-labels.ts';

type Props = {
  items: readonly Item[];
  explorerUrl: string | null | undefined;
  /** What may be done about an item. */
  actions?: (item: Item) => ReactNode;
};

export const FeedList = ({ items, explorerUrl, actions }: Props) => (
  <ol aria-label="Feed, newest first" className="flex flex-col divide-y">
    {items.map((item) => (
      <li key={item.id} className="px-4 py-3">
        <FeedEntry item={item} explorerUrl={explorerUrl}>
          {actions?.(item)}
        </FeedEntry>
      </li>
    ))}
  </ol>
);

type EntryProps = { item: Item; explorerUrl: string | null | undefined; children: ReactNode };

/** What people wrote is text and stays text: nothing in it is markup, and only `links` leads anywhere. */
function FeedEntry({ item, explorerUrl, children }: EntryProps) {
  const { word, tone, icon } = severityWords[item.severity];
  // What a person wrote stays as it was written.
  const said = item.kind === 'post' ? (text: string) => text : typeset;
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
        {said(item.title)}
      </p>
      {item.body === '' ? null : (
        <p dir="auto" className="max-w-prose text-13 break-words whitespace-pre-wrap">
          {said(item.body)}
        </p>
      )}
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

const Links = ({ item: { links } }: { item: Item }) =>
  links.map(({ label, url }) => {
    if (isVaultLink(url)) {
      return (
        <Link key={url} to={url} className="inline-flex min-h-6 items-center link">
          {label}
        </Link>
      );
    }
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
