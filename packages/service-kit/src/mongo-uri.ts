/**
 * What a URI may not say otherwise. Roles, grants, signing guards, leases, the outbox and the log are read from the primary and
 * written to most members and their journals: less, and a failover takes back what was answered.
 */
const fixed: Readonly<Record<string, string>> = {
  readpreference: 'primary',
  w: 'majority',
  journal: 'true',
  retrywrites: 'true',
};

/** A sentence for each option of the URI that would weaken reads or writes. It holds no credentials. */
export function weakeningsOf(uri: string): string[] {
  const query = /\?(.*)$/s.exec(uri)?.[1] ?? '';
  return [...new URLSearchParams(query)].flatMap(([name, value]) => {
    const allowed = fixed[name.toLowerCase()];
    if (allowed === undefined || value.toLowerCase() === allowed) return [];
    return [`may not say ${name}=${value}: only ${allowed} survives a failover`];
  });
}
