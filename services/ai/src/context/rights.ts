import type { Caller } from '@castellan/contracts';
import type { Call } from '@castellan/service-kit';

/** Whose rights something is read or prepared with: exactly those of the caller, decided by the services that are asked. */
export type Rights = { caller: Caller; callAction: Call['callAction'] };
