import { useSyncExternalStore } from 'react';
import type { Colour, Series } from './types.ts';

const watch = (listener: () => void) => {
  const observer = new MutationObserver(listener);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
  return () => observer.disconnect();
};

/** The theme that is shown; a canvas has to be drawn again when it changes. */
export const useShownTheme = (): string =>
  useSyncExternalStore(watch, () => document.documentElement.dataset.theme ?? 'light');

/** Name of the CSS variable of a colour. */
export const variableOf = (colour: Colour): string =>
  typeof colour === 'number' || colour === 'other' ? `--series-${colour}` : `--${colour}`;

const numbered = [1, 2, 3, 4, 5, 6] as const;
export const colourOfSeries = ({ colour }: Series, index: number): Colour => colour ?? numbered[index] ?? 'other';

/** Values of the theme's variables as they are now; a canvas knows no variables. */
export function readTokens(): (variable: string) => string {
  const style = getComputedStyle(document.documentElement);
  return (variable) => style.getPropertyValue(variable).trim();
}
