import { useMemo } from 'react';
import { Chart } from '../../charts/chart.tsx';
import type { Series } from '../../charts/types.ts';
import { amount } from '../../charts/units.ts';
import { chainById } from '../../client/config.ts';
import { useApp } from '../../client/services.ts';
import { toDecimal } from '../../format/amount.ts';
import { formatCount } from '../../format/figures.ts';
import {
  type Asked,
  formatWei,
  type History,
  NOT_BY_VAULT,
  nodeNameOf,
  pointsOf,
  sentByChain,
  WEI_DECIMALS,
} from './history.ts';

type Common = {
  group: string;
  intervalSeconds: number;
  empty: { title: string; detail: string };
  height: number;
};
type Props = { history: History; asked: Asked; common: Common };

const tokensOf = (wei: string): number => Number(toDecimal(wei, WEI_DECIMALS));

/** What the transmitters paid and what they have left, by chain. */
export function GasCharts({ history, asked, common }: Props) {
  const paid = sentByChain(history.buckets);
  const held = new Set(history.buckets.flatMap(({ balances }) => balances.map(({ chain_id }) => chain_id)));
  const isUnknown = history.buckets.length > 0 && history.buckets.every(({ sent }) => sent === null);
  return (
    <>
      {isUnknown ? (
        <Chart
          {...common}
          title="Gas paid"
          takeaway={PAID_NOT_KNOWN}
          series={[]}
          unit={amount('coin')}
          empty={{
            title: 'Not known for one vault',
            detail:
              'What one node sent for one vault is recorded since a later version. Choose all vaults to see all that it paid.',
          }}
          fileName="validators-gas"
        />
      ) : null}
      {paid.map(({ chain_id }) => (
        <FeeChart key={chain_id} chainId={chain_id} history={history} asked={asked} common={common} />
      ))}
      {[...held]
        .sort((a, b) => a - b)
        .map((chainId) => (
          <BalanceChart key={chainId} chainId={chainId} history={history} common={common} />
        ))}
    </>
  );
}

const PAID_NOT_KNOWN = `What this node paid is ${NOT_BY_VAULT}`;

type OfChain = Omit<Props, 'asked'> & { chainId: number };

function useChain(chainId: number) {
  const { config } = useApp();
  const chain = chainById(config, chainId);
  const symbol = chain?.native_symbol ?? 'coin';
  const unit = useMemo(() => amount(symbol), [symbol]);
  return { name: chain?.name ?? `chain ${chainId}`, symbol, unit };
}

function FeeChart({ chainId, history, asked, common }: OfChain & { asked: Asked }) {
  const { name, symbol, unit } = useChain(chainId);
  const total = sentByChain(history.buckets).find((sent) => sent.chain_id === chainId);
  const series = useMemo(
    () => [
      {
        id: 'fee',
        name: 'Paid for transmissions',
        kind: 'bar' as const,
        colour: 1 as const,
        points: pointsOf(history, ({ sent }) => {
          const on = sent?.find((one) => one.chain_id === chainId);
          return on === undefined ? null : tokensOf(on.fee);
        }),
      },
    ],
    [history, chainId],
  );
  const notes = [
    asked.vault === '' ? '' : '; each in full, though it may carry prices of other vaults',
    history.buckets.some(({ sent }) => sent === null) ? `. ${PAID_NOT_KNOWN} in a part of this window` : '',
  ];
  const words =
    total === undefined
      ? undefined
      : `${formatWei(total.fee, symbol)} for ${formatCount(total.with_receipt)} of ${formatCount(total.transactions)} transactions, by their receipts${notes.join('')}`;
  return (
    <Chart
      {...common}
      title={`Gas paid on ${name}`}
      takeaway={words}
      series={series}
      unit={unit}
      isFromZero
      fileName={`validators-gas-${chainId}`}
    />
  );
}

/** What each transmitter had after the last transaction of each part of the window. */
function BalanceChart({ chainId, history, common }: OfChain) {
  const { name, symbol, unit } = useChain(chainId);
  const { series, least } = useMemo(() => balancesOf(history, chainId), [history, chainId]);
  return (
    <Chart
      {...common}
      title={`Balances on ${name}`}
      takeaway={least && `${least.name} has least: ${formatWei(least.balance, symbol)} after its last transaction`}
      series={series}
      unit={unit}
      isFromZero
      fileName={`validators-balances-${chainId}`}
    />
  );
}

function balancesOf(history: History, chainId: number) {
  const ofNode = (bucket: History['buckets'][number], signer: string | null) =>
    bucket.balances.find(({ signer_address, chain_id }) => signer_address === signer && chain_id === chainId)?.balance;
  const nodes = history.nodes.flatMap((node) => {
    const all = history.buckets.map((bucket) => ofNode(bucket, node.signer_address));
    const balance = all.findLast((one) => one !== undefined);
    return balance === undefined ? [] : [{ node, balance }];
  });
  const series = nodes.map(
    ({ node }): Series => ({
      id: `${node.signer_address}`,
      name: nodeNameOf(node),
      kind: 'line',
      points: pointsOf(history, (bucket) => {
        const balance = ofNode(bucket, node.signer_address);
        return balance === undefined ? null : tokensOf(balance);
      }),
    }),
  );
  const [least] = nodes
    .map(({ node, balance }) => ({ name: nodeNameOf(node), balance }))
    .sort((a, b) => (BigInt(a.balance) < BigInt(b.balance) ? -1 : 1));
  return { series, least };
}
