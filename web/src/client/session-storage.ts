/** The four keys scripts and other clients of the same origin rely on. */
export const sessionKeys = {
  token: 'curator_jwt',
  address: 'curator_address',
  isManager: 'curator_is_manager',
  vaults: 'curator_vaults',
} as const;

export type StoredSession = { token: string; address: string; isManager: boolean; vaults: string[] };

function parseVaults(text: string): string[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The stored session, or undefined when any of the four keys is missing or malformed. */
export function readSession(storage: Storage): StoredSession | undefined {
  const token = storage.getItem(sessionKeys.token);
  const address = storage.getItem(sessionKeys.address);
  const isManager = storage.getItem(sessionKeys.isManager);
  const list = storage.getItem(sessionKeys.vaults);
  if (!token || !address || !list || (isManager !== 'true' && isManager !== 'false')) return undefined;
  const vaults = parseVaults(list);
  if (vaults === undefined) return undefined;
  return { token, address, isManager: isManager === 'true', vaults };
}

/** The token comes last: other tabs read all four keys when it changes. */
export function writeSession(storage: Storage, session: StoredSession) {
  storage.setItem(sessionKeys.address, session.address);
  storage.setItem(sessionKeys.isManager, String(session.isManager));
  storage.setItem(sessionKeys.vaults, JSON.stringify(session.vaults));
  storage.setItem(sessionKeys.token, session.token);
}

export function clearSession(storage: Storage) {
  for (const key of Object.values(sessionKeys)) storage.removeItem(key);
}
