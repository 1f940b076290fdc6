import { expect, test } from '@jest/globals';
import { definingFiles, definitionsIn } from '../collections-docs.ts';
import { collectionsOf, type DatabaseService, databaseServices, truthOf } from './collections.ts';

test('default: the collections of the sources are those that backup and doctor know', async () => {
  const defined = new Map<string, string[]>();
  for (const { file } of definingFiles()) {
    const service = file.startsWith('packages/') ? 'kit' : `${file.split('/')[1]}`;
    const names = (await definitionsIn(file)).map(({ name }) => name);
    defined.set(service, [...(defined.get(service) ?? []), ...names]);
  }
  const ofKit = defined.get('kit') ?? [];
  defined.delete('kit');
  expect([...defined.keys()].sort()).toEqual([...databaseServices].sort());
  for (const [service, names] of defined) {
    const known = collectionsOf(service as DatabaseService).map(({ name }) => name);
    expect([service, known.sort()]).toEqual([service, [...names, ...ofKit].sort()]);
  }
});

test('security: keys, sessions and what a request was answered are in no backup', () => {
  const names = databaseServices.flatMap((service) => truthOf(service).map(({ name }) => `${service}.${name}`));
  for (const name of ['auth.signing_keys', 'auth.sessions', 'auth.nonces', 'gateway.idempotency_keys'])
    expect(names).not.toContain(name);
  expect(names).toContain('users.audit_log');
});
