import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components';
import { useLocation } from 'react-router';
import { tabListLook, tabLook } from '../design/tabs.ts';
import { useQueryPart } from '../period/use-view.ts';
import type { Shown } from '../vault/vault-gate.tsx';
import { filterParts } from './filter.ts';
import { Log } from './log.tsx';
import { Timeline } from './timeline.tsx';

const views = [
  { id: 'timeline', title: 'Timeline' },
  { id: 'log', title: 'Audit log' },
] as const;

/** What happened to the vault: in words for everyone with a role, row by row for its managers. */
export function AuditPage({ shown }: { shown: Shown }) {
  const { search } = useLocation();
  const put = useQueryPart();
  const role = shown.vault.my_role;
  const isManager = role === 'primary_manager' || role === 'secondary_manager';
  const current = isManager && new URLSearchParams(search).get('view') === 'log' ? 'log' : 'timeline';
  return (
    <div className="mx-auto flex w-full max-w-[1200px] flex-col gap-4 px-4 py-6 sm:px-6">
      <div>
        <h2 className="text-20 font-semibold">Timeline and audit</h2>
        <p className="text-13 text-muted">
          Every change made here and every change on chain, newest first. Times are UTC.
        </p>
      </div>
      {isManager ? (
        <Tabs
          selectedKey={current}
          onSelectionChange={(key) =>
            put({
              ...filterParts({ category: '', action: '', actor: '', from: '', to: '' }),
              view: key === 'log' ? 'log' : null,
            })
          }
          className="flex min-w-0 flex-col gap-4"
        >
          <TabList aria-label="Views" className={tabListLook}>
            {views.map(({ id, title }) => (
              <Tab key={id} id={id} className={tabLook}>
                {title}
              </Tab>
            ))}
          </TabList>
          <TabPanel id="timeline" className="min-w-0 outline-none">
            <Timeline shown={shown} />
          </TabPanel>
          <TabPanel id="log" className="min-w-0 outline-none">
            <Log shown={shown} />
          </TabPanel>
        </Tabs>
      ) : (
        <Timeline shown={shown} />
      )}
    </div>
  );
}
