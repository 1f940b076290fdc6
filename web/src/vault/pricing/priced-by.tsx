import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { useApp } from '../../client/services.ts';
import { useLastingError } from '../../data/lasting-error.ts';
import { POLL_MS } from '../../data/queries.ts';
import { Card } from '../../design/card.tsx';
import { Empty, Failure, RowSkeletons } from '../../design/states.tsx';
import { formatPps, ppsPlaces } from '../../format/amount.ts';
import { formatDuration } from '../../format/time.ts';
import { useChainNow } from '../../live/chain-clock.ts';
import { NotUpdated } from '../../live/not-updated.tsx';
import { OfNow } from '../../moment/of-now.tsx';
import { type Network, networkQuery, type Pricing, pricingQuery } from '../../validators/network.ts';
import { MarksLegend } from '../../validators/node-marks.tsx';
import { RoundsTable } from '../../validators/rounds-table.tsx';
import { TransmissionsTable } from '../../validators/transmissions-table.tsx';
import type { Shown } from '../vault-gate.tsx';

const ROUNDS = 5;

/** How this vault is priced and by whom, kept up to date by polling: no push reports a late price. */
export function usePricing({ vault, live }: Shown) {
  const { api } = useApp();
  const refetchInterval: number | false = live.mode === 'paused' || live.mode === 'hidden' ? false : POLL_MS;
  const priced = useQuery({ ...pricingQuery(api, vault.chain_id, vault.vault_address), refetchInterval });
  const network = useQuery({ ...networkQuery(api), refetchInterval });
  return { priced, network: network.data };
}

type Props = { shown: Shown } & ReturnType<typeof usePricing>;

/** Which nodes agreed on the last prices and brought them onto the chain. */
export function PricedBy({ shown, priced, network }: Props) {
  const { data, refetch, dataUpdatedAt } = priced;
  const error = useLastingError(priced);
  return (
    <Card isFlush>
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1 px-4 pt-4 pb-2">
        <div>
          <h3 className="flex items-center gap-2 text-14 font-semibold">
            Who priced this vault <OfNow />
          </h3>
          {data === undefined ? null : <NextDue next={data.next} chainTime={shown.vault.chain_time} />}
        </div>
        <Link to="/validators" className="link text-13">
          All validators
        </Link>
      </div>
      {error === null ? null : (
        <div className="px-4 pb-4">
          {data === undefined ? (
            <Failure error={error} title="Who priced this vault could not be read" retry={() => void refetch()} />
          ) : (
            <NotUpdated what="Who priced" readAt={dataUpdatedAt} error={error} retry={() => void refetch()} />
          )}
        </div>
      )}
      {data === undefined ? (
        error === null ? (
          <RowSkeletons rows={6} />
        ) : null
      ) : (
        <Listed shown={shown} data={data} nodes={network?.nodes ?? []} asOf={network?.as_of ?? newestOf(data)} />
      )}
    </Card>
  );
}

function NextDue({ next: { due_at, late_by_seconds }, chainTime }: { next: Pricing['next']; chainTime: string }) {
  const now = useChainNow(chainTime);
  if (due_at === null || late_by_seconds !== null) return null;
  const left = (Date.parse(due_at) - now) / 1_000;
  return (
    <p className="text-13 text-muted tabular-nums">
      {left > 0 ? `Next price due within ${formatDuration(left)}` : 'Next price due now'}
    </p>
  );
}

/** Without the network's own time: ages are counted from the newest that is known. */
const newestOf = ({ rounds, transmissions }: Pricing): string =>
  [...rounds.map(({ finished_at }) => finished_at), ...transmissions.map(({ t }) => t)].sort().at(-1) ?? '';

type ListedProps = { shown: Shown; data: Pricing; nodes: Network['nodes']; asOf: string };

function Listed({ shown: { vault }, data: { rounds, transmissions }, nodes, asOf }: ListedProps) {
  const places = ppsPlaces(
    transmissions.map(({ pps }) => pps),
    vault.pps_precision,
  );
  if (rounds.length === 0 && transmissions.length === 0) {
    return (
      <Empty title="No round has priced this vault yet">
        Once the validators agree on its price, who observed, signed and sent it appears here.
      </Empty>
    );
  }
  return (
    <>
      <div className="px-4 pb-1">
        <MarksLegend />
      </div>
      <RoundsTable
        label="Rounds that priced this vault"
        rounds={rounds.slice(0, ROUNDS)}
        nodesOf={() => nodes}
        transmissions={transmissions}
        asOf={asOf}
      />
      <h4 className="border-t px-4 pt-4 text-13 font-semibold">Recent transmissions</h4>
      {transmissions.length === 0 ? (
        <p className="px-4 py-3 text-13 text-muted">Agreed on, but not sent to the chain yet.</p>
      ) : (
        <TransmissionsTable
          label="Recent transmissions"
          transmissions={transmissions}
          asOf={asOf}
          about={{
            header: 'Price',
            align: 'right',
            cell: ({ pps }) => formatPps(pps, vault.pps_precision, places),
          }}
        />
      )}
    </>
  );
}
