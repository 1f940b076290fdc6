import type { Api } from '../client/api.ts';

export type AccountSession = Awaited<ReturnType<Api['listSessions']>>['sessions'][number];
export type Issued = Awaited<ReturnType<Api['createScopedToken']>>;
export type Scope = AccountSession['scope'];

export const scopeWords: Record<Scope, string> = {
  read: 'Reads only',
  prepare: 'Reads, and prepares calls to sign',
  full: 'Everything your roles allow',
};

const DAY = 86_400;
export const lifetimes = [
  { value: '3600', label: '1 hour' },
  { value: String(DAY), label: '1 day' },
  { value: String(7 * DAY), label: '7 days' },
  { value: String(30 * DAY), label: '30 days' },
  { value: String(90 * DAY), label: '90 days' },
] as const;

export const nameOfSession = ({ kind, name }: AccountSession): string =>
  name ?? (kind === 'session' ? 'Sign-in' : 'Token without a name');

/** How to try a token from a shell; the token comes from the environment, so that it stays out of the shell's history. */
export const curlExample = (origin: string, { session: { vault } }: Issued): string => {
  const path = vault === null ? '/api/v1/auth/me' : `/api/v1/vaults/${vault.chain_id}/${vault.vault_address}`;
  return `curl -H "Authorization: Bearer $CASTELLAN_TOKEN" ${origin}${path}`;
};
