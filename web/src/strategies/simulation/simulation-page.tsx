import { useRead } from '@castellan/react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useApp } from '../../client/services.ts';
import type { Vault } from '../../data/queries.ts';
import { announceDone } from '../../design/announce.tsx';
import { Button } from '../../design/button.tsx';
import { Card } from '../../design/card.tsx';
import { Field } from '../../design/field.tsx';
import { Failure, Notice, RowSkeletons } from '../../design/states.tsx';
import { toast } from '../../design/toast.tsx';
import { ReadTrouble } from '../../live/read-trouble.tsx';
import type { Shown } from '../../vault/vault-gate.tsx';
import { isLive, isOwn, mayWrite } from '../types.ts';
import { useEngineVault, useStrategyList } from '../use-strategies.ts';
import type { Request, Result } from './request.ts';
import { RequestForm } from './request-form.tsx';
import { ResultView } from './result-view.tsx';
import { SavedList } from './saved-list.tsx';

type Run = { request: Request; result: Result };

/** Runs a request. It only looks: nothing is sent and nothing is kept. */
function useRun({ vault }: Pick<Shown, 'vault'>) {
  const { api } = useApp();
  const { vault_id } = useEngineVault(vault);
  return useMutation({
    mutationFn: async (request: Request): Promise<Run> => {
      const { kind, ...asked } = request;
      const result =
        kind === 'backtest'
          ? await api.backtest({
              body: { vault_id, ...(asked as Omit<Extract<Request, { kind: 'backtest' }>, 'kind'>) },
            })
          : await api.simulateAhead({
              body: { vault_id, ...(asked as Omit<Extract<Request, { kind: 'ahead' }>, 'kind'>) },
            });
      return { request, result };
    },
    onSuccess: () => announceDone('The simulation has run. Its result is below the form.'),
  });
}

/** When strategies would have fired, or would fire, and what would come of it. */
export function SimulationPage({ shown }: { shown: Shown }) {
  const { vault } = shown;
  const list = useStrategyList(vault);
  const run = useRun(shown);
  const [opened, setOpened] = useState<string>();
  const tried = (list.data?.strategies ?? []).filter((strategy) => isOwn(strategy) && isLive(strategy));
  return (
    <div className="mx-auto flex w-full max-w-[1200px] flex-col gap-4 px-4 py-6 sm:px-6">
      <div>
        <h2 className="text-20 font-semibold">Simulation</h2>
        <p className="text-13 text-muted">
          Plays strategies over the past of the vault or into an assumed future. It never sends anything.
        </p>
      </div>
      <ReadTrouble of={list} what="The strategies" />
      {list.data === undefined ? (
        list.isError ? null : (
          <RowSkeletons rows={4} />
        )
      ) : (
        <RequestForm
          shown={shown}
          strategies={tried}
          isRunning={run.isPending}
          onRun={(request) => {
            setOpened(undefined);
            run.mutate(request);
          }}
        />
      )}
      {run.isError ? <Failure error={run.error} title="The simulation did not run" /> : null}
      {opened !== undefined ? (
        <Opened key={opened} shown={shown} id={opened} onClose={() => setOpened(undefined)} />
      ) : run.isPending ? (
        <RowSkeletons rows={4} />
      ) : run.data === undefined ? null : (
        <>
          {mayWrite(vault.my_role) ? <Keep vault={vault} request={run.data.request} /> : null}
          <ResultView shown={shown} result={run.data.result} />
        </>
      )}
      <SavedList vault={vault} onOpen={setOpened} />
    </div>
  );
}

function Opened({ shown, id, onClose }: { shown: Shown; id: string; onClose: () => void }) {
  const saved = useRead('getSimulation', { params: { id } }, { staleTime: Number.POSITIVE_INFINITY });
  const place = useRef<HTMLDivElement>(null);
  // It is opened from the list below, and may be out of sight from there.
  useEffect(() => place.current?.focus(), []);
  return (
    <div ref={place} tabIndex={-1} className="flex scroll-mt-32 flex-col gap-4 outline-none">
      <OpenedRun shown={shown} saved={saved} onClose={onClose} />
    </div>
  );
}

type RunProps = { shown: Shown; saved: ReturnType<typeof useRead<'getSimulation'>>; onClose: () => void };

function OpenedRun({ shown, saved, onClose }: RunProps) {
  if (saved.isError)
    return <Failure error={saved.error} title="It could not be opened" retry={() => saved.refetch()} />;
  if (saved.data === undefined) return <RowSkeletons rows={4} />;
  return (
    <>
      <Notice tone="info" title={saved.data.name} action={<Button onPress={onClose}>Close</Button>}>
        As it was kept. Running the same again may give another result, because the history goes on.
      </Notice>
      <ResultView shown={shown} result={saved.data.result} />
    </>
  );
}

/** The server runs it once more and keeps that: what is kept was never in the hands of a browser. */
function Keep({ vault, request }: { vault: Vault; request: Request }) {
  const { api } = useApp();
  const { vault_id, root } = useEngineVault(vault);
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const keep = useMutation({
    mutationFn: () => api.saveSimulation({ body: { vault_id, name: name.trim(), request } }),
    onSuccess: () => {
      toast({ tone: 'info', title: `${name.trim()} is kept` });
      setName('');
      void queries.invalidateQueries({ queryKey: [...root, 'simulations'] });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() !== '') keep.mutate();
  };
  return (
    <Card className="flex flex-col gap-3">
      <form aria-label="Keep this run" onSubmit={submit} className="flex flex-wrap items-end gap-3">
        <Field
          label="Keep it as"
          value={name}
          onChange={setName}
          maxLength={80}
          autoComplete="off"
          className="flex-1 basis-60 sm:max-w-96"
        />
        <Button type="submit" isDisabled={name.trim() === '' || keep.isPending}>
          Keep this run
        </Button>
      </form>
      {keep.isError ? <Failure error={keep.error} title="It was not kept" /> : null}
    </Card>
  );
}
