import { until } from '../../packages/testkit/src/until.ts';
import { monitoringPorts } from '../../tools/start/monitoring-ports.ts';
import { pidsOf } from './running-system.ts';

const readyMs = 60_000;

const statusOf = (port: number): Promise<number | string> =>
  fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ status }) => status,
    (error: Error) => error.message,
  );

/**
 * Waits until each service of the system under test says that it is ready: the file before may have killed one, and a service
 * is started again sooner than it answers.
 * @throws Error that names those that are not.
 */
export async function untilServicesReady(stateDir: string, rpcUrl: string): Promise<void> {
  const portOffset = Number(new URL(rpcUrl).port) - 8545;
  const running = pidsOf(stateDir);
  const services = Object.entries(monitoringPorts(portOffset)).filter(([name]) => name in running);
  let late: string[] = [];
  const areReady = async () => {
    const statuses = await Promise.all(services.map(async ([name, port]) => ({ name, status: await statusOf(port) })));
    late = statuses.filter(({ status }) => status !== 200).map(({ name, status }) => `${name}: ${status}`);
    return late.length === 0;
  };
  await until('every service is ready', areReady, readyMs).catch((error: Error) => {
    throw new Error(`${error.message}; not ready: ${late.join(', ')}`);
  });
}
