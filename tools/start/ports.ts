import { createServer } from 'node:net';

export type PortUse = { port: number; usedBy: string; changedBy: string };

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
  const lines = taken.map(({ port, usedBy, changedBy }) => `  ${port} (${usedBy}): change it with ${changedBy}`);
  throw new Error(`These ports are taken by another program:\n${lines.join('\n')}`);
}
