import { AuditPage } from '../audit/audit-page.tsx';
import { CallsPage } from '../calls/calls-page.tsx';
import { PausePage } from '../pause/pause-page.tsx';
import { SettingsPage } from '../settings/settings-page.tsx';
import { UsersPage } from '../users/users-page.tsx';
import { auditPath, callsPath, pausePath, settingsPath, usersPath, yieldSourcesPath } from '../vault/paths.ts';
import { YieldSourcesPage } from '../yield-sources/yield-sources-page.tsx';
import { OperateRoom } from './operate.tsx';

export const OperateUsers = () => (
  <OperateRoom title="User management" path={usersPath}>
    {(shown) => <UsersPage shown={shown} />}
  </OperateRoom>
);
export const OperateSettings = () => (
  <OperateRoom title="Settings" path={settingsPath}>
    {(shown) => <SettingsPage shown={shown} />}
  </OperateRoom>
);
export const OperatePause = () => (
  <OperateRoom title="Pause" path={pausePath}>
    {(shown) => <PausePage shown={shown} />}
  </OperateRoom>
);
export const OperateYieldSources = () => (
  <OperateRoom title="Yield sources" path={yieldSourcesPath}>
    {(shown) => <YieldSourcesPage shown={shown} />}
  </OperateRoom>
);
export const OperateCalls = () => (
  <OperateRoom title="Prepared calls" path={callsPath}>
    {(shown) => <CallsPage shown={shown} />}
  </OperateRoom>
);
export const OperateAudit = () => (
  <OperateRoom title="Timeline and audit" path={auditPath}>
    {(shown) => <AuditPage shown={shown} />}
  </OperateRoom>
);
