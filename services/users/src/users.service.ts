import {
  ExportAudit,
  GetAudit,
  GetRoles,
  GrantViewOnly,
  ListAudit,
  ListTimeline,
  ListUsers,
  RevokeViewOnly,
  SetDisplayName,
} from '@castellan/contracts';
import { implement } from '@castellan/service-kit';
import type { ServiceSchema } from 'moleculer';
import { type ChangeDeps, grantViewOnly, revokeViewOnly, setDisplayName } from './use-cases/change-access.ts';
import { type AuditDeps, exportAudit, getAudit, listAudit } from './use-cases/read-audit.ts';
import { listTimeline } from './use-cases/read-timeline.ts';
import { getRoles, listUsers } from './use-cases/read-users.ts';

type Deps = ChangeDeps & AuditDeps & { checksum: (address: string) => string };

/** Binds the contracts to the use cases. */
export const usersService = (deps: Deps): ServiceSchema => ({
  name: 'users',
  version: 1,
  actions: {
    list: implement(ListUsers, listUsers(deps)),
    grantViewOnly: implement(GrantViewOnly, grantViewOnly(deps)),
    revokeViewOnly: implement(RevokeViewOnly, revokeViewOnly(deps)),
    setDisplayName: implement(SetDisplayName, setDisplayName(deps)),
    roles: implement(GetRoles, getRoles(deps)),
    audit: implement(ListAudit, listAudit(deps)),
    auditRow: implement(GetAudit, getAudit(deps)),
    auditExport: implement(ExportAudit, exportAudit(deps)),
    timeline: implement(ListTimeline, listTimeline(deps)),
  },
});
