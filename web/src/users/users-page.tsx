import type { ReactNode } from 'react';
import { useState } from 'react';
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components';
import { useLocation } from 'react-router';
import { Button } from '../design/button.tsx';
import { RolePill } from '../design/pill.tsx';
import { Notice, RowSkeletons } from '../design/states.tsx';
import { tabListLook, tabLook } from '../design/tabs.ts';
import { formatCount } from '../format/figures.ts';
import { ReadTrouble } from '../live/read-trouble.tsx';
import { useFormArrival } from '../navigation/use-form-arrival.ts';
import { useQueryPart } from '../period/use-view.ts';
import { PrepareDialog } from '../signing/prepare-dialog.tsx';
import { PendingManagerChange } from '../vault/pending-manager-change.tsx';
import type { Shown } from '../vault/vault-gate.tsx';
import { canChangeAccess, type Row } from './access.ts';
import { AddManager } from './add-manager.tsx';
import { type ManagerChange, titleOf } from './change.ts';
import { GrantViewer } from './grant-viewer.tsx';
import { NameDialog } from './name-dialog.tsx';
import { PeopleTable } from './people-table.tsx';
import { belongs, empties, FIRST, type TabId, tabFrom, tabs, titles } from './tabs.ts';
import { usePeople } from './use-people.ts';
import { useRevokeViewer } from './use-revoke.ts';

const forms = ['add-manager', 'grant-view-only'] as const;

export function UsersPage({ shown }: { shown: Shown }) {
  const { vault } = shown;
  const { users, rows, refresh, isSignedIn } = usePeople(shown);
  const [change, setChange] = useState<ManagerChange>();
  const [added, setAdded] = useState(0);
  const [renamed, setRenamed] = useState<Row>();
  useFormArrival(forms);
  const mayChange = canChangeAccess(vault.my_role);
  const isComplete = users.data !== undefined && !users.hasNextPage;
  const isAlone = isComplete && !rows.some((row) => belongs('managers', row));
  const done = () => {
    if (change?.kind === 'add_secondary_manager') setAdded((count) => count + 1);
    refresh();
  };
  return (
    <div className="mx-auto flex w-full max-w-[1200px] flex-col gap-4 px-4 py-6 sm:px-6">
      <Heading shown={shown} />
      <PendingManagerChange
        vault={vault}
        action={
          mayChange ? (
            <Button look="danger" onPress={() => setChange({ kind: 'cancel_primary_change', args: {} })}>
              Cancel it
            </Button>
          ) : null
        }
      />
      {isAlone && mayChange ? (
        <Notice tone="warn" title="Add a secondary manager before going live">
          If your wallet is lost or away, nobody else can pause the vault. A second wallet can; what else it may do is
          below.
        </Notice>
      ) : null}
      {isSignedIn ? <ReadTrouble of={users} what="The people" /> : null}
      <AccessTabs
        shown={shown}
        rows={rows}
        isLoading={users.data === undefined}
        form={(tab) => {
          if (!mayChange || tab === 'primary') return null;
          if (tab === 'viewers') return <GrantViewer vault={vault} rows={rows} onGranted={refresh} />;
          const add = (manager_address: string) =>
            setChange({ kind: 'add_secondary_manager', args: { manager_address } });
          return <AddManager key={added} rows={rows} onAdd={add} />;
        }}
        onRename={setRenamed}
        onRemoveManager={({ user }) =>
          setChange({ kind: 'remove_secondary_manager', args: { manager_address: user.wallet_address } })
        }
      />
      {users.hasNextPage ? (
        <Button isDisabled={users.isFetchingNextPage} onPress={() => users.fetchNextPage()}>
          Show more people
        </Button>
      ) : null}
      {change === undefined ? null : (
        <PrepareDialog
          shown={shown}
          title={titleOf[change.kind]}
          change={change}
          onDone={done}
          onClose={() => setChange(undefined)}
        />
      )}
      {renamed === undefined ? null : (
        <NameDialog row={renamed} vault={vault} onDone={refresh} onClose={() => setRenamed(undefined)} />
      )}
    </div>
  );
}

function Heading({ shown: { vault } }: { shown: Shown }) {
  return (
    <div className="flex flex-wrap items-start justify-between gap-3">
      <div className="min-w-0 flex-1 basis-72">
        <h2 className="text-20 font-semibold">User management</h2>
        <p className="text-13 text-muted">
          {canChangeAccess(vault.my_role)
            ? 'Managers are kept on chain and change by a transaction of yours. View-only access is kept here and changes at once.'
            : 'You see who has access. Only the primary manager changes it.'}
        </p>
      </div>
      {vault.my_role === null ? null : (
        <span className="flex items-center gap-2 text-13 text-muted">
          Your role <RolePill role={vault.my_role} />
        </span>
      )}
    </div>
  );
}

type TabsProps = {
  shown: Shown;
  rows: Row[];
  isLoading: boolean;
  /** The header above the list of a tab. It stays mounted, so that what was typed survives a change of tab. */
  form: (tab: TabId) => ReactNode;
  onRename: (row: Row) => void;
  onRemoveManager: (row: Row) => void;
};

function AccessTabs({ shown: { vault, chain }, rows, isLoading, form, onRename, onRemoveManager }: TabsProps) {
  const { search } = useLocation();
  const put = useQueryPart();
  const revoke = useRevokeViewer(vault);
  const current = tabFrom(new URLSearchParams(search).get('tab'));
  return (
    <Tabs
      selectedKey={current}
      onSelectionChange={(key) => put({ tab: key === FIRST ? null : String(key) })}
      className="flex min-w-0 flex-col gap-4"
    >
      <TabList aria-label="Kinds of access" className={tabListLook}>
        {tabs.map((id) => (
          <Tab key={id} id={id} className={tabLook}>
            {titles[id]}
            {isLoading ? null : (
              <span className="rounded-full bg-raised px-1.5 text-12">
                {formatCount(rows.filter((row) => belongs(id, row)).length)}
              </span>
            )}
          </Tab>
        ))}
      </TabList>
      {tabs.map((id) => (
        <TabPanel
          key={id}
          id={id}
          shouldForceMount
          className="flex min-w-0 flex-col gap-4 outline-none data-[inert]:hidden"
        >
          {form(id)}
          {current === id ? (
            <div className="rounded-card border bg-surface">
              {isLoading ? (
                <RowSkeletons rows={4} />
              ) : (
                <PeopleTable
                  label={titles[id]}
                  rows={rows.filter((row) => belongs(id, row))}
                  empty={empties[id]}
                  role={vault.my_role}
                  explorerUrl={chain.explorer_url}
                  onRename={onRename}
                  onRemoveManager={onRemoveManager}
                  onRevoke={(row) => revoke.mutate(row)}
                  isRevoking={revoke.isPending}
                />
              )}
            </div>
          ) : null}
        </TabPanel>
      ))}
    </Tabs>
  );
}
