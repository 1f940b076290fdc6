/** What a sequence of keys does. Two keys are pressed one after the other. */
export type Shortcut = { keys: readonly string[]; words: string };

export const isMac = (): boolean => /mac|iphone|ipad/i.test(navigator.userAgent);

export const shortcuts = {
  palette: { keys: ['Ctrl', 'K'], words: 'Search vaults, sections and actions' },
  help: { keys: ['?'], words: 'Show these shortcuts' },
  vaults: { keys: ['g', 'v'], words: 'Go to the list of vaults' },
  operate: { keys: ['g', 'o'], words: 'Go to Operate' },
  compare: { keys: ['g', 'c'], words: 'Go to the comparison' },
  theme: { keys: ['t'], words: 'Change the theme' },
  search: { keys: ['/'], words: 'Search the list of vaults' },
  next: { keys: ['j'], words: 'Next section of a vault' },
  previous: { keys: ['k'], words: 'Previous section of a vault' },
} as const satisfies Record<string, Shortcut>;

export type ShortcutName = keyof typeof shortcuts;

/** How a key is printed: the command key on a Mac. */
export const keyText = (key: string): string => (key === 'Ctrl' && isMac() ? '⌘' : key);

const TYPING = 'input, textarea, select, [contenteditable="true"], [role="slider"], [role="menu"], [role="dialog"]';

/** Whether a key belongs to what is focused: a field, a menu and a dialog use letters of their own. */
export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest(TYPING) !== null;

const singles = new Map<string, ShortcutName>();
const pairs = new Map<string, ShortcutName>();
for (const [name, { keys }] of Object.entries(shortcuts) as [ShortcutName, Shortcut][]) {
  const [first, second] = keys;
  if (first === undefined || first === 'Ctrl') continue;
  if (second === undefined) singles.set(first, name);
  else pairs.set(`${first}${second}`, name);
}
const PAIR_MS = 1_000;

const OFF_KEY = 'castellan_single_keys';

/** Single keys can be switched off: dictation software types them by accident (WCAG 2.1.4). */
export const areSinglesOn = (): boolean => localStorage.getItem(OFF_KEY) !== 'off';
export const setSingles = (isOn: boolean) => localStorage.setItem(OFF_KEY, isOn ? 'on' : 'off');

type Pressed = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'target' | 'timeStamp'>;

/** Reads key presses one after the other. @returns what a press completes, if anything. */
export function createKeyReader(): (event: Pressed) => ShortcutName | undefined {
  let before: { key: string; at: number } | undefined;
  return ({ key, ctrlKey, metaKey, altKey, target, timeStamp }) => {
    if ((ctrlKey || metaKey) && !altKey && key.toLowerCase() === 'k') return 'palette';
    if (ctrlKey || metaKey || altKey || isTyping(target) || !areSinglesOn()) return undefined;
    const first = before !== undefined && timeStamp - before.at < PAIR_MS ? before.key : '';
    const pair = pairs.get(`${first}${key}`);
    before = pair === undefined ? { key, at: timeStamp } : undefined;
    return pair ?? singles.get(key);
  };
}
