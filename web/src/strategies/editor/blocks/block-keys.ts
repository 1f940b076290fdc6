import { keyText, type ShortcutKeys } from '../../../navigation/keys.ts';

/** What keys do to the block that has the focus, as its menu prints them. */
export const blockKeys = {
  edit: ['Enter'],
  condition: ['Ctrl', 'Enter'],
  group: ['Ctrl', 'Shift', 'Enter'],
  paste: ['Ctrl', 'V'],
  copy: ['Ctrl', 'C'],
  cut: ['Ctrl', 'X'],
  double: ['Ctrl', 'D'],
  wrap: ['Ctrl', 'G'],
  negate: ['!'],
  up: ['Alt', '↑'],
  down: ['Alt', '↓'],
  remove: ['Del'],
} as const satisfies Record<string, ShortcutKeys>;

export type BlockKeyName = keyof typeof blockKeys;

/** All of them in one sentence, below the canvas. */
export const keysHint = (): string =>
  [
    'Drag a block onto a group. By keys: arrows move between blocks',
    `${keyText('Enter')} edits`,
    `${keyText('Del')} removes`,
    `${keyText('Alt')} with an arrow reorders`,
    '! negates',
    'Shift+F10 opens the menu',
    `${keyText('Ctrl')} with C, X, V and Z copies, cuts, pastes and undoes, with D and G duplicates and groups, with ${keyText('Enter')} adds a condition.`,
  ].join(', ');
