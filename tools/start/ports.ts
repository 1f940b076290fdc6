import { createServer } from 'node:net';

export type PortUse = {
  port: number;
  usedBy: string;
  changedBy: string;
  /** Whether browsers, or this program's own probes, ask it over HTTP. */
  speaksHttp: boolean;
};

/** Ports that browsers and `fetch` refuse to ask: the "bad ports" of https://fetch.spec.whatwg.org/#port-blocking. */
const refusedByFetch: ReadonlySet<number> = new Set([
  ...[0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109],
  ...[110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530],
  ...[531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190],
  ...[5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080],
]);

const listed = (uses: PortUse[]): string =>
  uses.map(({ port, usedBy, changedBy }) => `  ${port} (${usedBy}): change it with ${changedBy}`).join('\n');

/**
 * @throws Error naming every port that nothing could reach though it were free: past the last one, or one that browsers
 * and `fetch` refuse.
 */
export function requireUsablePorts(uses: PortUse[]): void {
  const tooHigh = uses.filter(({ port }) => port > 65_535);
  if (tooHigh.length > 0) throw new Error(`Ports end at 65535:\n${listed(tooHigh)}`);
  const refused = uses.filter(({ port, speaksHttp }) => speaksHttp && refusedByFetch.has(port));
  if (refused.length > 0) throw new Error(`Browsers and fetch refuse to open these ports:\n${listed(refused)}`);
}

/** True when nothing listens on the port of the loopback interface. */
export const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });

/** @throws Error naming every taken port, what wants it, and the flag that changes it. */
export async function requireFreePorts(uses: PortUse[]): Promise<void> {
  const taken: PortUse[] = [];
  for (const use of uses) if (!(await isFree(use.port))) taken.push(use);
  if (taken.length === 0) return;
  throw new Error(`These ports are taken by another program:\n${listed(taken)}`);
}
