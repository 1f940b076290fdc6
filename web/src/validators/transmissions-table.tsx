import type { ReactNode } from 'react';
import { chainById } from '../client/config.ts';
import { useApp } from '../client/services.ts';
import { AddressTag } from '../design/address-tag.tsx';
import { Pill } from '../design/pill.tsx';
import { shortHex } from '../format/address.ts';
import { NONE } from '../format/figures.ts';
import { type RowsColumn, RowsTable } from '../lists/rows-table.tsx';
import { When } from '../lists/when.tsx';
import type { Transmission } from './network.ts';
import { reasonWords, sentStatus } from './validator-labels.ts';

type Props = {
  label: string;
  transmissions: readonly Transmission[];
  asOf: string;
  /** What the second column is about: the vault where there are many, the price where there is one. */
  about: { header: string; align?: 'right'; cell: (sent: Transmission) => ReactNode };
};

/** Prices that nodes sent to the chain, newest first, and what became of each. */
export function TransmissionsTable({ label, transmissions, asOf, about }: Props) {
  const { config } = useApp();
  const columns: RowsColumn<Transmission>[] = [
    {
      id: 'when',
      header: 'When',
      cell: ({ t }) => <When at={t} asOf={asOf} />,
    },
    { id: 'about', ...about },
    {
      id: 'status',
      header: 'What became of it',
      cell: ({ status, reason }) => {
        const { tone, word, meaning } = sentStatus[status];
        return (
          <>
            <Pill tone={tone} title={meaning}>
              {word}
            </Pill>
            {reason === null && status === 'success' ? null : (
              <span className="mt-1 block text-12 text-muted">{reason === null ? meaning : reasonWords(reason)}</span>
            )}
          </>
        );
      },
    },
    {
      id: 'by',
      header: 'Sent by',
      cell: ({ node_id: node, transmitter }) => (
        <span title={transmitter} className="whitespace-nowrap">
          {node ?? shortHex(transmitter)}
        </span>
      ),
    },
    {
      id: 'round',
      header: 'Round',
      cell: ({ epoch, round }) => (epoch === null || round === null ? NONE : `${epoch}.${round}`),
      className: 'hidden sm:table-cell',
    },
    {
      id: 'tx',
      header: 'Transaction',
      cell: ({ tx_hash: tx, chain_id }) =>
        tx === null ? (
          NONE
        ) : (
          <AddressTag value={tx} what="transaction" explorerUrl={chainById(config, chain_id)?.explorer_url} kind="tx" />
        ),
    },
  ];
  return (
    <RowsTable
      label={label}
      columns={columns}
      rows={transmissions}
      rowId={({ chain_id, strategy_address, tx_hash, report_timestamp, transmitter, t }) =>
        [chain_id, strategy_address, tx_hash, report_timestamp, transmitter, t].join(':')
      }
    />
  );
}
