export { isRoleAtLeast, managerRoleOnVault, roleOnVault } from './decide-role-on-vault.ts';
export { GetRoles, GrantViewOnly, ListUsers, RevokeViewOnly, SetDisplayName, VaultUser } from './users.ts';
