import type { Asked } from '@castellan/sdk/calls';
import { useState } from 'react';
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components';
import { useLocation } from 'react-router';
import { Card } from '../design/card.tsx';
import { Notice, RowSkeletons } from '../design/states.tsx';
import { tabListLook, tabLook } from '../design/tabs.ts';
import { ReadTrouble } from '../live/read-trouble.tsx';
import { useQueryPart } from '../period/use-view.ts';
import { PrepareDialog } from '../signing/prepare-dialog.tsx';
import type { Shown } from '../vault/vault-gate.tsx';
import { ConfigsTab } from './configs-tab.tsx';
import { type Step, SyncCard, VetoNotice } from './sync-card.tsx';
import { TreesTab } from './trees-tab.tsx';
import { isRunning, type Job, mayConfigure } from './types.ts';
import { useMerkle } from './use-merkle.ts';

const tabs = ['configs', 'trees'] as const;
const titles = { configs: 'Hook configs', trees: 'Merkle trees' } as const;

type HookChange = Extract<Asked, { kind: 'propose_hooks_root' | 'execute_hooks_root' }>;
const dialogTitles: Record<HookChange['kind'], string> = {
  propose_hooks_root: 'Propose a hooks root',
  execute_hooks_root: 'Put the hooks root into force',
};

function FailedJob({ job }: { job: Job | undefined }) {
  if (job?.status !== 'failed' || job.error === null) return null;
  return (
    <Notice
      tone="warn"
      title={job.kind === 'generate' ? 'The last tree was not generated' : 'The last tree was not published'}
    >
      {job.error.detail}
    </Notice>
  );
}

/** What the vault may execute: configurations, their trees, and the way of a root to the chain. */
export function MerklePage({ shown }: { shown: Shown }) {
  const { vault } = shown;
  const { jobs, sync, refresh, generate, publish } = useMerkle(shown);
  const [change, setChange] = useState<HookChange>();
  const running = jobs.data?.jobs.find(isRunning);
  const next = (step: Step) => {
    if (step === 'generate') generate.mutate();
    else if (step === 'execute') setChange({ kind: 'execute_hooks_root', args: {} });
    else if (sync.data?.root_hash) setChange({ kind: 'propose_hooks_root', args: { root: sync.data.root_hash } });
  };
  return (
    <div className="mx-auto flex w-full max-w-[1200px] flex-col gap-4 px-4 py-6 sm:px-6">
      <div>
        <h2 className="text-20 font-semibold">Merkle trees</h2>
        <p className="text-13 text-muted">
          {mayConfigure(vault.my_role)
            ? 'A strategy runs a hook only with a proof under its root. Configurations and trees are kept here; a root goes on chain by a transaction of the primary manager.'
            : 'You see what the vault may execute. Only its managers change it.'}
        </p>
      </div>
      <VetoNotice veto={vault.merkle.veto} />
      <FailedJob job={jobs.data?.jobs[0]} />
      <ReadTrouble of={sync} what="What is on the chain" />
      {sync.data === undefined ? (
        sync.isError ? null : (
          <Card isFlush>
            <RowSkeletons rows={2} />
          </Card>
        )
      ) : (
        <SyncCard shown={shown} sync={sync.data} running={running} onStep={next} />
      )}
      <MerkleTabs
        shown={shown}
        isBusy={running !== undefined || publish.isPending}
        onChanged={refresh}
        onGenerate={generate.mutateAsync}
        onPublish={publish.mutate}
      />
      {change === undefined ? null : (
        <PrepareDialog
          shown={shown}
          title={dialogTitles[change.kind]}
          change={change}
          onDone={refresh}
          onClose={() => setChange(undefined)}
        />
      )}
    </div>
  );
}

type TabsProps = {
  shown: Shown;
  isBusy: boolean;
  onChanged: () => void;
  onGenerate: () => Promise<unknown>;
  onPublish: (treeId: string) => void;
};

function MerkleTabs({ shown, isBusy, onChanged, onGenerate, onPublish }: TabsProps) {
  const { search } = useLocation();
  const put = useQueryPart();
  const asked = new URLSearchParams(search).get('tab');
  const current = tabs.find((tab) => tab === asked) ?? 'configs';
  return (
    <Tabs
      selectedKey={current}
      onSelectionChange={(key) => put({ tab: key === 'configs' ? null : String(key) })}
      className="flex min-w-0 flex-col gap-4 outline-none"
    >
      <TabList aria-label="Configurations and trees" className={tabListLook}>
        {tabs.map((id) => (
          <Tab key={id} id={id} className={tabLook}>
            {titles[id]}
          </Tab>
        ))}
      </TabList>
      <TabPanel id="configs" shouldForceMount className="flex min-w-0 flex-col gap-4 outline-none data-[inert]:hidden">
        <ConfigsTab shown={shown} onChanged={onChanged} onGenerate={onGenerate} />
      </TabPanel>
      <TabPanel id="trees" className="flex min-w-0 flex-col gap-4 outline-none">
        <TreesTab shown={shown} isBusy={isBusy} onPublish={({ id }) => onPublish(id)} />
      </TabPanel>
    </Tabs>
  );
}
