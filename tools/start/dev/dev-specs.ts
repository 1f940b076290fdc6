import { join } from 'node:path';
import type { PortUse } from '../ports.ts';
import { answersTcp } from '../probes.ts';
import type { ProcessSpec } from '../supervisor.ts';
import type { Settings } from '../system.ts';

const host = '127.0.0.1';

/** Node's own first port for debuggers, and those after it in the order in which processes start. */
const firstInspectPort = 9229;
const mostProcesses = 16;

export const webPortOf = (portOffset: number): number => 5173 + portOffset;

/** The ports that only the development loop opens. */
export const devPortUses = (portOffset: number): PortUse[] => {
  const use = (port: number, usedBy: string, speaksHttp: boolean) => ({
    port,
    usedBy,
    speaksHttp,
    changedBy: '--port-offset',
  });
  return [
    use(webPortOf(portOffset), 'web from its sources', true),
    ...Array.from({ length: mostProcesses }, (_, nth) => use(firstInspectPort + portOffset + nth, 'debuggers', false)),
  ];
};

/** How a process runs in the development loop: open to a debugger, and reporting what it imports. */
export const forDevelopment = (
  spec: ProcessSpec,
  options: { root: string; inspectPort: number; onImport: (file: string) => void },
): ProcessSpec => ({
  ...spec,
  args: [
    `--inspect=${host}:${options.inspectPort}`,
    '--import',
    join(options.root, 'tools/start/dev/report-modules.ts'),
    ...spec.args,
  ],
  onMessage: (message) => {
    if (typeof message !== 'object' || message === null || !('imported' in message)) return;
    if (typeof message.imported === 'string') options.onImport(message.imported);
  },
});

export const inspectPortOf = (portOffset: number, nth: number): number => firstInspectPort + portOffset + nth;

/** The web from its sources, with the API of the system's gateway behind it. */
export const webSpec = ({ root, options, ports, publicUrl }: Settings): ProcessSpec => {
  const port = webPortOf(options.portOffset);
  return {
    name: 'web',
    command: process.execPath,
    args: [
      join(root, 'node_modules/vite/bin/vite.js'),
      join(root, 'web'),
      ...['--host', host, '--port', String(port), '--strictPort', '--clearScreen', 'false'],
      ...['--config', join(root, 'web/vite.config.ts')],
    ],
    env: { GATEWAY_URL: `http://${host}:${ports.gateway}`, GATEWAY_ORIGIN: new URL(publicUrl).origin },
    isReady: () => answersTcp(port),
    readyWithinMs: 60_000,
  };
};
