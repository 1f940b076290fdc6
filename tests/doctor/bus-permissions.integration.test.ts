import { type BusService, busServiceNames, busServices } from '@castellan/contracts';
import { type DurableBus, defineStreams } from '@castellan/service-kit';
import { afterEach, expect, test } from '@jest/globals';
import { checkBus } from '../../tools/castellan/doctor/bus.ts';
import type { Finding } from '../../tools/castellan/doctor/finding.ts';
import { type BusServer, startBusServer } from '../security/bus-server.ts';

/** The doctor against a bus with the permissions that are shipped, and with those of a release before. */
const namespace = 'castellan';
let server: BusServer | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

const faultsOf = (findings: readonly Finding[]) =>
  findings.flatMap(({ state, found }) => (state === 'fault' ? [found] : []));

async function start(changed?: (accounts: string) => string): Promise<Map<string, DurableBus>> {
  server = await startBusServer(namespace, [], changed);
  const definers = busServiceNames.filter((name) => busServices[name].defines.length > 0);
  const connected = new Map<string, DurableBus>();
  for (const name of definers) {
    const bus = await server.connect(name);
    const { defines }: BusService = busServices[name];
    await defineStreams(bus, [...defines]);
    connected.set(name, bus);
  }
  return connected;
}

const checked = (name: (typeof busServiceNames)[number], user: string = name) =>
  checkBus(name, { url: String(server?.urlOf(user)), namespace });

test('default: the permissions that are shipped are all that each service needs, and trying them leaves nothing behind', async () => {
  const connected = await start();
  const streams = [...connected].flatMap(([name, bus]) => {
    const { defines }: BusService = busServices[name as (typeof busServiceNames)[number]];
    return defines.map((stream) => ({ bus, stored: `${namespace}_${stream.name}` }));
  });
  streams.push({ bus: connected.get('users') as DurableBus, stored: `${namespace}_DEAD` });
  const states = () =>
    Promise.all(
      streams.map(async ({ bus, stored }) => {
        const { config, state } = await bus.manager.streams.info(stored);
        return { config, state };
      }),
    );
  const before = await states();
  for (const name of busServiceNames) expect([name, faultsOf(await checked(name))]).toEqual([name, []]);
  expect(await states()).toEqual(before);
  expect(before.every(({ state }) => state.messages === 0)).toBe(true);
});

test('error: what a user may not do that its service does, as after an upgrade with the permissions of before', async () => {
  const without = [
    'MOL-castellan.REQ.ai.analytics.*.v1.analytics.ppsWhatIf',
    'castellan.durable.figures.vault_measured',
    '$JS.ACK.castellan_AUDIT.users-audit.>',
    'castellan.durable.roles.roles_changed',
  ];
  const lines = new Set(without.map((subject) => JSON.stringify(subject)));
  const isKept = (line: string) => !lines.has(line.trim());
  await start((accounts) => accounts.split('\n').filter(isKept).join('\n'));
  expect((await checked('ai')).filter(({ state }) => state === 'fault')).toMatchObject([
    { found: 'ai may not publish MOL-castellan.REQ.ai.analytics.castellan-doctor.v1.analytics.ppsWhatIf' },
    {
      found: 'ai may not subscribe to castellan.durable.roles.roles_changed',
      remedy: expect.stringContaining('deploy/nats/castellan.conf'),
    },
  ]);
  expect(faultsOf(await checked('analytics'))).toEqual([
    'analytics may not publish castellan.durable.figures.vault_measured',
  ]);
  expect(faultsOf(await checked('users'))).toEqual([
    'users may not publish $JS.ACK.castellan_AUDIT.users-audit.castellan-doctor',
  ]);
  expect(faultsOf(await checked('users', 'ai')).join('\n')).toMatch(/ai may not publish \S+, \S+, \S+ and \d+ more/);
});
