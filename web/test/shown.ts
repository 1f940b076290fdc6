import { jest } from '@jest/globals';
import type { Shown } from '../src/vault/vault-gate.tsx';
import { aVault } from './builders.ts';
import { config } from './harness.tsx';

/** What the gate hands to a page of one vault. */
export function aShown(vault: Parameters<typeof aVault>[0] = {}): Shown {
  const [chain] = config.chains;
  if (chain === undefined) throw new Error('no chain');
  const live = { mode: 'stream', toggle: jest.fn(), pollMs: false } as const;
  return { vault: aVault(vault), area: 'public', chain, updatedAt: Date.now(), live, error: null, retry: jest.fn() };
}

/** An answer of the API that is not a success. */
export const refusal = (code: string, status = 403): Error =>
  Object.assign(new Error(code), { code, status, detail: `refused: ${code}`, request_id: 'req-1' });
