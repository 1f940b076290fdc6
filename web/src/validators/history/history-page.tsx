import { useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'react-router';
import { useApp } from '../../client/services.ts';
import { useLastingError } from '../../data/lasting-error.ts';
import { publicVaultsQuery } from '../../data/queries.ts';
import { Card } from '../../design/card.tsx';
import { Choice } from '../../design/choice.tsx';
import { useHead } from '../../design/head.ts';
import { Empty, Failure, Notice, Skeleton } from '../../design/states.tsx';
import { formatUtc } from '../../format/time.ts';
import { NotUpdated } from '../../live/not-updated.tsx';
import { networkQuery, nodeName } from '../network.ts';
import { ValidatorsTabs } from '../validators-tabs.tsx';
import {
  type Asked,
  type History,
  historyQuery,
  isRoundFilter,
  isWindow,
  type RoundFilter,
  type Window,
  windows,
} from './history.ts';
import { HistoryCharts } from './history-charts.tsx';
import { NodesOverTime, TransmittersOverTime, VaultsOverTime } from './history-tables.tsx';
import { RoundsList } from './rounds-list.tsx';

const windowWords: Record<Window, string> = {
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
  '90d': 'Last 90 days',
};

/** How the oracle network did over a window, of all nodes and vaults or of one; which stands in the URL. */
export function ValidatorHistoryPage() {
  const { api, config } = useApp();
  useHead('Validators over time', 'Participation, latency, agreement and gas of the nodes that price the vaults.', {
    canonical: `${config.public_url}/validators/history`,
  });
  const [search, setSearch] = useSearchParams();
  const window = search.get('window');
  const asked: Asked = {
    window: isWindow(window) ? window : '24h',
    signer: search.get('node') ?? '',
    vault: search.get('vault') ?? '',
  };
  const rounds = search.get('rounds');
  const filter = isRoundFilter(rounds) ? rounds : '';
  const put = (name: string, value: string) =>
    setSearch(
      (before) => {
        if (value === '') before.delete(name);
        else before.set(name, value);
        return before;
      },
      { replace: true, preventScrollReset: true },
    );
  const read = useQuery(historyQuery(api, asked));
  const error = useLastingError(read);
  const { data, isPlaceholderData, refetch, dataUpdatedAt } = read;
  return (
    <div className="mx-auto flex w-full max-w-[1200px] flex-col gap-4 px-4 py-6 sm:px-6">
      <div>
        <h1 className="text-28 font-semibold tracking-tight">Validators over time</h1>
        <p className="max-w-prose text-13 text-muted">
          Whether the nodes took part, how fast, how far apart, and what it cost: by what they publish and what is on
          the chain.
        </p>
      </div>
      <ValidatorsTabs />
      <Filters asked={asked} put={put} />
      {error === null ? null : data === undefined ? (
        <Failure error={error} title="The history could not be read" retry={() => void refetch()} />
      ) : (
        <NotUpdated what="History" readAt={dataUpdatedAt} error={error} retry={() => void refetch()} />
      )}
      {data === undefined ? (
        error === null ? (
          <Waiting />
        ) : null
      ) : (
        <Known history={data} asked={asked} filter={filter} put={put} isOld={isPlaceholderData} />
      )}
    </div>
  );
}

function Filters({ asked, put }: { asked: Asked; put: (name: string, value: string) => void }) {
  const { api } = useApp();
  // Of names alone: they need no polling.
  const network = useQuery({ ...networkQuery(api), refetchInterval: false }).data;
  const vaults = useQuery(publicVaultsQuery(api)).data ?? [];
  const nodes = network?.nodes ?? [];
  const nodeOptions = nodes.map(({ index, signer_address }) => ({
    value: signer_address,
    label: nodeName(nodes, index),
  }));
  const vaultOptions = vaults.map(({ chain_id, vault_address, name }) => ({
    value: `${chain_id}:${vault_address}`,
    label: name,
  }));
  return (
    <div className="grid gap-3 sm:grid-cols-3">
      <Choice
        label="Window"
        value={asked.window}
        options={windows.map((value) => ({ value, label: windowWords[value] }))}
        onChange={(value) => put('window', value)}
      />
      <Choice
        label="Node"
        value={asked.signer}
        options={[{ value: '', label: 'All nodes' }, ...withChosen(nodeOptions, asked.signer)]}
        onChange={(value) => put('node', value)}
      />
      <Choice
        label="Vault"
        value={asked.vault}
        options={[{ value: '', label: 'All vaults' }, ...withChosen(vaultOptions, asked.vault)]}
        onChange={(value) => put('vault', value)}
      />
    </div>
  );
}

type Option = { value: string; label: string };

/** What the URL names stays chosen, though it is not among those of today. */
const withChosen = (options: readonly Option[], chosen: string): readonly Option[] =>
  chosen === '' || options.some(({ value }) => value === chosen)
    ? options
    : [...options, { value: chosen, label: chosen }];

const Waiting = () => (
  <div role="status" aria-label="Loading the history" className="flex flex-col gap-4">
    <Skeleton className="h-64 w-full" />
    <Skeleton className="h-64 w-full" />
    <Skeleton className="h-44 w-full" />
  </div>
);

type KnownProps = {
  history: History;
  asked: Asked;
  filter: RoundFilter | '';
  put: (name: string, value: string) => void;
  isOld: boolean;
};

function Known({ history, asked, filter, put, isOld }: KnownProps) {
  if (history.since === null)
    return (
      <Card isFlush>
        <Empty title="Nothing has been recorded yet">
          The history begins with the first round that a node reports to this system. What was before it is not
          recorded.
        </Empty>
      </Card>
    );
  return (
    <div aria-busy={isOld} className="flex flex-col gap-4">
      {Date.parse(history.since) > Date.parse(history.from) ? (
        <Notice tone="info" title={`Recorded since ${formatUtc(history.since)}`}>
          What was before is not recorded and stays empty in the charts.
        </Notice>
      ) : null}
      <HistoryCharts history={history} asked={asked} />
      <NodesOverTime history={history} isOfVault={asked.vault !== ''} />
      <TransmittersOverTime history={history} isOfVault={asked.vault !== ''} />
      <VaultsOverTime history={history} />
      <RoundsList
        keptDays={history.rounds_kept_days}
        asked={{ ...asked, filter }}
        onFilter={(value) => put('rounds', value)}
      />
    </div>
  );
}
