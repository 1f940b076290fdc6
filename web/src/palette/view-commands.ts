import type { Path } from 'react-router';
import { anchors } from '../navigation/anchors.ts';
import { sectionPath, type VaultArea, vaultOfPath } from '../navigation/paths.ts';
import { sharedQuery } from '../period/use-view.ts';
import type { Command } from './commands.ts';

type Inputs = {
  pathname: string;
  search: string;
  /** Whether a section of a vault is open: it has the time machine itself, and can be printed. */
  isSection: boolean;
  go: (to: Partial<Path>) => void;
  print: () => void;
};

const group = 'This vault';

/** Other views of the vault whose page is open: a moment of the past, two moments, paper, the report of a month. */
export function viewCommands({ pathname, search, isSection, go, print }: Inputs): Command[] {
  const vault = vaultOfPath(pathname);
  if (vault === undefined) return [];
  const area: VaultArea = pathname.startsWith('/operate/') ? 'operate' : 'public';
  const at = (view: 'overview' | 'performance' | 'print'): Partial<Path> => ({
    pathname: sectionPath(area, vault.slug, vault.address, view),
    search: sharedQuery(search),
  });
  const here = isSection ? { pathname, search } : at('overview');
  return [
    {
      id: 'time-machine',
      group,
      name: 'Time machine: go to a moment',
      also: 'past history date calendar travel back then as of block',
      run: () => go({ ...here, hash: `#${anchors.timeMachine}` }),
    },
    {
      id: 'compare-moment',
      group,
      name: 'Compare with a moment',
      also: 'difference diff versus vs before after then now time machine',
      run: () => go({ ...here, hash: `#${anchors.comparison}` }),
    },
    {
      id: 'report',
      group,
      name: 'Report of a month',
      also: 'monthly statement investors send save download pdf html json',
      run: () => go({ ...at('performance'), hash: `#${anchors.report}` }),
    },
    {
      id: 'print-all',
      group,
      name: 'All sections, for printing',
      also: 'print paper pdf save report export whole',
      run: () => go(at('print')),
    },
    ...(isSection
      ? [
          {
            id: 'print',
            group,
            name: 'Print this page',
            also: 'paper pdf save report export',
            keys: ['Ctrl', 'P'],
            run: print,
          } as const,
        ]
      : []),
  ];
}
