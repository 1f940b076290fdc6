import { checkArchive } from './archive.ts';
import { checkBus } from './bus.ts';
import { chainsOf, checkChains } from './chains.ts';
import { baseOf, checkConfiguration, checkKeys, checkSecrets } from './configuration.ts';
import type { Finding } from './finding.ts';
import type { Process } from './processes.ts';
import { checkStore, checkStoreOfKeeper } from './store.ts';

/** Looks at everything that the processes are configured with. */
export async function examine(processes: readonly Process[]): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const process of processes)
    found.push(...checkConfiguration(process), ...checkSecrets(process), ...(await checkKeys(process)));
  for (const process of processes) {
    const base = baseOf(process);
    if (!base) continue;
    found.push(...(await checkBus(process.name, base.nats)));
    if (process.name === 'vaults') found.push(...(await checkArchive(process, base.mongo)));
    // The keeper's database is that of vaults.
    if (process.name === 'keeper') found.push(...(await checkStoreOfKeeper(base.mongo)));
    else found.push(...(await checkStore({ service: process.name, mongo: base.mongo })));
  }
  // Each process that has chains has the same.
  const withChains = processes.find(({ name }) => name === 'vaults') ?? processes.find(({ name }) => name === 'keeper');
  if (withChains) found.push(...(await checkChains(chainsOf(withChains))));
  return found;
}

const marks = { ok: 'ok     ', warning: 'warning', fault: 'FAULT  ' } as const;

/** For people: a line for each finding, and what to do. */
export const reportOf = (findings: readonly Finding[]): string => {
  const lines = findings.map(
    ({ check, subject, state, found, remedy }) =>
      `${marks[state]} ${check.padEnd(13)} ${subject}: ${found}${remedy ? `\n                      → ${remedy}` : ''}\n`,
  );
  const count = (state: Finding['state']) => findings.filter((finding) => finding.state === state).length;
  return `${lines.join('')}${count('fault')} faults, ${count('warning')} warnings, ${count('ok')} well\n`;
};
