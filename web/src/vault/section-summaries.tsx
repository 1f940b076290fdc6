import { type VaultSection, vaultSections } from '@castellan/contracts';
import { ArrowRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Vault } from '../data/queries.ts';
import { Card } from '../design/card.tsx';
import { shortHex } from '../format/address.ts';
import { formatAmount, formatExact } from '../format/amount.ts';
import { formatBpsShare, formatCount, formatSignedBps, NONE } from '../format/figures.ts';
import { formatUtc } from '../format/time.ts';
import { Term } from '../glossary/term.tsx';
import { useMoment } from '../moment/use-moment.ts';
import { runwayText } from './fees/runway.ts';
import { assetsExact, assetsText, priceText } from './money.ts';
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

/** Where each further section begins, with the figures of now that one would open it for. */
export function SectionSummaries({ shown }: { shown: Shown }) {
  const linkTo = useSectionLink(shown);
  const { at } = useMoment();
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
            {at === undefined ? <Facts facts={factsOf[id]?.(shown) ?? []} /> : null}
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

const factsOf: Readonly<Partial<Record<Summarised, (shown: Shown) => Fact[]>>> = {
  pricing: priceFacts,
  fees: ({ vault }) => [feeFact(vault), upkeepFact(vault)],
  managers: ({ vault: { managers } }) => [
    { name: 'Primary manager', value: managers.primary.display_name ?? shortHex(managers.primary.wallet_address) },
    { name: 'Secondary managers', value: `${formatCount(managers.secondary.length)} of 5` },
  ],
  users: ({ vault }) => [
    {
      name: 'Shares in circulation',
      value: `${formatAmount(vault.total_supply, vault.vault_share_decimals)} ${vault.symbol}`,
      exact: `${formatExact(vault.total_supply, vault.vault_share_decimals)} ${vault.symbol}`,
    },
  ],
  operations: ({ vault }) => [
    {
      name: 'Idle assets',
      value: assetsText(vault, vault.free_assets),
      exact: assetsExact(vault, vault.free_assets),
    },
    {
      name: 'Escrow',
      value: assetsText(vault, vault.escrowed_assets),
      exact: assetsExact(vault, vault.escrowed_assets),
    },
  ],
};

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
