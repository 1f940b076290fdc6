import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { Api } from '../client/api.ts';
import { useApp } from '../client/services.ts';
import { AddressTag } from '../design/address-tag.tsx';
import { Button } from '../design/button.tsx';
import { Choice } from '../design/choice.tsx';
import { Field } from '../design/field.tsx';
import { ReasonedButton } from '../design/reasoned-button.tsx';
import { Empty, RowSkeletons } from '../design/states.tsx';
import { sameAddress, shortHex } from '../format/address.ts';
import { formatCount, formatShare, NONE } from '../format/figures.ts';
import { formatDay, formatUtc } from '../format/time.ts';
import { More } from '../lists/more.tsx';
import { type RowsColumn, RowsTable } from '../lists/rows-table.tsx';
import { useSettled } from '../lists/use-settled.ts';
import { ReadTrouble } from '../live/read-trouble.tsx';
import type { Shown } from '../vault/vault-gate.tsx';
import { type Draft, type Known, knows } from './pairs.ts';
import { holdsOf } from './source-facts.ts';

type Entry = Awaited<ReturnType<Api['sourceCatalogue']>>['sources'][number];
type Props = { shown: Shown; known: Known; drafts: readonly Draft[]; onAdd: (source: string) => void };
type Assets = 'own' | 'all';

/** Anybody can create a vault, and value a source with anything: those that most vaults use are shown. */
const MOST_ORACLES = 3;

function useCatalogue({ vault }: Shown, assets: Assets, text: string) {
  const { api } = useApp();
  const search = useSettled(text.trim());
  const narrowed = {
    ...(assets === 'own' ? { asset: vault.asset.address } : {}),
    ...(search === '' ? {} : { search }),
  };
  return useInfiniteQuery({
    queryKey: ['source-catalogue', vault.chain_id, vault.vault_address.toLowerCase(), assets, search],
    queryFn: ({ pageParam }) =>
      api.sourceCatalogue({
        params: { chain_id: String(vault.chain_id) },
        query: { ...narrowed, limit: '100', ...(pageParam === null ? {} : { cursor: pageParam }) },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    placeholderData: keepPreviousData,
  });
}

/** Sources that vaults of the chain have or had, to be taken into the form. */
export function Catalogue(props: Props) {
  const id = useId();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <div className="flex flex-col gap-3">
      <span>
        <Button aria-expanded={isOpen} aria-controls={id} onPress={() => setIsOpen(!isOpen)}>
          Choose from the catalogue
        </Button>
      </span>
      {isOpen ? (
        <div id={id} className="flex min-w-0 flex-col gap-3">
          <OpenCatalogue {...props} />
        </div>
      ) : null}
    </div>
  );
}

function OpenCatalogue({ shown, known, drafts, onAdd }: Props) {
  const [assets, setAssets] = useState<Assets>('own');
  const [text, setText] = useState('');
  const list = useCatalogue(shown, assets, text);
  const entries = list.data?.pages.flatMap(({ sources }) => sources);
  const { symbol } = shown.vault.asset;
  return (
    <>
      <p className="text-13 text-muted">
        Sources that vaults of this chain have or had, at most the 200 that most vaults have. Names and amounts are what
        each contract says of itself; none says of which protocol it is.
      </p>
      <span className="flex flex-wrap gap-3">
        <Field
          label="Name, symbol or address"
          value={text}
          onChange={setText}
          maxLength={100}
          className="flex-1 basis-56"
        />
        <Choice
          label="Asset"
          value={assets}
          options={[
            { value: 'own', label: `Only ${symbol}` },
            { value: 'all', label: 'All assets' },
          ]}
          onChange={setAssets}
          className="basis-40"
        />
      </span>
      <ReadTrouble of={list} what="The catalogue" />
      {entries === undefined ? (
        list.isError ? null : (
          <RowSkeletons rows={3} />
        )
      ) : entries.length === 0 ? (
        <Empty title="No such source">
          {text.trim() === ''
            ? 'A source appears here once a vault of this chain has added it. Any address can be typed below.'
            : 'Nothing in the catalogue has this in its name, symbol or address.'}
        </Empty>
      ) : (
        <div className="rounded-control border">
          <RowsTable
            label="Catalogue"
            columns={columnsOf(shown, (entry) => whyNot(entry, { shown, known, drafts }), onAdd)}
            rows={entries}
            isOld={list.isPlaceholderData}
            rowId={({ source_address }) => source_address}
          />
          {list.hasNextPage ? (
            <More list={list} shown={entries.length} total={list.data?.pages[0]?.total ?? 0} what="sources" />
          ) : null}
        </div>
      )}
    </>
  );
}

/** Why a source is not offered; null where it is. */
function whyNot({ source_address: address, asset }: Entry, { shown, known, drafts }: Omit<Props, 'onAdd'>) {
  if (knows(known, address)) return 'On the list already';
  if (drafts.some(({ source }) => sameAddress(source.trim(), address))) return 'In the form';
  if (asset === null) return 'It names no asset';
  return sameAddress(asset.address, shown.vault.asset.address) ? null : `Its asset is ${asset.symbol ?? 'another one'}`;
}

const columnsOf = (
  { chain }: Shown,
  reasonOf: (entry: Entry) => string | null,
  onAdd: Props['onAdd'],
): RowsColumn<Entry>[] => [
  {
    id: 'source',
    header: 'Source',
    cell: (entry) => (
      <span className="flex flex-col items-start">
        <span className="break-words font-medium">{entry.name ?? 'Without a name'}</span>
        <span className="text-12 text-muted sm:hidden">{holdsOf(entry)}</span>
        <span className="text-12 text-muted md:hidden">{`${assetOf(entry)}, ${oracleText(entry)}`}</span>
        <span className="text-12 text-muted lg:hidden">
          <span className="md:hidden">{`in ${vaultsText(entry.vault_count)}, `}</span>
          {sinceText(entry)}
        </span>
        <AddressTag
          value={entry.source_address}
          what={`address of ${entry.name ?? entry.source_address}`}
          explorerUrl={chain.explorer_url}
        />
      </span>
    ),
  },
  {
    id: 'asset',
    header: 'Asset',
    cell: (entry) =>
      entry.asset === null ? (
        <span title="It names no asset">{NONE}</span>
      ) : (
        <span className="flex flex-col items-start">
          {assetOf(entry)}
          <AddressTag
            value={entry.asset.address}
            what={`address of the asset of ${entry.name ?? entry.source_address}`}
            explorerUrl={chain.explorer_url}
          />
        </span>
      ),
    className: 'hidden md:table-cell',
  },
  {
    id: 'oracle',
    header: 'Oracle',
    cell: (entry) => <OracleCell entry={entry} explorerUrl={chain.explorer_url} />,
    className: 'hidden md:table-cell',
  },
  { id: 'holds', header: 'Holds', align: 'right', cell: holdsOf, className: 'hidden sm:table-cell' },
  {
    id: 'apy',
    header: 'APY',
    align: 'right',
    cell: ({ apy }) => (apy === null ? <span title="Not known from stored prices">{NONE}</span> : formatShare(apy)),
  },
  {
    id: 'vaults',
    header: 'Vaults',
    align: 'right',
    cell: ({ vault_count: count, first_seen_at: since }) => (
      <span title={since === null ? 'Added before the first block that is read' : `First added ${formatUtc(since)}`}>
        {formatCount(count)}
      </span>
    ),
    className: 'hidden md:table-cell',
  },
  {
    id: 'since',
    header: 'Since',
    cell: ({ first_seen_at: since }) => (since === null ? NONE : <time dateTime={since}>{formatUtc(since)}</time>),
    className: 'hidden lg:table-cell',
  },
  {
    id: 'add',
    header: 'Add',
    align: 'right',
    cell: (entry) => <AddCell entry={entry} reason={reasonOf(entry)} onAdd={onAdd} />,
  },
];

const assetOf = ({ asset }: Entry): string => (asset === null ? 'no asset' : (asset.symbol ?? 'without a symbol'));

const sinceText = ({ first_seen_at: since }: Entry): string =>
  since === null ? 'since before the first block that is read' : `since ${formatDay(since)}`;

/** Whose price counts most: the first of them is what most vaults value it with. */
function oracleText({ oracles }: Entry): string {
  const [first, ...others] = oracles;
  if (first === undefined) return 'no oracle now';
  return `oracle ${shortHex(first.oracle_address)}${others.length === 0 ? '' : ` and ${formatCount(others.length)} more`}`;
}

const vaultsText = (count: number): string => `${formatCount(count)} ${count === 1 ? 'vault' : 'vaults'}`;

function OracleCell({ entry: { oracles, name, source_address: source }, explorerUrl }: { entry: Entry } & Explored) {
  if (oracles.length === 0) return <span title="No vault has it now, so none values it">{NONE}</span>;
  return (
    <ul className="flex flex-col items-start">
      {oracles.slice(0, MOST_ORACLES).map(({ oracle_address: oracle, used_by: count }) => (
        <li key={oracle} className="flex flex-wrap items-center gap-x-1.5">
          <AddressTag value={oracle} what={`oracle of ${name ?? source}`} explorerUrl={explorerUrl} />
          {oracles.length === 1 ? null : <span className="text-12 text-muted">{`in ${vaultsText(count)}`}</span>}
        </li>
      ))}
      {oracles.length > MOST_ORACLES ? (
        <li className="text-12 text-muted">{`and ${formatCount(oracles.length - MOST_ORACLES)} more`}</li>
      ) : null}
    </ul>
  );
}
type Explored = { explorerUrl: Shown['chain']['explorer_url'] };

function AddCell({ entry, reason, onAdd }: { entry: Entry; reason: string | null; onAdd: Props['onAdd'] }) {
  const { source_address: source, name } = entry;
  return (
    <ReasonedButton
      align="end"
      reason={reason}
      aria-label={`Add ${name ?? source} to the form`}
      onPress={() => onAdd(source)}
    >
      Add
    </ReasonedButton>
  );
}
