import { auditCategories } from '@castellan/contracts';
import { useState } from 'react';
import { Button } from '../design/button.tsx';
import { Choice } from '../design/choice.tsx';
import { DayFields } from '../lists/day-fields.tsx';
import { useQueryPart } from '../period/use-view.ts';
import { actionWords, categoryWords } from './audit-labels.ts';
import { type AuditFilter, filterParts, isEmpty, isWallet } from './filter.ts';

const input = 'h-9 w-full rounded-control border border-line-strong bg-raised px-3 text-13 placeholder:text-muted';
const kinds = [
  { value: '' as const, label: 'Every kind' },
  ...auditCategories.map((value) => ({ value, label: categoryWords[value] })),
];

/** Narrows the log; what is chosen stands in the URL, so that it can be shared. */
export function LogFilters({ filter, actionTypes }: { filter: AuditFilter; actionTypes: readonly string[] }) {
  const put = useQueryPart();
  const set = (change: Partial<AuditFilter>) => put(filterParts(change));
  const known = filter.action === '' || actionTypes.includes(filter.action) ? [] : [filter.action];
  const actions = [
    { value: '', label: 'Every action' },
    ...[...actionTypes, ...known].map((value) => ({ value, label: actionWords(value) })),
  ];
  return (
    <fieldset className="flex flex-wrap items-end gap-3 border-b p-4">
      <legend className="sr-only">Filter of the log</legend>
      <Choice
        label="Kind"
        value={filter.category}
        options={kinds}
        onChange={(category) => set({ category })}
        className="w-full sm:w-44"
      />
      <Choice
        label="Action"
        value={filter.action}
        options={actions}
        onChange={(action) => set({ action })}
        className="w-full sm:w-52"
      />
      <ActorFilter key={filter.actor} actor={filter.actor} onChange={(actor) => set({ actor })} />
      <DayFields days={filter} onChange={set} />
      {isEmpty(filter) ? null : (
        <Button look="quiet" onPress={() => set({ category: '', action: '', actor: '', from: '', to: '' })}>
          Clear filters
        </Button>
      )}
    </fieldset>
  );
}

/** Takes a whole address only, so that half of one does not empty the list while it is typed. */
function ActorFilter({ actor, onChange }: { actor: string; onChange: (actor: string) => void }) {
  const [text, setText] = useState(actor);
  const isWrong = text !== '' && !isWallet(text);
  return (
    <label className="flex min-w-0 flex-1 basis-64 flex-col gap-1 text-13 font-medium">
      Who (wallet)
      <input
        value={text}
        placeholder="0x…"
        autoComplete="off"
        spellCheck={false}
        aria-invalid={isWrong}
        aria-describedby={isWrong ? 'actor-filter-fault' : undefined}
        onChange={({ target }) => {
          const next = target.value.trim();
          setText(next);
          if (next === '' || isWallet(next)) onChange(next);
        }}
        className={`${input} font-mono`}
      />
      {isWrong ? (
        <span id="actor-filter-fault" className="text-12 font-normal text-danger">
          A wallet is 0x and 40 hexadecimal digits
        </span>
      ) : null}
    </label>
  );
}
