import type { ShortcutKeys } from '../navigation/keys.ts';

export const groups = [
  'Recent',
  'Address and transaction',
  'This vault',
  'Vaults',
  'Your vaults',
  'Go to',
  'Actions',
  'Alerts',
] as const;

export type Command = {
  id: string;
  group: (typeof groups)[number];
  name: string;
  /** Shown beside the name. */
  detail?: string;
  /** Found by this too: what people type for it, or what is too long to show. */
  also?: string;
  /** What does the same without the palette. */
  keys?: ShortcutKeys;
  /** Why it cannot be done by the reader: who may. */
  refused?: string;
  run: () => void;
};

/** Where a typed word is in a command; less is better. */
const places = { whole: 0, nameStart: 1, wordStart: 2, inName: 3, elsewhere: 4 } as const;

function placeOf(word: string, name: string): number {
  if (name.split(' ').includes(word)) return places.whole;
  if (name.startsWith(word)) return places.nameStart;
  if (name.includes(` ${word}`)) return places.wordStart;
  return name.includes(word) ? places.inName : places.elsewhere;
}

type Found = { group: Command['group']; commands: Command[]; more: number };

/** More of a group than this are only counted: who sees so many types on. */
const MOST_OF_A_GROUP = 12;

/**
 * Commands in which every word of the text occurs, by group. Without a text the recent ones come first; with one the best match does,
 * and of equal ones the one that was used last.
 */
export function findCommands(commands: readonly Command[], text: string, recent: readonly string[]): Found[] {
  const words = text.trim().toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return inGroups(commands.map((command) => asRecent(command, recent)).sort(byUse(recent)));
  const scored = commands.flatMap((command) => {
    const { name, detail = '', also = '', group } = command;
    const all = `${name} ${detail} ${also} ${group}`.toLowerCase();
    if (!words.every((word) => all.includes(word))) return [];
    const score = words.reduce((sum, word) => sum + placeOf(word, name.toLowerCase()), 0);
    return [{ command, score }];
  });
  const byScore = byUse(recent);
  return inGroups(
    scored
      .sort((left, right) => left.score - right.score || byScore(left.command, right.command))
      .map(({ command }) => command),
    false,
  );
}

const asRecent = (command: Command, recent: readonly string[]): Command =>
  recent.includes(command.id) && command.refused === undefined ? { ...command, group: 'Recent' } : command;

const byUse = (recent: readonly string[]) => {
  const place = ({ id }: Command) => (recent.includes(id) ? recent.indexOf(id) : recent.length);
  return (left: Command, right: Command) => place(left) - place(right);
};

/** @param isOrdered - In the order of the groups, else each group where its first command is. */
function inGroups(commands: readonly Command[], isOrdered = true): Found[] {
  const found = [...Map.groupBy(commands, ({ group }) => group)].map(([group, all]) => ({
    group,
    commands: all.slice(0, MOST_OF_A_GROUP),
    more: Math.max(0, all.length - MOST_OF_A_GROUP),
  }));
  return isOrdered ? found.sort((left, right) => groups.indexOf(left.group) - groups.indexOf(right.group)) : found;
}
