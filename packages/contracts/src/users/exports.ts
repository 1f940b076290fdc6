export { isRoleAtLeast, managerRoleOnVault, roleOnVault } from './role-on-vault.ts';
export { GetRoles, GrantViewOnly, ListUsers, RevokeViewOnly, SetDisplayName, VaultUser } from './users.ts';
