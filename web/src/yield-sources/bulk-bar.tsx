import { Button } from '../design/button.tsx';
import { formatCount } from '../format/figures.ts';
import { MAX_PAIRS } from './pairs.ts';
import type { Source } from './types.ts';

type Props = {
  all: readonly Source[];
  selected: Source[];
  onChoose: (chosen: ReadonlySet<string>) => void;
  onAsk: (asking: { what: 'oracle' | 'remove'; sources: Source[] }) => void;
};

/** What can be done to all chosen sources in one transaction. */
export function BulkBar({ all, selected, onChoose, onAsk }: Props) {
  const isAll = selected.length === all.length;
  const isOff = selected.length === 0 || selected.length > MAX_PAIRS;
  return (
    <fieldset className="flex flex-wrap items-center gap-3 border-b px-4 py-3">
      <legend className="sr-only">Changes of several sources</legend>
      <label className="flex min-h-8 items-center gap-2 text-13">
        <input
          type="checkbox"
          checked={isAll}
          onChange={() => onChoose(isAll ? new Set() : new Set(all.map(({ source_address }) => source_address)))}
          className="size-4 accent-[var(--accent)]"
        />
        Choose all
      </label>
      <span role="status" className="text-13 text-muted">
        {selected.length > MAX_PAIRS
          ? `${formatCount(selected.length)} chosen; one call takes ${MAX_PAIRS}`
          : `${formatCount(selected.length)} chosen`}
      </span>
      <span className="flex flex-wrap gap-2 sm:ml-auto">
        <Button isDisabled={isOff} onPress={() => onAsk({ what: 'oracle', sources: selected })}>
          Change oracle of chosen
        </Button>
        <Button look="danger" isDisabled={isOff} onPress={() => onAsk({ what: 'remove', sources: selected })}>
          Remove chosen
        </Button>
      </span>
    </fieldset>
  );
}
