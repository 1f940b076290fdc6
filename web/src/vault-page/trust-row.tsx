import { useQuery } from '@tanstack/react-query';
import type { LucideIcon } from 'lucide-react';
import { History, ReceiptText, ShieldCheck } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useApp } from '../client/services.ts';
import type { AnalyticsResult } from '../data/use-analytics.ts';
import { AddressTag } from '../design/address-tag.tsx';
import { formatCount } from '../format/figures.ts';
import { formatAgo } from '../format/time.ts';
import { useChainNow } from '../live/chain-clock.ts';
import { useMoment } from '../moment/use-moment.ts';
import { useView } from '../period/use-view.ts';
import { useRead } from '../receipts/use-read.ts';
import { membersOf, type Pricing, pricingQuery } from '../validators/network.ts';
import { useSectionLink } from '../vault/section-link.ts';
import type { Shown } from '../vault/vault-gate.tsx';
import { VaultReceipt } from '../vault/vault-receipt.tsx';

/**
 * What a visitor can check before anything else: who signed the price, what went wrong lately, how a figure came about. Each leads to its
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
    <Icon size={14} aria-hidden="true" className="shrink-0 text-muted" />
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

const incidents = {
  pause: 'Paused',
  stale: 'Price marked stale',
  check_failed: 'Price refused',
} as const;
type Marker = AnalyticsResult<'analyticsPps'>['markers'][number];
type Incident = Marker & { kind: keyof typeof incidents };
const isIncident = (marker: Marker): marker is Incident => Object.hasOwn(incidents, marker.kind);

function Incidents({ shown }: { shown: Shown }) {
  const { vault, chain } = shown;
  const { span, words } = useView(vault);
  const now = useChainNow(vault.chain_time);
  const linkTo = useSectionLink(shown);
  // As the course of the price below asks, so that both share the answer.
  const { data, isError } = useRead(shown, 'analyticsPps', { ...span, points: '100' }).result;
  const last = data?.markers.filter(isIncident).at(-1);
  const text =
    data === undefined
      ? `What went wrong ${isError ? 'could not be read' : 'is being read'}`
      : last === undefined
        ? `No pause and no refused price ${words}`
        : `${incidents[last.kind]} ${formatAgo((now - Date.parse(last.t)) / 1_000)}`;
  return (
    <Item icon={History}>
      <Proof to={linkTo('pricing')}>{text}</Proof>
      {last === undefined ? null : (
        <AddressTag value={last.tx_hash} what="its transaction" explorerUrl={chain.explorer_url} kind="tx" />
      )}
    </Item>
  );
}

const Proof = ({ to, children }: { to: ReturnType<ReturnType<typeof useSectionLink>>; children: ReactNode }) => (
  <Link to={to} className="inline-flex min-h-6 min-w-0 items-center tabular-nums hover:text-accent hover:underline">
    {children}
  </Link>
);
