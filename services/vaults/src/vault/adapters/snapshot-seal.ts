import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { Appointment } from '../domain/vault-facts.ts';
import type { VaultSnapshotDocument } from '../models/vault-snapshot.ts';

/** What roles are answered from. */
type Sealed = Pick<
  VaultSnapshotDocument,
  'chain_id' | 'vault' | 'strategy' | 'block_number' | 'block_hash' | 'managers' | 'wallets' | 'detail'
>;

/** Distinguishes what this service read from the chain from what somebody else wrote into the store. */
export type SnapshotSeal = {
  sealOf(snapshot: Sealed): string;
  /** False for anything malformed, too. */
  isOurs(document: Sealed & { seal?: unknown }): boolean;
};

const appointment = ({ wallet, grantedBy, grantedAt }: Appointment) => [wallet, grantedBy, grantedAt];

const textOf = ({
  chain_id,
  vault,
  strategy,
  block_number,
  block_hash,
  managers: { primary, secondary },
  wallets,
  detail,
}: Sealed): string =>
  JSON.stringify([
    chain_id,
    vault,
    strategy,
    block_number,
    block_hash,
    appointment(primary),
    secondary.map(appointment),
    wallets,
    detail.vault_address,
  ]);

/**
 * HMAC-SHA256 over whose vault it is, at which block.
 * @param secret - Known to every instance of this service and to no other.
 */
export function snapshotSeal(secret: string): SnapshotSeal {
  const key = Buffer.from(hkdfSync('sha256', secret, 'castellan-vaults', 'vault-snapshot-v1', 32));
  const macOf = (snapshot: Sealed) => createHmac('sha256', key).update(textOf(snapshot)).digest();
  return {
    sealOf: (snapshot) => macOf(snapshot).toString('base64url'),
    isOurs(document) {
      if (typeof document.seal !== 'string') return false;
      const given = Buffer.from(document.seal, 'base64url');
      try {
        const mac = macOf(document);
        return given.length === mac.length && timingSafeEqual(given, mac);
      } catch {
        return false;
      }
    },
  };
}
