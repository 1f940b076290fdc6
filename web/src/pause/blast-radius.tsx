import type { PauseProof } from '@castellan/contracts';
import { Ban, Check } from 'lucide-react';
import { useAnalytics } from '../data/use-analytics.ts';
import { Card } from '../design/card.tsx';
import { formatAmount, formatExact } from '../format/amount.ts';
import { formatCount, formatUsd, NONE } from '../format/figures.ts';
import { assetsExact, assetsText } from '../vault/money.ts';
import type { Shown } from '../vault/vault-gate.tsx';

const stops = [
  'Deposits and mints',
  'New requests to redeem',
  'Fulfilment of requests by the managers',
  'Skims of the performance fee',
  'Price updates: the price goes stale, and validators report it',
];
const goesOn = [
  'Claims of what was fulfilled already',
  'Cancelling a request to redeem',
  'Hooks: managers can still move assets between yield sources',
];

type Props = { shown: Shown; proof: Pick<PauseProof, 'blast_radius' | 'block_number'> | undefined };

/** What a pause stops and what it leaves, and whom and how much it meets now; what waits, as of the last trial of a pause. */
export function BlastRadius({ shown, proof }: Props) {
  const { vault } = shown;
  const { data } = useAnalytics(shown, 'analyticsOverview', {});
  const depositors = data?.depositors ?? null;
  const waiting = proof?.blast_radius.pending_redeem_shares;
  const facts = [
    { name: 'Depositors', value: depositors === null ? `${NONE} not known` : formatCount(depositors) },
    { name: 'Value', value: vault.tvl_usd === null ? `${NONE} no dollar price` : formatUsd(vault.tvl_usd) },
    {
      name: 'Assets',
      value: assetsText(vault, vault.total_assets),
      title: assetsExact(vault, vault.total_assets),
    },
    {
      name: `Shares waiting to be redeemed${proof === undefined ? '' : `, at block ${proof.block_number}`}`,
      value:
        waiting === undefined
          ? `${NONE} not known`
          : `${formatAmount(waiting, vault.vault_share_decimals)} ${vault.symbol}`,
      ...(waiting === undefined
        ? {}
        : { title: `${formatExact(waiting, vault.vault_share_decimals)} ${vault.symbol}` }),
    },
  ];
  return (
    <Card className="flex flex-col gap-3">
      <h3 className="text-16 font-semibold">What a pause does</h3>
      <div className="grid grid-cols-1 gap-3 sm:grid-cols-2">
        <List title="Stops" items={stops} icon="stop" />
        <List title="Goes on" items={goesOn} icon="go" />
      </div>
      <dl className="grid grid-cols-1 gap-x-6 sm:grid-cols-2">
        {facts.map((fact) => (
          <div key={fact.name} className="flex flex-wrap items-baseline justify-between gap-x-4 border-t py-1.5">
            <dt className="text-13 text-muted">{fact.name}</dt>
            <dd className="ml-auto text-14 font-medium tabular-nums" title={fact.title}>
              {fact.value}
            </dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}

function List({ title, items, icon }: { title: string; items: readonly string[]; icon: 'stop' | 'go' }) {
  const Icon = icon === 'stop' ? Ban : Check;
  return (
    <div>
      <h4 className="text-13 font-semibold">{title}</h4>
      <ul className="flex flex-col gap-1 pt-1">
        {items.map((item) => (
          <li key={item} className="flex items-start gap-2 text-13">
            <Icon
              size={14}
              aria-hidden="true"
              className={icon === 'stop' ? 'mt-[3px] shrink-0 text-danger' : 'mt-[3px] shrink-0 text-accent'}
            />
            {item}
          </li>
        ))}
      </ul>
    </div>
  );
}
