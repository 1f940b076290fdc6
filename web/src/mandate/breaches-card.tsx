import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApp } from '../client/services.ts';
import { paramsOf } from '../data/queries.ts';
import { usePollMs } from '../data/use-live.ts';
import { AddressTag } from '../design/address-tag.tsx';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { Field } from '../design/field.tsx';
import { Pill } from '../design/pill.tsx';
import { Empty, Failure, RowSkeletons } from '../design/states.tsx';
import { formatUtc } from '../format/time.ts';
import { ReadTrouble } from '../live/read-trouble.tsx';
import { useKeptAfterSession, useViewer } from '../session/use-session.ts';
import type { Shown } from '../vault/vault-gate.tsx';
import { valueText } from './promise-words.ts';
import { type Breach, breachesQuery } from './queries.ts';

const endOf = ({ ended, superseded }: Breach) => {
  if (ended !== null) return { tone: 'plain', word: 'Over' } as const;
  return superseded ? ({ tone: 'plain', word: 'Superseded' } as const) : ({ tone: 'critical', word: 'Open' } as const);
};

/** The ledger: when a promise was broken, how far, until when, and who has seen it. */
export function BreachesCard({ shown }: { shown: Shown }) {
  const { api } = useApp();
  const enabled = useKeptAfterSession();
  const list = useQuery({ ...breachesQuery(api, useViewer(), shown.vault, usePollMs()), enabled });
  const role = shown.vault.my_role;
  const mayAct = role === 'primary_manager' || role === 'secondary_manager';
  return (
    <Card isFlush>
      <h3 className="border-b px-4 py-3 text-14 font-semibold">Breaches</h3>
      {list.data === undefined ? (
        list.isError ? (
          <ReadTrouble of={list} what="The breaches" />
        ) : (
          <RowSkeletons rows={3} />
        )
      ) : list.data.breaches.length === 0 ? (
        <Empty isCompact title="No breach in the ledger">
          A breach appears here within a minute of the observation that proves it, and is never removed.
        </Empty>
      ) : (
        <ul aria-label="Breaches" className="divide-y">
          {list.data.breaches.map((breach) => (
            <BreachRow key={breach.breach_id} breach={breach} shown={shown} mayAct={mayAct} />
          ))}
        </ul>
      )}
    </Card>
  );
}

function BreachRow({ breach, shown, mayAct }: { breach: Breach; shown: Shown; mayAct: boolean }) {
  const { promise_id, unit, limit, bound, started, worst, ended, acknowledged_by: by, acknowledged_at: at } = breach;
  const end = endOf(breach);
  return (
    <li className="flex flex-col gap-1 px-4 py-3 text-13">
      <p className="flex flex-wrap items-center gap-2">
        <code className="font-mono font-medium">{promise_id}</code>
        <Pill tone={end.tone}>{end.word}</Pill>
        {`${valueText(unit, worst.value)} at worst, ${bound === 'at_most' ? 'at most' : 'at least'} ${valueText(unit, limit)} promised`}
      </p>
      <p className="text-muted">
        {`Since ${formatUtc(started.time)} (block ${started.block_number}), worst ${formatUtc(worst.time)} (block ${worst.block_number})`}
        {ended === null ? '' : `, over ${formatUtc(ended.time)} (block ${ended.block_number})`}
      </p>
      {by === null || at === null ? null : (
        <p className="flex flex-wrap items-center gap-1 text-muted">
          {`Acknowledged ${formatUtc(at)} by`} <AddressTag value={by} what="wallet that acknowledged the breach" />
          {breach.note}
        </p>
      )}
      {mayAct && by === null ? <Acknowledge breach={breach} shown={shown} /> : null}
    </li>
  );
}

function Acknowledge({ breach: { breach_id, promise_id }, shown }: { breach: Breach; shown: Shown }) {
  const { api } = useApp();
  const queries = useQueryClient();
  const [note, setNote] = useState('');
  const send = useMutation({
    mutationFn: () =>
      api.acknowledgeMandateBreach({
        params: { ...paramsOf(shown.vault), breach_id },
        body: note.trim() === '' ? {} : { note: note.trim() },
      }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['mandate'] }),
  });
  return (
    <div className="flex flex-wrap items-end gap-2">
      <Field
        label={`Note on ${promise_id}`}
        value={note}
        onChange={setNote}
        maxLength={500}
        className="w-full sm:w-80"
      />
      <Button
        isDisabled={send.isPending}
        aria-label={`Acknowledge the breach of ${promise_id}`}
        onPress={() => send.mutate()}
      >
        Acknowledge
      </Button>
      {send.isError ? <Failure error={send.error} title="The breach was not acknowledged" /> : null}
    </div>
  );
}
