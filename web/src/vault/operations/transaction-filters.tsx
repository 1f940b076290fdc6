import { X } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../design/button.tsx';
import { Choice } from '../../design/choice.tsx';
import { shortHex } from '../../format/address.ts';
import { DayFields } from '../../lists/day-fields.tsx';
import { isReversed } from '../../lists/days.ts';
import { useQueryPart } from '../../period/use-view.ts';
import { filterParts, isWallet, type TransactionFilter } from './filter.ts';
import { transactionTypes, typeWords } from './transaction-labels.ts';

const types = [
  { value: 'all' as const, label: 'Every kind' },
  ...transactionTypes.map((type) => ({ value: type, label: typeWords[type] })),
];

const none: TransactionFilter = { type: 'all', wallet: '', from: '', to: '', hash: '' };

const input = 'h-9 w-full rounded-control border border-line-strong bg-raised px-3 text-13 placeholder:text-muted';

/** Narrows the list; what is chosen stands in the URL, so that it can be shared. */
export function TransactionFilters({ filter }: { filter: TransactionFilter }) {
  const put = useQueryPart();
  const set = (change: Partial<TransactionFilter>) => put(filterParts(change));
  const isFiltered = filter.type !== 'all' || filter.wallet !== '' || filter.from !== '' || filter.to !== '';
  const { hash } = filter;
  return (
    <fieldset className="flex flex-wrap items-end gap-3 border-b p-4">
      <legend className="sr-only">Filter of transactions</legend>
      <Choice label="Kind" value={filter.type} options={types} onChange={(type) => set({ type })} className="w-52" />
      <WalletFilter key={filter.wallet} wallet={filter.wallet} onChange={(wallet) => set({ wallet })} />
      <DayFields days={filter} onChange={set} />
      {hash === '' ? null : (
        <Button
          aria-label={`Transaction ${shortHex(hash)} alone: show the others too`}
          onPress={() => set({ hash: '' })}
        >
          Transaction
          <span className="font-mono">{shortHex(hash)}</span>
          <X size={14} aria-hidden="true" />
        </Button>
      )}
      {isFiltered ? (
        <Button look="quiet" onPress={() => set(none)}>
          Clear filters
        </Button>
      ) : null}
      {isReversed(filter) ? (
        <p role="alert" className="w-full text-12 text-danger">
          The first day is after the last, so the range of the page is shown.
        </p>
      ) : null}
    </fieldset>
  );
}

/** Takes a whole address only, so that half of one does not empty the list while it is typed. */
function WalletFilter({ wallet, onChange }: { wallet: string; onChange: (wallet: string) => void }) {
  const [text, setText] = useState(wallet);
  const isWrong = text !== '' && !isWallet(text);
  return (
    <label className="flex min-w-0 flex-1 basis-64 flex-col gap-1 text-13 font-medium">
      Wallet
      <input
        value={text}
        placeholder="0x…"
        autoComplete="off"
        spellCheck={false}
        aria-invalid={isWrong}
        aria-describedby={isWrong ? 'wallet-filter-fault' : undefined}
        onChange={({ target }) => {
          const next = target.value.trim();
          setText(next);
          if (next === '' || isWallet(next)) onChange(next);
        }}
        className={`${input} font-mono`}
      />
      {isWrong ? (
        <span id="wallet-filter-fault" className="text-12 font-normal text-danger">
          A wallet is 0x and 40 hexadecimal digits
        </span>
      ) : null}
    </label>
  );
}
