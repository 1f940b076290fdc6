import { Button } from '../design/button.tsx';
import { explain } from '../design/explain.ts';
import { formatCount } from '../format/figures.ts';

type Props = {
  list: {
    hasNextPage: boolean;
    isFetchingNextPage: boolean;
    isFetchNextPageError: boolean;
    error: unknown;
    fetchNextPage: () => Promise<unknown>;
  };
  shown: number;
  total: number;
  what: string;
};

/** How much of a list is shown, and the way to the rest. */
export function More({ list, shown, total, what }: Props) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-3 border-t px-4 py-2 text-13 text-muted">
      <p role="status">
        {`${formatCount(shown)} of ${formatCount(total)} ${what}`}
        {list.isFetchNextPageError ? (
          <span className="block text-danger">{`More could not be read: ${explain(list.error).detail}`}</span>
        ) : null}
      </p>
      {list.hasNextPage ? (
        // Switched off while it reads, it would lose the focus of a keyboard.
        <Button onPress={() => void (list.isFetchingNextPage || list.fetchNextPage())}>
          {list.isFetchingNextPage ? 'Reading' : 'Show more'}
        </Button>
      ) : null}
    </div>
  );
}
