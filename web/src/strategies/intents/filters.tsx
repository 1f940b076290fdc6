import { type FormEvent, useState } from 'react';
import { Button } from '../../design/button.tsx';
import { Choice } from '../../design/choice.tsx';
import { Field } from '../../design/field.tsx';
import { DayFields } from '../../lists/day-fields.tsx';
import { useQueryPart } from '../../period/use-view.ts';
import { actionWords, type Strategy } from '../types.ts';
import { filterParts, type IntentFilter, isEmpty, noFilter, TX } from './filter.ts';
import { type Facets, intentStates } from './intent-states.ts';

type Props = { filter: IntentFilter; facets: Facets | undefined; strategies: readonly Strategy[] };
type Counts = Facets['state'];

const counted = (label: string, counts: Counts | undefined, value: string): string => {
  const count = counts?.find((each) => each.value === value)?.count;
  return counts === undefined ? label : `${label} (${count ?? 0})`;
};

/** Narrows the history; what is chosen stands in the URL. Behind each choice, how many there are. */
export function IntentFilters({ filter, facets, strategies }: Props) {
  const put = useQueryPart();
  const set = (change: Partial<IntentFilter>) => put(filterParts(change));
  const nameOf = (id: string) => strategies.find((each) => each.id === id)?.name ?? id;
  const ids = new Set([
    ...(facets?.strategy.map(({ value }) => value) ?? []),
    ...(filter.strategy === '' ? [] : [filter.strategy]),
  ]);
  const words = <T extends string>(all: string, of: Readonly<Record<T, string>>, counts: Counts | undefined) => [
    { value: '' as const, label: all },
    ...Object.entries<string>(of).map(([value, label]) => ({
      value: value as T,
      label: counted(label, counts, value),
    })),
  ];
  const states = Object.fromEntries(Object.entries(intentStates).map(([state, { word }]) => [state, word])) as Record<
    keyof typeof intentStates,
    string
  >;
  return (
    <fieldset className="grid grid-cols-2 items-end gap-3 border-b p-4 sm:flex sm:flex-wrap">
      <legend className="sr-only">Filter of the history</legend>
      <Choice
        label="State"
        value={filter.state}
        options={words('Every state', states, facets?.state)}
        onChange={(state) => set({ state })}
        className="w-full sm:w-44"
      />
      <Choice
        label="Action"
        value={filter.action}
        options={words('Every action', actionWords, facets?.action)}
        onChange={(action) => set({ action })}
        className="w-full sm:w-44"
      />
      <Choice
        label="Strategy"
        value={filter.strategy}
        options={[
          { value: '', label: 'Every strategy' },
          ...[...ids].map((value) => ({ value, label: counted(nameOf(value), facets?.strategy, value) })),
        ]}
        onChange={(strategy) => set({ strategy })}
        className="col-span-2 w-full sm:w-52"
      />
      <DayFields days={filter} onChange={set} />
      <Search key={filter.q || filter.tx} filter={filter} onChange={set} />
      {isEmpty(filter) ? null : (
        <Button look="quiet" onPress={() => set(noFilter)}>
          Clear filters
        </Button>
      )}
    </fieldset>
  );
}

type PartProps = { filter: IntentFilter; onChange: (change: Partial<IntentFilter>) => void };

/** A whole transaction hash is looked for as one, anything else in ids, error codes and messages. */
function Search({ filter, onChange }: PartProps) {
  const [text, setText] = useState(filter.tx === '' ? filter.q : filter.tx);
  const search = (event: FormEvent) => {
    event.preventDefault();
    const sought = text.trim();
    onChange(TX.test(sought) ? { tx: sought, q: '' } : { tx: '', q: sought });
  };
  return (
    <form
      aria-label="Find an intent"
      onSubmit={search}
      className="col-span-2 flex min-w-0 flex-1 basis-72 items-end gap-2"
    >
      <Field
        label="Id, error or transaction"
        value={text}
        onChange={setText}
        maxLength={100}
        autoComplete="off"
        className="flex-1"
      />
      <Button type="submit">Find</Button>
    </form>
  );
}
