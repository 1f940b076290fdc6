import { randomUUID } from 'node:crypto';
import { acquireLease, type Lease, type Logger, releaseLease, renewLeases } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import type { Cancel, Clock } from '../ports.ts';

export type KeyLeaseOptions = {
  connection: Connection;
  /** Public names of the keys; each is held or none. */
  keys: readonly string[];
  clock: Clock;
  /** Milliseconds since the epoch, as other hosts see it too. */
  log: Logger;
  /** The node must stop signing at once. Called at most once. */
  onLost: (key: string) => void;
};

export type KeyLease = {
  /** Grows with every change of holder. */
  token(key: string): number;
  release(): Promise<void>;
};

const ttlMs = 15_000;
const renewMs = 5000;

export class KeyInUseError extends Error {
  override readonly name = 'KeyInUseError';
}

const leaseName = (key: string) => `key:${key.toLowerCase()}`;

/**
 * Holds keys for this process alone and renews the hold. A hold that could not be renewed before it ends counts as lost, even
 * when nobody else has taken it: another may, a moment later.
 * @throws KeyInUseError while another process holds one of them.
 */
export async function holdKeys(options: KeyLeaseOptions): Promise<KeyLease> {
  const { connection, keys, log } = options;
  const holder = randomUUID();
  const held = new Map<string, Lease>();
  const release = async () => {
    for (const key of held.keys()) await releaseLease(connection, { name: leaseName(key), holder });
  };
  for (const key of keys) {
    const lease = await acquire(options, key, holder);
    if (lease) held.set(key, lease);
    else {
      await release();
      throw new KeyInUseError(
        `Another process uses the key ${key}. A killed one frees it within ${ttlMs / 1000} seconds.`,
      );
    }
  }
  const stop = keepRenewing(options, holder, held);
  return {
    token: (key) => held.get(key)?.token ?? 0,
    release: async () => {
      stop();
      await release().catch((error: unknown) => log.warn('key leases are left to expire', { error }));
    },
  };
}

const acquire = ({ connection }: KeyLeaseOptions, key: string, holder: string) =>
  acquireLease(connection, { name: leaseName(key), holder, ttlMs });

function keepRenewing(options: KeyLeaseOptions, holder: string, held: ReadonlyMap<string, Lease>): Cancel {
  const { clock, log, onLost } = options;
  let cancel: Cancel = () => undefined;
  let stopped = false;
  let renewedAt = clock.now();
  let cancelDeadline: Cancel = () => undefined;
  const lost = (key: string) => {
    if (stopped) return;
    stopped = true;
    cancel();
    cancelDeadline();
    log.error('key lease is lost', { key });
    onLost(key);
  };
  // A store that hangs never answers a renewal; the deadline runs without it.
  const armDeadline = () => {
    cancelDeadline();
    cancelDeadline = clock.after(renewedAt + ttlMs - clock.now(), () => lost([...held.keys()][0] as string));
  };
  const renew = async () => {
    const startedAt = clock.now();
    try {
      const byName = new Map([...held.keys()].map((key) => [leaseName(key), key]));
      const [gone] = await renewLeases(options.connection, { names: [...byName.keys()], holder, ttlMs });
      if (gone !== undefined) return lost(byName.get(gone) as string);
      renewedAt = startedAt;
      if (!stopped) armDeadline();
    } catch (error) {
      log.warn('key leases could not be renewed', { error });
    }
    if (!stopped) cancel = clock.after(renewMs, () => void renew());
  };
  cancel = clock.after(renewMs, () => void renew());
  armDeadline();
  return () => {
    stopped = true;
    cancel();
    cancelDeadline();
  };
}
