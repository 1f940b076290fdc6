import { Keyboard } from 'react-aria-components';
import { areOn, keysText, type ShortcutKeys } from '../navigation/keys.ts';

/** The keys that do what an item of a menu does. They describe the item, hidden or not, and are no part of its name. */
export const KeysOfItem = ({ keys }: { keys: ShortcutKeys | undefined }) =>
  keys === undefined || !areOn(keys) ? null : (
    <Keyboard aria-hidden="true" className="ml-auto shrink-0 pl-3 font-mono text-12 text-muted">
      {keysText(keys)}
    </Keyboard>
  );
