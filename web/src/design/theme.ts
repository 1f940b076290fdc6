import { useSyncExternalStore } from 'react';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

/** The one that the key and the button of the theme lead to. */
export const themeAfter = (theme: Theme): Theme => themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system';

const KEY = 'castellan_theme';
const listeners = new Set<() => void>();
const isTheme = (value: unknown): value is Theme => themes.some((theme) => theme === value);

function read(): Theme {
  const stored = localStorage.getItem(KEY);
  return isTheme(stored) ? stored : 'system';
}

const prefersLight = () => window.matchMedia('(prefers-color-scheme: light)');

function apply(theme: Theme) {
  const light = theme === 'light' || (theme === 'system' && prefersLight().matches);
  document.documentElement.dataset.theme = light ? 'light' : 'dark';
}

export function chooseTheme(theme: Theme) {
  localStorage.setItem(KEY, theme);
  apply(theme);
  for (const listener of listeners) listener();
}

/** Follows the system while nothing else is chosen. Call once at start. */
export function followSystemTheme() {
  apply(read());
  prefersLight().addEventListener('change', () => apply(read()));
}

export const useTheme = (): Theme =>
  useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, read);
