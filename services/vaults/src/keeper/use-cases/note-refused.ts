import type { Reason } from '../domain/standing.ts';
import type { KeeperPorts } from '../ports.ts';

/** Keeps why nothing is sent for a strategy, or for redemptions. */
export const noteRefused = (
  { refusals, now }: Pick<KeeperPorts, 'refusals' | 'now'>,
  { chain_id, vault }: { chain_id: number; vault: string },
  subject: string,
  { code, because }: Reason,
): Promise<void> => refusals.note({ chain_id, vault, subject, code, because }, new Date(now()));
