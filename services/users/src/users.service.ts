import { GetRoles, GrantViewOnly, ListUsers, RevokeViewOnly, SetDisplayName } from '@castellan/contracts';
import { implement } from '@castellan/service-kit';
import type { ServiceSchema } from 'moleculer';
import { type ChangeDeps, grantViewOnly, revokeViewOnly, setDisplayName } from './use-cases/change-access.ts';
import { getRoles, listUsers } from './use-cases/read-users.ts';

/** Binds the contracts to the use cases. */
export const usersService = (deps: ChangeDeps & { checksum: (address: string) => string }): ServiceSchema => ({
  name: 'users',
  version: 1,
  actions: {
    list: implement(ListUsers, listUsers(deps)),
    grantViewOnly: implement(GrantViewOnly, grantViewOnly(deps)),
    revokeViewOnly: implement(RevokeViewOnly, revokeViewOnly(deps)),
    setDisplayName: implement(SetDisplayName, setDisplayName(deps)),
    roles: implement(GetRoles, getRoles(deps)),
  },
});
