import { AddressTag } from '../design/address-tag.tsx';
import { Button } from '../design/button.tsx';
import { Pill } from '../design/pill.tsx';
import { shortHex } from '../format/address.ts';
import { formatShare, formatUsd, NONE } from '../format/figures.ts';
import { formatUtc } from '../format/time.ts';
import { type RowsColumn, RowsTable } from '../lists/rows-table.tsx';
import { assetsExact, assetsText } from '../vault/money.ts';
import type { Shown } from '../vault/vault-gate.tsx';
import type { Listing, Source } from './types.ts';

type Manage = {
  chosen: ReadonlySet<string>;
  onChoose: (chosen: ReadonlySet<string>) => void;
  onAsk: (asking: { what: 'oracle' | 'remove'; sources: Source[] }) => void;
};
type Props = { shown: Shown; listing: Listing; manage?: Manage | undefined };

const typeWords: Record<Source['source_type'], string> = { erc4626: 'ERC-4626 vault', unknown: 'Unknown' };

export function SourcesTable({ shown, listing, manage }: Props) {
  return (
    <RowsTable
      label="Yield sources"
      columns={[
        ...(manage === undefined ? [] : [selectColumn(manage)]),
        ...columnsOf(shown, listing.block_number),
        ...(manage === undefined ? [] : [actionsColumn(manage)]),
      ]}
      rows={listing.yield_sources}
      rowId={({ source_address }) => source_address}
    />
  );
}

const selectColumn = ({ chosen, onChoose }: Manage): RowsColumn<Source> => ({
  id: 'select',
  header: 'Choose',
  isHeaderHidden: true,
  cell: ({ source_address: address, name }) => (
    <label className="grid size-6 place-items-center">
      <span className="sr-only">{`Choose ${name}`}</span>
      <input
        type="checkbox"
        checked={chosen.has(address)}
        onChange={({ target }) =>
          onChoose(new Set(target.checked ? [...chosen, address] : [...chosen].filter((each) => each !== address)))
        }
        className="size-4 accent-[var(--accent)]"
      />
    </label>
  ),
});

const actionsColumn = ({ onAsk }: Manage): RowsColumn<Source> => ({
  id: 'actions',
  header: 'Change',
  align: 'right',
  cell: (source) => (
    <span className="flex justify-end gap-2">
      <Button
        aria-label={`Change the oracle of ${source.name}`}
        onPress={() => onAsk({ what: 'oracle', sources: [source] })}
      >
        Oracle
      </Button>
      <Button
        look="danger"
        aria-label={`Remove ${source.name}`}
        onPress={() => onAsk({ what: 'remove', sources: [source] })}
      >
        Remove
      </Button>
    </span>
  ),
  // Narrow screens do the same with the chosen ones.
  className: 'hidden md:table-cell',
});

function columnsOf({ vault, chain }: Shown, block: number): RowsColumn<Source>[] {
  const explorerUrl = chain.explorer_url;
  return [
    {
      id: 'source',
      header: 'Source',
      cell: (source) => (
        <span className="flex flex-col items-start">
          <span className="font-medium">{source.name}</span>
          <AddressTag value={source.source_address} what={`address of ${source.name}`} explorerUrl={explorerUrl} />
          <span title={source.oracle_address} className="text-12 text-muted md:hidden">
            {'oracle '}
            <span className="font-mono">{shortHex(source.oracle_address)}</span>
          </span>
          {source.oracle_ok ? null : <span className="text-12 text-danger md:hidden">Its oracle gives no answer</span>}
        </span>
      ),
    },
    {
      id: 'type',
      header: 'Type',
      cell: ({ source_type: type }) => typeWords[type],
      className: 'hidden lg:table-cell',
    },
    {
      id: 'oracle',
      header: 'Oracle',
      cell: ({ name, oracle_address: oracle, oracle_ok: ok }) => (
        <span className="flex flex-col items-start gap-1">
          <AddressTag value={oracle} what={`oracle of ${name}`} explorerUrl={explorerUrl} />
          {ok ? (
            <Pill tone="ok" title={`It gave a value at block ${block}`}>
              Answers
            </Pill>
          ) : (
            <Pill tone="critical" title={`It gave no value for this source at block ${block}`}>
              No answer
            </Pill>
          )}
        </span>
      ),
      className: 'hidden md:table-cell',
    },
    {
      id: 'assets',
      header: 'Holds',
      align: 'right',
      cell: ({ assets, usd, share }) =>
        assets === null ? (
          <span title="The oracle gave no value">{NONE}</span>
        ) : (
          <span title={assetsExact(vault, assets)} className="whitespace-nowrap">
            <span className="block">{assetsText(vault, assets)}</span>
            <span className="block text-12 text-muted">
              {[usd === null ? null : formatUsd(usd), share === null ? null : formatShare(share)]
                .filter((part) => part !== null)
                .join(' · ')}
            </span>
          </span>
        ),
    },
    {
      id: 'apy',
      header: 'APY',
      align: 'right',
      cell: ({ apy }) => (apy === null ? <span title="Not known for this source">{NONE}</span> : formatShare(apy)),
      className: 'hidden md:table-cell',
    },
    {
      id: 'added',
      header: 'Added',
      cell: ({ name, added_at: at, added_tx: tx }) =>
        at === null ? (
          <span title="Before the first block that is read">{NONE}</span>
        ) : (
          <span className="flex flex-col items-start">
            <time dateTime={at}>{formatUtc(at)}</time>
            {tx === null ? null : (
              <AddressTag value={tx} what={`transaction that added ${name}`} kind="tx" explorerUrl={explorerUrl} />
            )}
          </span>
        ),
      className: 'hidden xl:table-cell',
    },
  ];
}
