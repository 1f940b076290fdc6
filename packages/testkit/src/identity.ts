import { createHash, createPrivateKey } from 'node:crypto';
import { type ServiceName, serviceNames } from '@castellan/contracts';
import { createIdentity, type Identity, type PrivateKey, type ServiceKeys } from '@castellan/service-kit';

/** The prefix of the 32 bytes of an Ed25519 key in PKCS #8 (RFC 8410). */
const pkcs8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** A key pair of tests, the same in every process of a test. */
function testKey(service: string): PrivateKey {
  const seed = createHash('sha256').update(`test key of ${service}`).digest();
  const key = createPrivateKey({ key: Buffer.concat([pkcs8, seed]), format: 'der', type: 'pkcs8' });
  const { x, d } = key.export({ format: 'jwk' });
  return { kty: 'OKP', crv: 'Ed25519', kid: `${service}-test`, x: String(x), d: String(d) };
}

const publicKeys = Object.fromEntries(
  serviceNames.map((service) => {
    const { d: _private, ...key } = testKey(service);
    return [service, [key]];
  }),
);

/** The keys of one service in tests, and the public ones of all. */
export const testKeys = (service: ServiceName): ServiceKeys => ({ privateKey: testKey(service), publicKeys });

/** The same as a process reads them from its environment. */
export const testKeysEnv = (service: ServiceName): { SERVICE_KEY: string; SERVICE_PUBLIC_KEYS: string } => ({
  SERVICE_KEY: JSON.stringify(testKey(service)),
  SERVICE_PUBLIC_KEYS: JSON.stringify(publicKeys),
});

/**
 * The caller that a test needs: the gateway with any user, else a service that the called action takes. What it calls verifies
 * as in a running system.
 */
export function testIdentity(now: () => number = Date.now): Identity {
  const identities = new Map(serviceNames.map((name) => [name, createIdentity(name, testKeys(name), now)]));
  const as = (name: ServiceName): Identity => identities.get(name) as Identity;
  return {
    ...as('gateway'),
    prove(action, nodeId, caller) {
      const { user, services = [] } = action.callers;
      const isForUser = caller !== undefined && user !== undefined;
      const alone = user !== undefined || services.includes('gateway') ? 'gateway' : services[0];
      return as(isForUser ? 'gateway' : (alone ?? 'gateway')).prove(action, nodeId, caller);
    },
  };
}
