import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { FileTrigger } from 'react-aria-components';
import { useApp } from '../client/services.ts';
import { paramsOf } from '../data/queries.ts';
import { Button } from '../design/button.tsx';
import { ChangedMeanwhile } from '../design/changed-meanwhile.tsx';
import { LeaveGuard } from '../design/leave-guard.tsx';
import { Failure, Notice } from '../design/states.tsx';
import { toast } from '../design/toast.tsx';
import { useBegun } from '../design/use-begun.ts';
import { formatCount, formatCounted } from '../format/figures.ts';
import { formatDuration, formatUtc } from '../format/time.ts';
import type { Shown } from '../vault/vault-gate.tsx';
import type { Backtest } from './queries.ts';
import { firstMandate, readDocument } from './read-document.ts';

class Faults extends Error {
  readonly faults: readonly string[];
  constructor(faults: readonly string[]) {
    super('The document has faults.');
    this.faults = faults;
  }
}

async function documentOf(text: string) {
  const read = await readDocument(text);
  if ('faults' in read) throw new Faults(read.faults);
  return read.document;
}

/** A text or file as the next version: tried over the recorded past, then kept as a draft. */
export function DocumentEditor({
  shown,
  replaces,
  start,
}: {
  shown: Shown;
  replaces: number;
  start: string | undefined;
}) {
  const { api } = useApp();
  const queries = useQueryClient();
  const form = useBegun(
    { version: replaces, text: start ?? firstMandate },
    ({ version }) => version,
    (of) => of.text,
  );
  const { draft: text, change: setText, begun } = form;
  const params = paramsOf(shown.vault);
  const test = useMutation({
    mutationFn: async () => api.backtestMandate({ params, body: { document: await documentOf(text) } }),
  });
  const save = useMutation({
    mutationFn: async () =>
      api.draftMandate({ params, body: { document: await documentOf(text), replaces: begun.version } }),
    onSuccess: ({ version }) => {
      toast({ tone: 'info', title: `Version ${version} was kept as a draft` });
      form.saved(version);
    },
    // Also of a refusal: somebody else may have written a version meanwhile.
    onSettled: () => queries.invalidateQueries({ queryKey: ['mandate'] }),
  });
  const change = (next: string) => {
    setText(next);
    test.reset();
    save.reset();
  };
  const isUnsaved = form.isChanged && !save.isSuccess;
  return (
    <div className="flex flex-col gap-3 p-4">
      <LeaveGuard isDirty={isUnsaved} what="the document of the mandate" />
      <label className="flex flex-col gap-1 text-13 font-medium">
        Document (YAML or JSON)
        <textarea
          value={text}
          onChange={({ target }) => change(target.value)}
          rows={14}
          spellCheck={false}
          className="w-full rounded-control border border-line-strong bg-raised p-3 font-mono text-13"
        />
      </label>
      <div className="flex flex-wrap items-center gap-2">
        <FileButton isUnsaved={isUnsaved} onOpen={change} />
        <Button isDisabled={test.isPending} onPress={() => test.mutate()}>
          {test.isPending ? 'Trying' : 'Try on 90 days'}
        </Button>
        <Button look="primary" isDisabled={save.isPending || form.isOutdated} onPress={() => save.mutate()}>
          Keep as draft
        </Button>
      </div>
      {test.data === undefined ? null : <Outcome result={test.data} />}
      <Trouble error={test.error} title="The document could not be tried" />
      <Trouble error={form.isOutdated ? null : save.error} title="The draft was not kept" />
      <ChangedMeanwhile of={form} what="the mandate" onDecided={save.reset}>
        {`Version ${replaces} is the newest now; you began with ${begun.version === 0 ? 'none' : begun.version}. What they wrote stands in the list of versions.`}
      </ChangedMeanwhile>
    </div>
  );
}

/** A file takes the place of what was typed only after a question. */
function FileButton({ isUnsaved, onOpen }: { isUnsaved: boolean; onOpen: (text: string) => void }) {
  const [opened, setOpened] = useState<string>();
  const take = (text: string) => {
    setOpened(undefined);
    onOpen(text);
  };
  return (
    <>
      <FileTrigger
        acceptedFileTypes={['.yaml', '.yml', '.json']}
        onSelect={(files) => void files?.[0]?.text().then(isUnsaved ? setOpened : take)}
      >
        <Button>Open a file</Button>
      </FileTrigger>
      {opened === undefined ? null : (
        <div className="order-last w-full">
          <Notice tone="warn" title="The file would replace what you typed">
            <p>What you typed is not kept as a draft yet.</p>
            <span className="flex flex-wrap gap-2 pt-2">
              <Button autoFocus onPress={() => setOpened(undefined)}>
                Keep what I typed
              </Button>
              <Button look="danger" onPress={() => take(opened)}>
                Replace it by the file
              </Button>
            </span>
          </Notice>
        </div>
      )}
    </>
  );
}

function Trouble({ error, title }: { error: Error | null; title: string }) {
  if (error === null) return null;
  if (!(error instanceof Faults)) return <Failure error={error} title={title} />;
  return (
    <div role="alert" className="rounded-card border border-danger p-3 text-13">
      <p className="font-medium">{title}</p>
      <ul className="list-disc pl-5 text-muted">
        {error.faults.slice(0, 10).map((fault) => (
          <li key={fault} className="break-words">
            {fault}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** What the document would have found. */
function Outcome({ result }: { result: Backtest }) {
  const broken = result.promises.filter(({ breaches }) => breaches > 0);
  const range = `${formatCount(result.observations)} observations from ${formatUtc(result.from)} to ${formatUtc(result.to)}`;
  return (
    <section aria-label="Back-test" className="rounded-card border p-3 text-13">
      <p className="font-medium">
        {broken.length === 0
          ? 'No promise would have been broken'
          : `${formatCounted(broken.length, 'promise')} would have been broken`}
      </p>
      <p className="text-muted">{`${range}.`}</p>
      <ul className="list-disc pl-5">
        {broken.map(({ promise_id, breaches, broken_seconds }) => (
          <li key={promise_id}>
            <code className="font-mono">{promise_id}</code>
            {`: ${formatCounted(breaches, 'breach', 'breaches')}, ${formatDuration(broken_seconds)} in all`}
          </li>
        ))}
      </ul>
    </section>
  );
}
