import { type VaultSection, vaultSections } from '@castellan/contracts';
import { ArrowRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Vault } from '../data/queries.ts';
import { type AnalyticsResult, useAnalytics } from '../data/use-analytics.ts';
import { Card } from '../design/card.tsx';
import { shortHex } from '../format/address.ts';
import { formatAmount, formatExact } from '../format/amount.ts';
import {
  formatBpsShare,
  formatCount,
  formatShare,
  formatSignedBps,
  formatSignedShare,
  NONE,
} from '../format/figures.ts';
import { formatUtc } from '../format/time.ts';
import { Term } from '../glossary/term.tsx';
import { useMoment } from '../moment/use-moment.ts';
import { ReceiptButton } from '../receipts/receipt-button.tsx';
import { runwayText } from './fees/runway.ts';
import { assetsExact, assetsText, priceText } from './money.ts';
import { largestLeave } from './risk/run-query.ts';
import { useSectionLink } from './section-link.ts';
import type { Shown } from './vault-gate.tsx';
import { VaultReceipt } from './vault-receipt.tsx';

type Summarised = Exclude<VaultSection, 'overview' | 'allocation'>;

/** What each section is read for. */
const abouts: Readonly<Record<Summarised, string>> = {
  pricing: 'Who reported which price when, how soon it expires, and what the next one would change.',
  fees: 'What is charged and what is due, and how long price updates are paid for.',
  managers: 'Who may change what, the proofs that the chain takes, and the settings in force.',
  performance: 'Returns after fees by period and against the benchmark, and what changed the value.',
  risk: 'The score and its parts, the worst falls, and what would happen if the largest left.',
  users: 'Who holds the vault, who came, who left, and who could leave.',
  operations: 'What people did and what waits to be paid, with gas and slippage.',
  strategies: 'What runs by itself, and when it last acted.',
  feed: 'Events and posts, the newest first.',
};
const summarised = Object.keys(abouts) as Summarised[];

type Fact = {
  name: string;
  value: string;
  exact?: string | undefined;
  context?: string | undefined;
  action?: ReactNode;
};

/** What the page has read for its headline and its health, as far as it is here. */
type Known = { shown: Shown; headline?: AnalyticsResult<'analyticsOverview'>; run?: AnalyticsResult<'analyticsRun'> };

/** Where each further section begins, with the figures of now that one would open it for. */
export function SectionSummaries({ shown }: { shown: Shown }) {
  const { at } = useMoment();
  return at === undefined ? <SummariesNow shown={shown} /> : <Summaries shown={shown} factsOf={() => []} />;
}

function SummariesNow({ shown }: { shown: Shown }) {
  const { data: headline } = useAnalytics(shown, 'analyticsOverview', {});
  const { data: run } = useAnalytics(shown, 'analyticsRun', largestLeave);
  const known = { shown, ...(headline && { headline }), ...(run && { run }) };
  return <Summaries shown={shown} factsOf={(id) => factsNow[id]?.(known) ?? []} />;
}

function Summaries({ shown, factsOf }: { shown: Shown; factsOf: (id: Summarised) => Fact[] }) {
  const linkTo = useSectionLink(shown);
  return (
    <ul className="grid grid-cols-1 gap-3 sm:grid-cols-2 xl:grid-cols-3">
      {summarised.map((id) => (
        <li key={id} className="flex">
          <Card className="flex flex-1 flex-col gap-2">
            <h3 className="text-14 font-semibold">
              <Link
                to={linkTo(id)}
                className="inline-flex min-h-6 items-center gap-1.5 hover:text-accent hover:underline"
              >
                {vaultSections[id]}
                <ArrowRight size={14} aria-hidden="true" className="text-muted" />
              </Link>
            </h3>
            <p className="text-13 text-muted">{abouts[id]}</p>
            <Facts facts={factsOf(id)} />
          </Card>
        </li>
      ))}
    </ul>
  );
}

const Facts = ({ facts }: { facts: readonly Fact[] }) =>
  facts.length === 0 ? null : (
    <dl className="mt-auto flex flex-col divide-y text-13">
      {facts.map(({ name, value, exact, context, action }) => (
        <div key={name} className="grid min-h-9 grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 py-1">
          <dt className="flex items-center gap-1 text-muted">
            <Term>{name}</Term>
            {action}
          </dt>
          <dd className="text-right font-medium" title={exact}>
            {value}
          </dd>
          {context === undefined ? null : <dd className="col-span-2 text-right text-12 text-muted">{context}</dd>}
        </div>
      ))}
    </dl>
  );

const factsNow: Readonly<Partial<Record<Summarised, (known: Known) => Fact[]>>> = {
  pricing: ({ shown }) => priceFacts(shown),
  fees: ({ shown: { vault } }) => [feeFact(vault), upkeepFact(vault)],
  performance: ({ shown, headline }) => [
    {
      name: 'Net APY, since inception',
      value: orDash(headline?.apy.since_inception, formatShare),
      action: <HeadlineReceipt shown={shown} path="apy.since_inception" label="Net APY, since inception" />,
    },
    {
      name: 'Value in USD, 7 days',
      value: orDash(headline?.tvl_change_usd.d7, formatSignedShare),
      action: <HeadlineReceipt shown={shown} path="tvl_change_usd.d7" label="Value in USD, 7 days" />,
    },
  ],
  risk: ({ shown, run }) => [
    {
      ...amountFact('Held by the 3 largest', shown.vault, run?.demand),
      action: <RunReceipt shown={shown} path="demand" label="Held by the 3 largest" />,
    },
    {
      ...amountFact('Could be paid at once', shown.vault, run?.paid_now),
      action: <RunReceipt shown={shown} path="paid_now" label="Could be paid at once" />,
    },
  ],
  managers: ({
    shown: {
      vault: { managers },
    },
  }) => [
    { name: 'Primary manager', value: managers.primary.display_name ?? shortHex(managers.primary.wallet_address) },
    { name: 'Secondary managers', value: `${formatCount(managers.secondary.length)} of 5` },
  ],
  users: ({ shown: { vault } }) => [
    {
      name: 'Shares in circulation',
      value: `${formatAmount(vault.total_supply, vault.vault_share_decimals)} ${vault.symbol}`,
      exact: `${formatExact(vault.total_supply, vault.vault_share_decimals)} ${vault.symbol}`,
    },
  ],
  operations: ({ shown: { vault } }) => [
    amountFact('Idle assets', vault, vault.free_assets),
    amountFact('Escrow', vault, vault.escrowed_assets),
  ],
};

type Receipted = { shown: Shown; path: string; label: string };
const HeadlineReceipt = ({ shown, ...figure }: Receipted) => (
  <ReceiptButton source={shown} id="analyticsOverview" query={{}} {...figure} />
);
const RunReceipt = ({ shown, ...figure }: Receipted) => (
  <ReceiptButton source={shown} id="analyticsRun" query={largestLeave} {...figure} />
);

/** A dash until it is read, and where there is none. */
const orDash = <T,>(value: T | null | undefined, show: (value: T) => string): string =>
  value == null ? NONE : show(value);

const amountFact = (name: string, vault: Vault, raw: string | null | undefined): Fact => ({
  name,
  value: orDash(raw, (amount) => assetsText(vault, amount)),
  exact: raw == null ? undefined : assetsExact(vault, raw),
});

function priceFacts(shown: Shown): Fact[] {
  const { vault } = shown;
  const { symbol } = vault.asset;
  return [
    {
      name: 'Calculated price',
      value: vault.calculated_pps === null ? NONE : priceText(vault, vault.calculated_pps),
      exact: vault.calculated_pps === null ? undefined : `${vault.calculated_pps_display ?? ''} ${symbol}`,
      context: vault.calculated_pps === null ? "Appears after the first reading of the vault's sources" : aside(vault),
      ...(vault.calculated_pps === null
        ? {}
        : { action: <VaultReceipt shown={shown} of="calculated_pps" label="Calculated price" /> }),
    },
    {
      name: 'High-water mark',
      value: priceText(vault, vault.hwm_pps),
      exact: `${vault.hwm_pps_display} ${symbol}`,
      action: <VaultReceipt shown={shown} of="hwm_pps" label="High-water mark" />,
    },
  ];
}

function aside({ divergence_bps: bps }: Vault): string {
  if (bps === null) return 'No divergence: one of the two prices is missing';
  if (bps === 0) return 'As reported';
  return `${formatSignedBps(bps)}, ${bps > 0 ? 'above' : 'below'} the current price`;
}

function feeFact(vault: Vault): Fact {
  const { fee_config: fees, pending_fee_config: pending, pending_performance_fee: due } = vault;
  return {
    name: 'Performance fee',
    value: formatBpsShare(fees.performance_fee_bps),
    context: pending === null ? `${assetsText(vault, due.total)} due` : `Changes ${formatUtc(pending.effective_at)}`,
  };
}

function upkeepFact({ upkeep_info: upkeep }: Vault): Fact {
  const decimals = upkeep.decimals ?? 18;
  const symbol = upkeep.symbol ?? '';
  const left = upkeep.runway_seconds === null ? 'Runway not known yet' : `${runwayText(upkeep.runway_seconds)} left`;
  const isShort = upkeep.enabled && upkeep.threshold.shortfall !== '0';
  return {
    name: 'Upkeep balance',
    value: `${formatAmount(upkeep.balance, decimals)} ${symbol}`,
    exact: `${formatExact(upkeep.balance, decimals)} ${symbol}`,
    context: isShort
      ? `${formatAmount(upkeep.threshold.shortfall, decimals)} ${symbol} short`
      : upkeep.enabled
        ? left
        : 'Not charged on this chain',
  };
}
