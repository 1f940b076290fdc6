import { useQuery } from '@tanstack/react-query';
import type { LucideIcon } from 'lucide-react';
import { History, ReceiptText, ShieldCheck } from 'lucide-react';
import { type ReactNode, useDeferredValue } from 'react';
import { Link } from 'react-router';
import { useApp } from '../client/services.ts';
import { type AnalyticsResult, useAnalytics } from '../data/use-analytics.ts';
import { AddressTag } from '../design/address-tag.tsx';
import { formatCount } from '../format/figures.ts';
import { formatAgo, formatUtc } from '../format/time.ts';
import { useChainNow } from '../live/chain-clock.ts';
import { useMoment } from '../moment/use-moment.ts';
import { membersOf, type Pricing, pricingQuery } from '../validators/network.ts';
import { useSectionLink } from '../vault/section-link.ts';
import type { Shown } from '../vault/vault-gate.tsx';
import { VaultReceipt } from '../vault/vault-receipt.tsx';

/**
 * What a visitor can check before anything else: who signed the price, what went wrong, how a figure came about. Each leads to its
 * proof. Nothing on a page of the past.
 */
export function TrustRow({ shown }: { shown: Shown }) {
  const { at } = useMoment();
  if (at !== undefined) return null;
  return (
    <section
      aria-labelledby="trust-title"
      className="mx-auto flex w-full max-w-[1200px] flex-col gap-2 px-4 pt-6 sm:px-6"
    >
      <h2 id="trust-title" className="text-16 font-semibold">
        What you can check
      </h2>
      <ul className="grid grid-cols-1 gap-x-5 gap-y-1 text-13 lg:grid-cols-3">
        <Signers shown={shown} />
        <Incidents shown={shown} />
        <Item icon={ReceiptText}>
          Every figure has a receipt
          <VaultReceipt shown={shown} of="current_pps" label="the price that counts" />
        </Item>
      </ul>
    </section>
  );
}

/** A line, on a phone too: what is read in later does not move the page. The icon stays beside words that need two lines. */
const Item = ({ icon: Icon, children }: { icon: LucideIcon; children: ReactNode }) => (
  <li className="flex min-h-6 min-w-0 items-center gap-x-1.5">
    <Icon size={14} aria-hidden="true" className="mt-[5px] shrink-0 self-start text-muted" />
    {children}
  </li>
);

/** The last price that the chain stored, with the places of the round that agreed on it. */
function signedIn({ transmissions, rounds }: Pricing) {
  const sent = transmissions.find(({ status, signers }) => status === 'success' && signers.length > 0);
  const round = rounds.find(({ epoch, round: number }) => epoch === sent?.epoch && number === sent.round);
  return sent && { sent, of: round && membersOf(round).length };
}

function signersText(pricing: Pricing, ago: (t: string) => string): string {
  const found = signedIn(pricing);
  if (found === undefined)
    return pricing.transmissions.length === 0 ? 'No price was signed yet' : 'Who signed the last price is not known';
  const { sent, of } = found;
  const signed = formatCount(sent.signers.length);
  const who = of === undefined ? signed : `${signed} of ${formatCount(of)}`;
  return `${who} validators signed the price, stored ${ago(sent.t)}`;
}

function Signers({ shown }: { shown: Shown }) {
  const { vault, live } = shown;
  const { api } = useApp();
  const now = useChainNow(vault.chain_time);
  const linkTo = useSectionLink(shown);
  const { data, isError } = useQuery({
    ...pricingQuery(api, vault.chain_id, vault.vault_address),
    // The stream says when there is another.
    refetchInterval: live.pollMs,
  });
  const text =
    data === undefined
      ? `Who signed the price ${isError ? 'could not be read' : 'is being read'}`
      : signersText(data, (t) => formatAgo((now - Date.parse(t)) / 1_000));
  return (
    <Item icon={ShieldCheck}>
      <Proof to={linkTo('pricing')}>{text}</Proof>
    </Item>
  );
}

const incidents: Readonly<Record<string, string>> = {
  StrategyPaused: 'Paused',
  StrategyPPSStale: 'Price marked stale',
  StrategyCheckFailed: 'Price refused',
};
type Mark = AnalyticsResult<'analyticsMarks'>['marks'][number];
const MOST_LISTED = 5;
const everyIncident = { period: 'all', kinds: 'pause,guard', points: '500' } as const;

const lastText = (last: Mark | undefined, ago: (t: string) => string): string =>
  last === undefined
    ? 'No pause and no refused price since the vault began'
    : `${incidents[last.event]} ${ago(last.t)}`;

const countText = (found: number): string => `${formatCount(found)} ${found === 1 ? 'incident' : 'incidents'}`;

/** Of more marks than one answer has, any may be missing: the last one too. */
const someText = (found: number): string =>
  found === 0 ? 'More happened than is listed here' : `At least ${countText(found)} since the vault began`;

/** All pauses and refused prices since the vault began, whatever the period of the page: a line with the last one, and a list. */
function Incidents({ shown }: { shown: Shown }) {
  const { vault } = shown;
  const now = useChainNow(vault.chain_time);
  const linkTo = useSectionLink(shown);
  // After the first sight of the page: the shapes of this read come with those of all sections.
  const isSeen = useDeferredValue(true, false);
  const { data, isError } = useAnalytics(shown, 'analyticsMarks', everyIncident, isSeen);
  const found = data?.marks.filter(({ event }) => Object.hasOwn(incidents, event)).reverse() ?? [];
  const [last] = found;
  const isAll = data?.interval_seconds === 0;
  const text =
    data === undefined
      ? `What went wrong ${isError ? 'could not be read' : 'is being read'}`
      : isAll
        ? lastText(last, (t) => formatAgo((now - Date.parse(t)) / 1_000))
        : someText(found.length);
  return (
    <Item icon={History}>
      <div className="flex min-w-0 flex-wrap items-center gap-x-1.5">
        <Proof to={linkTo('pricing')}>{text}</Proof>
        {data === undefined || last === undefined ? null : <IncidentList shown={shown} found={found} isAll={isAll} />}
      </div>
    </Item>
  );
}

/** Closed it takes no line of its own. */
function IncidentList({ shown, found, isAll }: { shown: Shown; found: readonly Mark[]; isAll: boolean }) {
  const pricing = useSectionLink(shown)('pricing');
  const search = new URLSearchParams(pricing.search);
  search.set('period', 'all');
  for (const end of ['from', 'to']) search.delete(end);
  return (
    <details className="min-w-0 open:basis-full">
      <summary className="min-h-6 cursor-pointer text-muted hover:text-text">
        {isAll ? `${countText(found.length)} in all` : 'Some of them'}
      </summary>
      <ul
        aria-label={isAll ? 'Incidents, the last first' : 'Some of the incidents, newest first'}
        className="flex flex-col py-1"
      >
        {found.slice(0, MOST_LISTED).map(({ t, event, tx_hash }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: several of one kind happen in one transaction
          <li key={`${tx_hash} ${event} ${index}`} className="flex flex-wrap items-center gap-x-2 tabular-nums">
            <span className="text-muted">{formatUtc(t)}</span>
            {incidents[event]}
            <AddressTag value={tx_hash} what="its transaction" explorerUrl={shown.chain.explorer_url} kind="tx" />
          </li>
        ))}
        {found.length > MOST_LISTED ? (
          <li>
            <Proof to={{ ...pricing, search: `?${search}` }}>All of them beside the price</Proof>
          </li>
        ) : null}
      </ul>
    </details>
  );
}

const Proof = ({ to, children }: { to: ReturnType<ReturnType<typeof useSectionLink>>; children: ReactNode }) => (
  <Link to={to} className="inline-flex min-h-6 min-w-0 items-center tabular-nums hover:text-accent hover:underline">
    {children}
  </Link>
);
