import { randomUUID } from 'node:crypto';
import { testKeys } from '@castellan/testkit';
import { expect, test } from '@jest/globals';
import { createBroker, createIdentity, createLogger, createRegistry } from '../src/index.ts';

test('behavior: what alerts count begins at 0, for Prometheus sees no increase in a first value', async () => {
  const registry = createRegistry('users');
  const broker = createBroker({
    service: 'users',
    identity: createIdentity('users', testKeys('users')),
    nats: { url: 'inprocess:', namespace: `counts-${randomUUID().slice(0, 8)}` },
    registry,
    log: createLogger({ service: 'users', level: 'silent' }),
  });
  broker.createService({ name: 'users', version: 1, actions: { grants: () => [] } });
  await broker.start();
  try {
    const text = await registry.metrics();
    expect(text).toContain('action_failures_total{action="v1.users.grants",service="users"} 0');
    expect(text).toContain('bus_packets_refused_total{reason="subscription refused",service="users"} 0');
    expect(text).toContain('bus_packets_refused_total{reason="packet is malformed",service="users"} 0');
  } finally {
    await broker.stop();
  }
});
