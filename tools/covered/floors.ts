import type { Lines } from './lines.ts';

/** Per package the least share of its lines in percent, a whole number. */
export type Floors = Readonly<Record<string, number>>;
export type Figures = ReadonlyMap<string, Lines>;

export const floorsFile = 'tools/coverage-floors.json';
const raise = 'npm run check -- --raise-floors';

const share = ({ lines, covered }: Lines): number => (lines === 0 ? 100 : (100 * covered) / lines);

/** What is wrong with the figures, one sentence for each package; nothing when all are at their floors or above. */
export function faultsOf(figures: Figures, floors: Floors): string[] {
  const below = [...figures].flatMap(([name, lines]) => {
    const floor = floors[name];
    if (floor === undefined) return [`${name} has no floor: \`${raise}\` adds it to ${floorsFile}.`];
    if (share(lines) >= floor) return [];
    return [`${name} is below its floor of ${floor} %: ${share(lines).toFixed(2)} %. Test what was added or changed.`];
  });
  const gone = Object.keys(floors).filter((name) => !figures.has(name));
  return [...below, ...gone.map((name) => `${name} has a floor and no code: remove it from ${floorsFile}.`)];
}

/** Floors as high as the figures allow, and none lower than it is. */
export function raised(figures: Figures, floors: Floors): Floors {
  const names = [...new Set([...Object.keys(floors), ...figures.keys()])].sort();
  return Object.fromEntries(
    names.map((name) => {
      const lines = figures.get(name);
      return [name, Math.max(floors[name] ?? 0, lines ? Math.floor(share(lines)) : 0)];
    }),
  );
}

export function tableOf(figures: Figures, floors: Floors): string {
  const rows = [...figures].map(([name, lines]) => {
    const now = share(lines).toFixed(2).padStart(6);
    const floor = `${floors[name] ?? 'none'}`.padStart(5);
    return `${now} % ${floor}  ${name} (${lines.covered} of ${lines.lines} lines)\n`;
  });
  return `Lines whose functions unit and web tests call\n     now floor  package\n${rows.join('')}`;
}
