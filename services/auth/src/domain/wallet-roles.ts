import type { Role } from '@castellan/contracts';

/** True for the roles that may change a vault. */
export const isManagerRole = (role: Role): boolean => role !== 'view_only';
