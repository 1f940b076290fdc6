import { useQuery } from '@tanstack/react-query';
import { useApp } from '../client/services.ts';
import type { MyVault } from '../data/queries.ts';
import { RowSkeletons } from '../design/states.tsx';
import { shortHex } from '../format/address.ts';
import { formatCount } from '../format/figures.ts';
import { formatUtc } from '../format/time.ts';
import { ReadTrouble } from '../live/read-trouble.tsx';
import { useViewer } from '../session/use-session.ts';
import { eventWord, outcomeWords, reasonWords } from './alert-labels.ts';
import { type Delivery, deliveriesQuery } from './queries.ts';

type Props = { channelId: string; of: string; vaults: readonly MyVault[] };

/** What was sent to a channel and what came of it, newest first. */
export function Deliveries({ channelId, of, vaults }: Props) {
  const { api } = useApp();
  const log = useQuery(deliveriesQuery(api, useViewer(), channelId));
  const { data, isError } = log;
  if (data === undefined) return isError ? <ReadTrouble of={log} what="The log" /> : <RowSkeletons rows={2} />;
  if (data.deliveries.length === 0) return <p className="text-13 text-muted">Nothing was sent yet.</p>;
  return (
    <>
      <ReadTrouble of={log} what="The log" />
      <ul aria-label={`Deliveries of ${of}`} className="flex flex-col gap-1 text-13 text-muted tabular-nums">
        {data.deliveries.map((item) => (
          <li key={item.delivery_id} className="wrap-anywhere">
            {partsOf(item, vaults).join(' · ')}
          </li>
        ))}
      </ul>
      {data.has_more ? (
        <p className="text-12 text-muted">{`The newest ${data.deliveries.length} of ${formatCount(data.total)}.`}</p>
      ) : null}
    </>
  );
}

/** Events are counted per vault: a number says nothing without it. */
function partsOf(item: Delivery, vaults: readonly MyVault[]): string[] {
  const { chain_id: chainId, vault_address: address, sequence, reason } = item;
  const vault = vaults.find((each) => each.chain_id === chainId && each.vault_address === address);
  return [
    formatUtc(item.t),
    eventWord(item.event_type),
    ...(address === null ? [] : [vault?.name ?? shortHex(address)]),
    ...(sequence === null ? [] : [`number ${sequence}`]),
    `try ${item.attempt}`,
    outcomeWords[item.outcome],
    ...(reason === null ? [] : [reasonWords(reason)]),
  ];
}
