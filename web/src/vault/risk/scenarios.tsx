import { shocksOf, usualShocks } from '@castellan/contracts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useApp } from '../../client/services.ts';
import { keys, paramsOf } from '../../data/queries.ts';
import type { AnalyticsResult } from '../../data/use-analytics.ts';
import { Card } from '../../design/card.tsx';
import { PlainTable } from '../../design/plain-table.tsx';
import { Empty, RowSkeletons } from '../../design/states.tsx';
import { formatCount, formatShare, formatUsd, NONE } from '../../format/figures.ts';
import { formatDuration } from '../../format/time.ts';
import { ReadTrouble } from '../../live/read-trouble.tsx';
import type { Read } from '../../receipts/metric.tsx';
import { ReadFailure } from '../../receipts/read-failure.tsx';
import { ReceiptValue } from '../../receipts/receipt-value.tsx';
import { useRead } from '../../receipts/use-read.ts';
import { useViewer } from '../../session/use-session.ts';
import { sourceName } from '../allocation-over-time.tsx';
import { assetsText } from '../money.ts';
import type { Shown } from '../vault-gate.tsx';
import { ScenarioEditor } from './scenario-editor.tsx';
import { type Scenario, shockWords } from './shock-words.ts';

type Answer = AnalyticsResult<'analyticsScenarios'>;

/** What was chosen for the vault; the usual shocks for those without a role, and until somebody has chosen. */
function useScenarioSet({ vault }: Shown) {
  const { api } = useApp();
  const viewer = useViewer();
  return useQuery({
    queryKey: keys.scenarios(viewer, vault.chain_id, vault.vault_address),
    queryFn: () => api.scenarioSet({ params: paramsOf(vault) }),
    enabled: vault.my_role !== null,
  });
}

/** Named shocks: what is lost, what is payable, who waits. */
export function Scenarios({ shown }: { shown: Shown }) {
  const set = useScenarioSet(shown);
  const [tried, setTried] = useState<string | null>(null);
  const shocks = tried ?? set.data?.shocks ?? usualShocks;
  const names = set.data?.names ?? [];
  const isReady = shown.vault.my_role === null || !set.isPending;
  return (
    <Card isFlush className="flex flex-col">
      <h3 className="px-3 pt-4 text-14 font-semibold sm:px-4">Scenarios</h3>
      <p className="px-3 pb-2 text-13 text-muted sm:px-4">
        In each the largest holders ask for everything. What they ask for is lost, paid at once, or waits. Nothing is
        sent.
      </p>
      {set.isError ? <ReadTrouble of={set} what="The chosen scenarios" /> : null}
      {isReady ? (
        <Table shown={shown} shocks={shocks} names={JSON.stringify(names)} />
      ) : (
        <RowSkeletons rows={shocksOf(usualShocks).length} />
      )}
      {isReady ? <ScenarioEditor shown={shown} set={set.data} onTry={setTried} onKept={() => setTried(null)} /> : null}
    </Card>
  );
}

function Table({ shown, shocks, names }: { shown: Shown; shocks: string; names: string }) {
  const read = useRead(shown, 'analyticsScenarios', { shocks, ...(names === '[]' ? {} : { names }) });
  const { data, isError } = read.result;
  if (data === undefined) return isError ? <ReadFailure of={read} what="The scenarios" /> : <RowSkeletons rows={7} />;
  if (data.total_assets === null)
    return <Empty title="Nothing was read yet">Scenarios appear with the first whole reading of the sources.</Empty>;
  return (
    <>
      <ReadFailure of={read} what="The scenarios" />
      <PlainTable
        label="Scenarios"
        head={['Scenario', 'Loss', 'Payable', 'Holders lose', 'Paid', 'Waits', 'Who waits']}
        rows={data.scenarios.map((scenario, at) => ({
          // Two of a table may be the same shock.
          id: `${at} ${scenario.kind}`,
          cells: scenarioCells(read, scenario, at, shown),
        }))}
      />
      <Exposure of={read} data={data} shown={shown} />
    </>
  );
}

function scenarioCells(of: Read<'analyticsScenarios'>, scenario: Scenario, at: number, { vault }: Shown) {
  const sources = vault.allocation.length;
  const title = shockWords(scenario, vault, sources);
  const cell = (field: 'payable' | 'lost' | 'paid' | 'waiting', label: string) => {
    const raw = scenario[field];
    return (
      <ReceiptValue key={field} of={of} path={`scenarios.${at}.${field}`} label={`${label}: ${title}`}>
        {raw === null ? null : assetsText(vault, raw)}
      </ReceiptValue>
    );
  };
  return [
    <span key="title" className="flex min-w-44 flex-col">
      {title}
      <Aside scenario={scenario} />
    </span>,
    <Loss key="loss" of={of} scenario={scenario} at={at} title={title} vault={vault} />,
    cell('payable', 'payable at once'),
    cell('lost', 'what holders lose'),
    cell('paid', 'paid'),
    cell('waiting', 'waits'),
    <ReceiptValue key="wallets" of={of} path={`scenarios.${at}.wallets_waiting`} label={`holders who wait: ${title}`}>
      {scenario.wallets_waiting === null ? null : formatCount(scenario.wallets_waiting)}
    </ReceiptValue>,
  ];
}

type LossProps = {
  of: Read<'analyticsScenarios'>;
  scenario: Scenario;
  at: number;
  title: string;
  vault: Shown['vault'];
};

/** In the asset, and of a depeg in dollars: in the asset nothing is lost then. */
function Loss({ of, scenario, at, title, vault }: LossProps) {
  const { kind, loss_assets: raw, loss_usd: usd, loss_share: share } = scenario;
  const isDollars = kind === 'depeg';
  const dollars = usd === null ? null : formatUsd(usd);
  const assets = raw === null ? null : assetsText(vault, raw);
  return (
    <span className="flex flex-col items-end">
      <ReceiptValue of={of} path={`scenarios.${at}.${isDollars ? 'loss_usd' : 'loss_assets'}`} label={`loss: ${title}`}>
        {isDollars ? dollars : assets}
      </ReceiptValue>
      {isDollars || share === null || share === 0 ? null : (
        <span className="text-12 text-muted">{formatShare(share)}</span>
      )}
    </span>
  );
}

/** What a shock does that is no amount of the asset. */
function Aside({ scenario }: { scenario: Scenario }) {
  const { blocked_in_seconds: blocked, runway_seconds: runway, extra_gas_usd_per_year: extra } = scenario;
  const parts = [
    blocked == null
      ? null
      : blocked === 0
        ? 'The price has expired'
        : `The last price is usable for ${formatDuration(blocked)}`,
    runway == null ? null : `Upkeep lasts ${formatDuration(runway)} at that cost`,
    extra == null ? null : `${formatUsd(extra)} more a year for managers and the keeper`,
  ].filter((part) => part !== null);
  return parts.length === 0 ? null : <span className="text-12 font-normal text-muted">{parts.join('; ')}</span>;
}

const layers: Readonly<Record<Answer['exposure'][number]['layer'], string>> = {
  source: 'Source',
  protocol: 'Protocol',
  curator: 'Curator',
  collateral: 'Collateral',
  oracle: 'Oracle',
  chain: 'Chain',
};

function Exposure({
  of,
  data,
  shown: { vault, chain },
}: {
  of: Read<'analyticsScenarios'>;
  data: Answer;
  shown: Shown;
}) {
  const nameOf = ({ layer, name, sources }: Answer['exposure'][number]): string => {
    if (layer === 'chain') return chain.name;
    if (layer === 'source') return sourceName(vault, name, sources.length === 0 ? 'idle' : 'source');
    return layer === 'oracle' ? sourceName(vault, name) : name;
  };
  return (
    <div className="border-t pt-3">
      <h4 className="px-3 text-13 font-semibold sm:px-4">Exposure by what assets depend on</h4>
      <PlainTable
        label="Exposure"
        head={['Layer', 'Name', 'Assets', 'Share']}
        words={[1]}
        rows={data.exposure.map((row, at) => ({
          id: `${row.layer} ${row.name}`,
          cells: [
            layers[row.layer],
            nameOf(row),
            <ReceiptValue key="assets" of={of} path={`exposure.${at}.assets`} label={`assets in ${nameOf(row)}`}>
              {assetsText(vault, row.assets)}
            </ReceiptValue>,
            row.share === null ? NONE : formatShare(row.share),
          ],
        }))}
      />
    </div>
  );
}
