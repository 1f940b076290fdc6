import { useState } from 'react';

/**
 * Counts the changes of a shown value, starting at 0 for the first. Used as a key, it replays the flash once per
 * change and never on the first frame.
 */
export function useFlash(value: string): number {
  const [seen, setSeen] = useState({ value, changes: 0 });
  if (seen.value === value) return seen.changes;
  const next = { value, changes: seen.changes + 1 };
  setSeen(next);
  return next.changes;
}
