import { useState } from 'react';
import { Card } from '../design/card.tsx';
import { Empty, RowSkeletons } from '../design/states.tsx';
import { formatCount } from '../format/figures.ts';
import { ReadTrouble } from '../live/read-trouble.tsx';
import { PrepareDialog } from '../signing/prepare-dialog.tsx';
import { TargetsSection } from '../targets/targets-section.tsx';
import type { Shown } from '../vault/vault-gate.tsx';
import { AddSources } from './add-sources.tsx';
import { BulkBar } from './bulk-bar.tsx';
import { OracleDialog } from './oracle-dialog.tsx';
import { RemoveDialog } from './remove-dialog.tsx';
import { SourcesTable } from './sources-table.tsx';
import { type Listing, type Source, type SourceChange, titleOf } from './types.ts';
import { useSources } from './use-sources.ts';

/** Where the vault may put its money, and the oracle that says what it is worth there. */
export function YieldSourcesPage({ shown }: { shown: Shown }) {
  const { list, refresh } = useSources(shown.vault);
  const mayChange = shown.vault.my_role === 'primary_manager';
  const count = list.data?.yield_sources.length;
  return (
    <div className="mx-auto flex w-full max-w-[1200px] flex-col gap-4 px-4 py-6 sm:px-6">
      <div>
        <h2 className="text-20 font-semibold">
          Yield sources
          {count === undefined ? null : <span className="font-normal text-muted">{` · ${formatCount(count)}`}</span>}
        </h2>
        <p className="text-13 text-muted">
          {`Where the vault may hold ${shown.vault.asset.symbol}, and the oracle that says what it is worth there. ${
            mayChange ? 'Each change is a transaction of yours.' : 'Only the primary manager changes the list.'
          }`}
        </p>
      </div>
      <ReadTrouble of={list} what="The yield sources" />
      {list.data === undefined ? (
        list.isError ? null : (
          <Card isFlush>
            <RowSkeletons rows={4} />
          </Card>
        )
      ) : mayChange ? (
        <Managed shown={shown} listing={list.data} onIndexed={refresh} />
      ) : (
        <Card isFlush>
          <Sources shown={shown} listing={list.data} />
        </Card>
      )}
      {list.data === undefined || list.data.yield_sources.length === 0 ? null : <TargetsSection shown={shown} />}
    </div>
  );
}

type SourcesProps = { shown: Shown; listing: Listing; manage?: Parameters<typeof SourcesTable>[0]['manage'] };

function Sources({ shown, listing, manage }: SourcesProps) {
  if (listing.yield_sources.length === 0) {
    return (
      <Empty title="No yield source yet">
        A source appears here once the block that adds it is indexed. Until then everything the vault holds is idle.
      </Empty>
    );
  }
  return <SourcesTable shown={shown} listing={listing} manage={manage} />;
}

type ManagedProps = { shown: Shown; listing: Listing; onIndexed: () => void };

/** The list with what its primary manager can do to it. */
function Managed({ shown, listing, onIndexed }: ManagedProps) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [asking, setAsking] = useState<{ what: 'oracle' | 'remove'; sources: Source[] }>();
  const [change, setChange] = useState<SourceChange>();
  const [added, setAdded] = useState(0);
  const selected = listing.yield_sources.filter(({ source_address }) => chosen.has(source_address));
  const prepare = (next: SourceChange) => {
    setAsking(undefined);
    setChange(next);
  };
  const done = () => {
    if (change?.kind === 'add_yield_sources') setAdded((count) => count + 1);
    setChosen(new Set());
    onIndexed();
  };
  return (
    <>
      <Card isFlush>
        {listing.yield_sources.length === 0 ? null : (
          <BulkBar all={listing.yield_sources} selected={selected} onChoose={setChosen} onAsk={setAsking} />
        )}
        <Sources shown={shown} listing={listing} manage={{ chosen, onChoose: setChosen, onAsk: setAsking }} />
      </Card>
      <AddSources
        key={added}
        shown={shown}
        listing={listing}
        onAdd={(sources) => prepare({ kind: 'add_yield_sources', args: { sources } })}
      />
      {asking?.what === 'oracle' ? (
        <OracleDialog
          sources={asking.sources}
          oracles={listing.oracles}
          onPrepare={prepare}
          onClose={() => setAsking(undefined)}
        />
      ) : null}
      {asking?.what === 'remove' ? (
        <RemoveDialog
          vault={shown.vault}
          sources={asking.sources}
          onPrepare={prepare}
          onClose={() => setAsking(undefined)}
        />
      ) : null}
      {change === undefined ? null : (
        <PrepareDialog
          shown={shown}
          title={titleOf(change)}
          change={change}
          onDone={done}
          onClose={() => setChange(undefined)}
        />
      )}
    </>
  );
}
