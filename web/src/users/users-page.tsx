import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components';
import { useSearchParams } from 'react-router';
import { useApp } from '../app/services.ts';
import { keys, usersQuery } from '../data/queries.ts';
import { Button } from '../design/button.tsx';
import { Failure, RowSkeletons } from '../design/states.tsx';
import { formatCount } from '../format/figures.ts';
import { useSession, useViewer } from '../session/use-session.ts';
import { PendingManagerChange } from '../vault/pending-manager-change.tsx';
import type { Shown } from '../vault/vault-gate.tsx';
import { canChangeAccess, type Row, rowsOf } from './access.ts';
import { AddManager } from './add-manager.tsx';
import { GrantViewer } from './grant-viewer.tsx';
import { ManagerCall, type ManagerChange } from './manager-call.tsx';
import { NameDialog } from './name-dialog.tsx';
import { PeopleTable } from './people-table.tsx';
import { useRevokeViewer } from './use-revoke.ts';

const tabs = ['managers', 'viewers', 'everyone'] as const;
type TabId = (typeof tabs)[number];
const isTab = (value: unknown): value is TabId => tabs.some((tab) => tab === value);

const belongs: Record<TabId, (row: Row) => boolean> = {
  managers: ({ grant }) => grant.role !== 'view_only',
  viewers: ({ grant }) => grant.role === 'view_only',
  everyone: () => true,
};
const empties: Record<TabId, { title: string; text: string }> = {
  managers: {
    title: 'No manager is indexed yet',
    text: 'Managers appear once the block that created the vault is read.',
  },
  viewers: { title: 'Nobody has view-only access', text: 'Wallets appear here once the primary manager grants it.' },
  everyone: { title: 'Nobody has a role yet', text: 'People appear here once they have a role on this vault.' },
};

const titles: Record<TabId, string> = { managers: 'Managers', viewers: 'View only', everyone: 'Everyone' };

/** Everyone with a role on the vault, and what brings the list up to date after a change. */
function usePeople({ vault, live }: Shown) {
  const { api } = useApp();
  const viewer = useViewer();
  const session = useSession();
  const queries = useQueryClient();
  const users = useInfiniteQuery({
    ...usersQuery(api, viewer, vault.chain_id, vault.vault_address),
    enabled: session.status === 'signed_in',
    refetchInterval: live.pollMs,
  });
  const refresh = () => {
    void queries.invalidateQueries({ queryKey: keys.users(viewer, vault.chain_id, vault.vault_address) });
    void queries.invalidateQueries({ queryKey: keys.vault(viewer, vault.chain_id, vault.vault_address) });
  };
  const rows = rowsOf(users.data?.pages.flatMap((page) => page.users) ?? [], vault.chain_id, vault.vault_address);
  return { users, rows, refresh, isSignedIn: session.status === 'signed_in' };
}

export function UsersPage({ shown }: { shown: Shown }) {
  const { vault } = shown;
  const { users, rows, refresh, isSignedIn } = usePeople(shown);
  const [change, setChange] = useState<ManagerChange>();
  const [indexed, setIndexed] = useState(0);
  const [renamed, setRenamed] = useState<Row>();
  const mayChange = canChangeAccess(vault.my_role);
  const done = () => {
    setIndexed((count) => count + 1);
    refresh();
  };
  return (
    <div className="mx-auto flex w-full max-w-[1200px] flex-col gap-4 px-4 py-6 sm:px-6">
      <div>
        <h2 className="text-20 font-semibold">User management</h2>
        <p className="text-13 text-muted">
          {mayChange
            ? 'Managers are kept on chain and change by a transaction of yours. View-only access is kept here and changes at once.'
            : 'You see who has access. Only the primary manager changes it.'}
        </p>
      </div>
      <PendingManagerChange vault={vault} />
      {users.isError && isSignedIn ? (
        <Failure error={users.error} title="The people could not be read" retry={() => users.refetch()} />
      ) : null}
      <AccessTabs
        shown={shown}
        rows={rows}
        isLoading={users.data === undefined}
        form={(tab) => {
          if (!mayChange) return null;
          if (tab === 'viewers') return <GrantViewer vault={vault} rows={rows} onGranted={refresh} />;
          if (tab === 'everyone') return null;
          const add = (manager: string) => setChange({ function: 'addSecondaryManager', manager });
          return <AddManager key={indexed} rows={rows} onAdd={add} />;
        }}
        onRename={setRenamed}
        onRemoveManager={({ user }) => setChange({ function: 'removeSecondaryManager', manager: user.wallet_address })}
      />
      {users.hasNextPage ? (
        <Button isDisabled={users.isFetchingNextPage} onPress={() => users.fetchNextPage()}>
          Show more people
        </Button>
      ) : null}
      {change === undefined ? null : (
        <ManagerCall shown={shown} change={change} onIndexed={done} onClose={() => setChange(undefined)} />
      )}
      {renamed === undefined ? null : (
        <NameDialog row={renamed} vault={vault} onDone={refresh} onClose={() => setRenamed(undefined)} />
      )}
    </div>
  );
}

type TabsProps = {
  shown: Shown;
  rows: Row[];
  isLoading: boolean;
  /** What stands above the list of a tab. It stays mounted, so that what was typed survives a change of tab. */
  form: (tab: TabId) => ReactNode;
  onRename: (row: Row) => void;
  onRemoveManager: (row: Row) => void;
};

function AccessTabs({ shown: { vault, chain }, rows, isLoading, form, onRename, onRemoveManager }: TabsProps) {
  const [params, setParams] = useSearchParams();
  const revoke = useRevokeViewer(vault);
  const wanted = params.get('tab');
  const current = isTab(wanted) ? wanted : 'managers';
  return (
    <Tabs
      selectedKey={current}
      onSelectionChange={(key) => setParams(key === 'managers' ? {} : { tab: String(key) }, { replace: true })}
      className="flex min-w-0 flex-col gap-4"
    >
      <TabList aria-label="Kinds of access" className="flex gap-1 overflow-x-auto border-b">
        {tabs.map((id) => (
          <Tab
            key={id}
            id={id}
            className="flex min-h-10 cursor-pointer items-center gap-2 border-b-2 border-transparent px-3 text-13 font-medium text-muted outline-offset-[-2px] data-[hovered]:text-text data-[selected]:border-accent data-[selected]:text-text"
          >
            {titles[id]}
            {isLoading ? null : (
              <span className="rounded-full bg-raised px-1.5 text-12">
                {formatCount(rows.filter(belongs[id]).length)}
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
                  rows={rows.filter(belongs[id])}
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
