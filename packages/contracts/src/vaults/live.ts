/** Where the live updates of a vault are, and of which kinds. Without schemas, so that a page follows a vault before it has them. */
export const streamPath = '/api/v1/vaults/{chain_id}/{vault_address}/stream';

/** What of a vault has changed; `call`: a prepared call of it is in another state, which its readers read. */
export const updateKinds = ['vault', 'pps', 'activity', 'roles', 'alert', 'transmission', 'call'] as const;
