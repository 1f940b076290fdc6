import { useQuery } from '@tanstack/react-query';
import { alertsQuery } from '../alerts/queries.ts';
import { useApp } from '../client/services.ts';
import { useAlertsPollMs } from '../data/streamed.ts';
import { formatCount } from '../format/figures.ts';
import { useSession, useViewer } from '../session/use-session.ts';

/** The bar fits two digits; a screen reader gets the whole number. */
const MOST_SHOWN = 99;

/** How many alerts of the own vaults nobody is on yet, beside the way to them. */
export default function AttentionBadge() {
  const { api } = useApp();
  const enabled = useSession().status === 'signed_in';
  const refetchInterval = useAlertsPollMs();
  const { data } = useQuery({ ...alertsQuery(api, useViewer(), 'active'), enabled, refetchInterval });
  const count = data?.counts.by_status.active ?? 0;
  if (count === 0) return null;
  return (
    <span className="ml-1 sm:ml-1.5 inline-grid h-5 min-w-5 place-items-center rounded-full bg-brass px-1 text-12 font-semibold text-bg tabular-nums">
      {count > MOST_SHOWN ? <span aria-hidden="true">{`${MOST_SHOWN}+`}</span> : formatCount(count)}
      <span className="sr-only">
        {count > MOST_SHOWN ? formatCount(count) : ''}
        {count === 1 ? ' active alert' : ' active alerts'}
      </span>
    </span>
  );
}
