import { useRead } from '@castellan/react';
import type { Vault } from '../data/queries.ts';
import { AddressTag } from '../design/address-tag.tsx';
import { PlainTable } from '../design/plain-table.tsx';
import { ReasonedButton } from '../design/reasoned-button.tsx';
import { Skeleton } from '../design/states.tsx';
import { formatCounted, formatShare, NONE } from '../format/figures.ts';
import { ReadTrouble } from '../live/read-trouble.tsx';
import { type Move, missingRows, type RowSource, rowOfMove } from './presets.ts';
import type { Hook, HookRow } from './types.ts';

type Props = {
  vault: Vault;
  hooks: readonly Hook[];
  rows: readonly HookRow[];
  onAdd: (rows: readonly HookRow[]) => void;
};

/** Rows that follow from the list of yield sources: all that are missing at once, or one by one. */
export function SourceRows({ vault, hooks, rows, onAdd }: Props) {
  const { chain_id, vault_address } = vault;
  const listing = useRead('yieldSources', { params: { chain_id: String(chain_id), vault_address } });
  const sources = listing.data?.yield_sources;
  if (sources === undefined)
    return listing.isError ? <ReadTrouble of={listing} what="The yield sources" /> : <Skeleton className="h-9 w-72" />;
  const missing = missingRows({ vault, hooks, rows, sources });
  const others = sources.filter(({ source_type }) => source_type !== 'erc4626');
  return (
    <div className="flex flex-col gap-2 rounded-control border p-3">
      <ReasonedButton
        reason={'reason' in missing ? missing.reason : null}
        onPress={() => 'rows' in missing && onAdd(missing.rows)}
      >
        Deposit and redeem for all my sources
      </ReasonedButton>
      <p className="text-12 text-muted">
        {'rows' in missing ? `Fills in ${formatCounted(missing.rows.length, 'missing row')}. ` : ''}
        {others.length === 0
          ? ''
          : `Left out, because they do not answer as ERC-4626 vaults: ${others.map(({ name }) => name).join(', ')}.`}
      </p>
      {sources.length === 0 ? null : (
        <details className="text-13">
          <summary className="min-h-6 cursor-pointer">Rows of one source</summary>
          <PlainTable
            label="Rows of one source"
            head={['Source', 'APY', 'Deposit', 'Redeem']}
            isInset
            rows={sources.map((source) => ({
              id: source.source_address,
              cells: [
                <span key="source" className="flex flex-col items-start">
                  {source.name}
                  <AddressTag value={source.source_address} what={`address of ${source.name}`} />
                </span>,
                source.apy === null ? NONE : formatShare(source.apy),
                <MoveCell key="deposit" of={{ vault, hooks, rows }} move="DEPOSIT" source={source} onAdd={onAdd} />,
                <MoveCell key="redeem" of={{ vault, hooks, rows }} move="WITHDRAWAL" source={source} onAdd={onAdd} />,
              ],
            }))}
          />
        </details>
      )}
    </div>
  );
}

type MoveProps = {
  of: Pick<Props, 'vault' | 'hooks' | 'rows'>;
  move: Move;
  source: RowSource;
  onAdd: Props['onAdd'];
};

const verbs = { DEPOSIT: 'deposit', WITHDRAWAL: 'redeem' } as const;

function MoveCell({ of, move, source, onAdd }: MoveProps) {
  const found = rowOfMove(of, move, source);
  if (found === undefined) return <span className="text-12 text-muted">No hook</span>;
  return (
    <ReasonedButton
      align="end"
      aria-label={`Add the ${verbs[move]} of ${source.name}`}
      reason={found.isThere ? 'Added' : null}
      onPress={() => onAdd([found.row])}
    >
      Add
    </ReasonedButton>
  );
}
