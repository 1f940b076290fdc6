import { expect, test } from '@jest/globals';
import { type Options, readOptions } from './options.ts';
import { requireUsablePorts } from './ports.ts';
import { portsOf, portUses } from './system.ts';

const startWith = (...args: string[]) => {
  const options = readOptions(args, '/somewhere', {}) as Options;
  requireUsablePorts(portUses(portsOf(options), options, { nats: true, store: true }));
};
const refusalOf = (...args: string[]): string => {
  try {
    startWith(...args);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
};

test('default: the house ports, shifted or not, can be used', () => {
  expect([refusalOf(), refusalOf('--port-offset', '100'), refusalOf('--port', '3000')]).toEqual(['', '', '']);
});

test.each([
  ['--port', '10080', '10080 (web and API): change it with --port'],
  ['--port', '6667', '6667 (web and API): change it with --port'],
  ['--port-offset', '2000', '10080 (web and API): change it with --port'],
  // What `npm start` itself asks with fetch would never answer it.
  ['--port-offset', '978', '10080 (auth metrics): change it with --port-offset'],
])('error: %s %s makes a port that browsers refuse', (flag, value, expected) => {
  expect(refusalOf(flag, value)).toBe(`Browsers and fetch refuse to open these ports:\n  ${expected}`);
});

test('error: an offset that leads past the last port names what it would move there', () => {
  expect(refusalOf('--port-offset', '40000')).toContain('67017 (document store): change it with --port-offset');
});

test('behavior: what is refused is what fetch refuses', async () => {
  const refused = Array.from({ length: 65_535 }, (_, index) => index + 1).filter(
    (port) => refusalOf('--port', String(port)) !== '',
  );
  expect(refused).toHaveLength(82);
  for (const port of refused) {
    await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toMatchObject({ cause: { message: 'bad port' } });
  }
});
