import { Card } from '../design/card.tsx';
import { PlainTable } from '../design/plain-table.tsx';
import { formatUtc } from '../format/time.ts';
import { actionWords, isLive, type Strategy } from './types.ts';

/** Strategies that never run again, for reading. */
export function Archived({ strategies }: { strategies: readonly Strategy[] }) {
  const archived = strategies.filter((strategy) => !isLive(strategy));
  if (archived.length === 0) return null;
  return (
    <Card isFlush>
      <details>
        <summary className="min-h-9 cursor-pointer px-4 py-2 text-13 font-medium">{`Archived · ${archived.length}`}</summary>
        <PlainTable
          label="Archived strategies"
          head={['Name', 'Action', 'Archived']}
          words={[1, 2]}
          rows={archived.map(({ id, name, action_config, updated_at }) => ({
            id,
            cells: [name, actionWords[action_config.action], formatUtc(updated_at)],
          }))}
        />
      </details>
    </Card>
  );
}
