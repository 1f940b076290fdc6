/** Two keys are pressed one after the other, except Ctrl with another. */
export type ShortcutKeys = readonly string[];
/** What a sequence of keys does. */
export type Shortcut = { keys: ShortcutKeys; words: string };

export const isMac = (): boolean => /mac|iphone|ipad/i.test(navigator.userAgent);

export const shortcuts = {
  palette: { keys: ['Ctrl', 'K'], words: 'Find pages, vaults and actions' },
  help: { keys: ['?'], words: 'Show these shortcuts' },
  vaults: { keys: ['g', 'v'], words: 'Go to the list of vaults' },
  operate: { keys: ['g', 'o'], words: 'Go to Operate' },
  compare: { keys: ['g', 'c'], words: 'Go to the comparison' },
  validators: { keys: ['g', 'n'], words: 'Go to the validators' },
  alerts: { keys: ['g', 'a'], words: 'Go to the alerts' },
  sessions: { keys: ['g', 'z'], words: 'Go to your sessions and tokens' },
  theme: { keys: ['t'], words: 'Change the theme' },
  search: { keys: ['/'], words: 'Search the list of vaults' },
  next: { keys: ['j'], words: 'Next section of a vault' },
  previous: { keys: ['k'], words: 'Previous section of a vault' },
  now: { keys: ['n'], words: 'Back to now from a moment of the past' },
} as const satisfies Record<string, Shortcut>;

export type ShortcutName = keyof typeof shortcuts;

/** The key after g that leads to a page of the open vault, by the last step of its path. */
export const vaultPageKeys = {
  dashboard: 'd',
  analysis: 'x',
  feed: 'f',
  strategies: 't',
  intents: 'i',
  keeper: 'k',
  simulation: 'b',
  users: 'u',
  mandate: 'e',
  settings: 's',
  redemptions: 'r',
  'yield-sources': 'y',
  merkle: 'm',
  pause: 'p',
  duty: 'w',
  calls: 'l',
  audit: 'h',
} as const;
export type VaultPageKey = keyof typeof vaultPageKeys;

/** The key after d that leads to the form of an action on a vault. */
const actionLetters = {
  pause: 'p',
  fulfil: 'r',
  'top-up': 'u',
  fee: 'f',
  skim: 'k',
  manager: 'm',
  viewer: 'v',
  targets: 'c',
  tree: 'h',
  strategy: 's',
  prices: 'e',
  source: 'y',
  post: 'w',
} as const;
export type VaultActionId = keyof typeof actionLetters;
export const actionKeys = (id: VaultActionId): ShortcutKeys => ['d', actionLetters[id]];

/** What a press of keys asks for. */
export type Pressed = { shortcut: ShortcutName } | { page: VaultPageKey } | { action: VaultActionId };

const macKeys: ReadonlyMap<string, string> = new Map([
  ['Ctrl', '⌘'],
  ['Alt', '⌥'],
  ['Shift', '⇧'],
  ['Del', '⌫'],
]);

/** How a key is printed: by the signs of its keyboard on a Mac. */
export const keyText = (key: string): string => (isMac() ? (macKeys.get(key) ?? key) : key);
/** Keys that are pressed together or one after the other, as they are printed. */
export const keysText = (keys: ShortcutKeys): string => keys.map(keyText).join(' ');

/** Whether keys do what they are printed for: single ones can be switched off. */
export const areOn = ([first]: ShortcutKeys): boolean => first === 'Ctrl' || areSinglesOn();

/**
 * Keys as `aria-keyshortcuts` has them; undefined where they are switched off, and for those that are pressed one after the other, which it
 * has no form for.
 */
export function ariaKeys(keys: ShortcutKeys): string | undefined {
  if (!areOn(keys) || (keys.length > 1 && keys[0] !== 'Ctrl')) return undefined;
  return keys.map((key) => (key === 'Ctrl' ? (isMac() ? 'Meta' : 'Control') : key)).join('+');
}

const TYPING = 'input, textarea, select, [contenteditable="true"], [role="slider"], [role="menu"], [role="dialog"]';

/** Whether a key belongs to what is focused: a field, a menu and a dialog use letters of their own. */
export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest(TYPING) !== null;

const singles = new Map<string, Pressed>();
const pairs = new Map<string, Pressed>();
for (const [name, { keys }] of Object.entries(shortcuts) as [ShortcutName, Shortcut][]) {
  const [first, second] = keys;
  if (first === undefined || first === 'Ctrl') continue;
  if (second === undefined) singles.set(first, { shortcut: name });
  else pairs.set(`${first}${second}`, { shortcut: name });
}
for (const [page, key] of Object.entries(vaultPageKeys) as [VaultPageKey, string][]) pairs.set(`g${key}`, { page });
for (const id of Object.keys(actionLetters) as VaultActionId[]) pairs.set(actionKeys(id).join(''), { action: id });
const PAIR_MS = 1_000;

const OFF_KEY = 'castellan_single_keys';

/** Single keys can be switched off: dictation software types them by accident (WCAG 2.1.4). */
export const areSinglesOn = (): boolean => localStorage.getItem(OFF_KEY) !== 'off';
export const setSingles = (isOn: boolean) => localStorage.setItem(OFF_KEY, isOn ? 'on' : 'off');

type Press = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'target' | 'timeStamp'>;

/** Reads key presses one after the other. @returns what a press completes, if anything. */
export function createKeyReader(): (event: Press) => Pressed | undefined {
  let before: { key: string; at: number } | undefined;
  return ({ key, ctrlKey, metaKey, altKey, target, timeStamp }) => {
    if ((ctrlKey || metaKey) && !altKey && key.toLowerCase() === 'k') return { shortcut: 'palette' };
    if (ctrlKey || metaKey || altKey || isTyping(target) || !areSinglesOn()) return undefined;
    const first = before !== undefined && timeStamp - before.at < PAIR_MS ? before.key : '';
    const pair = pairs.get(`${first}${key}`);
    before = pair === undefined ? { key, at: timeStamp } : undefined;
    return pair ?? singles.get(key);
  };
}
