import type { ReactNode } from 'react';
import { AddressTag } from '../design/address-tag.tsx';
import { Card } from '../design/card.tsx';
import { Pill } from '../design/pill.tsx';
import { ReasonedButton } from '../design/reasoned-button.tsx';
import { Notice } from '../design/states.tsx';
import { formatDuration, formatUtc } from '../format/time.ts';
import { useRemaining } from '../live/chain-clock.ts';
import type { Shown } from '../vault/vault-gate.tsx';
import { TreeChangeCard } from './change-card.tsx';
import { hooksState } from './hooks-state.ts';
import { type Job, mayConfigure, type Role, type Sync } from './types.ts';

export type Step = 'generate' | 'propose' | 'execute';
type Props = {
  shown: Shown;
  /** Null: in sync. */
  sync: Sync | null;
  running: Job | undefined;
  onStep: (step: Step) => void;
};

const reasons: Record<Sync['reason'], string> = {
  root_in_force: 'The root of the active configuration is in force.',
  no_active_config: 'No configuration is active. Make one and activate it first.',
  not_generated: 'The active configuration has no tree yet.',
  not_proposed: 'The tree of the active configuration is not on the chain yet.',
  foreign_proposal:
    'Another root is proposed. A proposal cannot be cancelled, and anybody may execute it once it is due; proposing ours replaces it.',
  timelock_running: 'The root is proposed and may be executed once its timelock is over.',
  timelock_over: 'The timelock is over. Anybody may put the root into force.',
};

const Waiting = ({ sync }: { sync: Sync }) => {
  const due = sync.effective_time ?? sync.chain_time;
  const left = useRemaining((Date.parse(due) - Date.parse(sync.chain_time)) / 1_000, sync.chain_time);
  return <p className="text-13">{`May be executed from ${formatUtc(due)}, in ${formatDuration(Math.ceil(left))}.`}</p>;
};

const Root = ({ name, value }: { name: string; value: string | null }) => (
  <div className="flex min-h-9 flex-wrap items-center justify-between gap-x-4 py-1">
    <dt className="text-muted">{name}</dt>
    <dd>{value === null ? 'none' : <AddressTag value={value} what={name.toLowerCase()} />}</dd>
  </div>
);

function stepOf({ action, reason }: Sync, role: Role): { step: Step; label: string } | null {
  if (action === 'needs_generation')
    return mayConfigure(role) && reason !== 'no_active_config'
      ? { step: 'generate', label: 'Generate the tree' }
      : null;
  if (action === 'propose') return role === 'primary_manager' ? { step: 'propose', label: 'Propose the root' } : null;
  if (action === 'execute') return mayConfigure(role) ? { step: 'execute', label: 'Put the root into force' } : null;
  return null;
}

/** The tree of the active configuration is made, and its root is not in force. */
const isOnItsWay = (sync: Sync | null): sync is Sync =>
  sync !== null && sync.action !== 'needs_generation' && sync.root_hash !== sync.strategy_root;

/** What to do next so that the active configuration is what the chain allows, with the one button for it. */
export function SyncCard({ shown, sync, running, onStep }: Props) {
  const { vault } = shown;
  const role = vault.my_role;
  const { word, tone } = hooksState(vault, sync);
  const next = sync === null ? null : stepOf(sync, role);
  return (
    <Card className="flex flex-col gap-3">
      <div className="flex min-h-6 flex-wrap items-center justify-between gap-3">
        <h3 className="label-caps">On the chain</h3>
        <Pill tone={tone}>{word}</Pill>
      </div>
      <p className="text-13">{reasons[sync?.reason ?? 'root_in_force']}</p>
      {sync?.action === 'pending_timelock' ? <Waiting sync={sync} /> : null}
      {sync === null ? null : (
        <dl className="flex flex-col divide-y text-13">
          <Root name="Root of the active configuration" value={sync.root_hash} />
          <Root name="Root in force" value={sync.strategy_root} />
          <Root name="Proposed root" value={sync.proposed_root} />
        </dl>
      )}
      {isOnItsWay(sync) && sync.tree_id !== null ? (
        <TreeChangeCard what="The new root" shown={shown} treeId={sync.tree_id} />
      ) : null}
      {running === undefined ? null : <Progress job={running} />}
      {next === null ? (
        sync?.action === 'propose' ? (
          <p className="text-13 text-muted">Only the primary manager proposes roots.</p>
        ) : null
      ) : (
        <span>
          <ReasonedButton
            look="primary"
            reason={running === undefined ? null : 'Wait for the job that runs.'}
            onPress={() => onStep(next.step)}
          >
            {next.label}
          </ReasonedButton>
        </span>
      )}
    </Card>
  );
}

const jobTitles = { generate: 'Generating the tree', publish: 'Publishing the tree' } as const;

function Progress({ job: { kind, progress, status } }: { job: Job }) {
  const { done, total } = progress;
  return (
    <div className="flex flex-col gap-1 text-13">
      <p role="status">
        {status === 'pending' ? `${jobTitles[kind]}: waiting` : `${jobTitles[kind]}: ${done} of ${total}`}
      </p>
      <progress
        aria-label={jobTitles[kind]}
        max={Math.max(total, 1)}
        value={done}
        className="h-2 w-full accent-[var(--accent)]"
      />
    </div>
  );
}

/** While governance has vetoed, no hook runs whatever else is shown here. */
export function VetoNotice({ veto }: { veto: Sync['veto'] }): ReactNode {
  if (!veto.global && !veto.strategy) return null;
  const whose = veto.global ? 'the hooks roots of all vaults' : 'the hooks root of this vault';
  return (
    <Notice tone="critical" title={`Governance has vetoed ${whose}`}>
      No hook runs until it lifts the veto. Proposals mature meanwhile.
    </Notice>
  );
}
