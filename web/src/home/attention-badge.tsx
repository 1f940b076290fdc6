import { useQuery } from '@tanstack/react-query';
import { useApp } from '../app/services.ts';
import { myVaultsQuery } from '../data/queries.ts';
import { formatCount } from '../format/figures.ts';
import { useViewer } from '../session/use-session.ts';
import { useConcerns } from './use-concerns.ts';

/** How much in the own vaults needs attention, beside the way there, for as long as one is signed in. */
export default function AttentionBadge() {
  const { api } = useApp();
  const { data } = useQuery(myVaultsQuery(api, useViewer()));
  const { count } = useConcerns(data?.vaults ?? []);
  if (count === 0) return null;
  return (
    <span className="ml-1 sm:ml-1.5 inline-grid h-5 min-w-5 place-items-center rounded-full bg-brass px-1 text-12 font-semibold text-bg tabular-nums">
      {formatCount(count)}
      <span className="sr-only">{count === 1 ? ' thing needs attention' : ' things need attention'}</span>
    </span>
  );
}
