import { Monitor, Moon, Sun } from 'lucide-react';
import { Button } from 'react-aria-components';
import { chooseTheme, type Theme, themes, useTheme } from './theme.ts';

const icons = { system: Monitor, light: Sun, dark: Moon } as const;
const after = (theme: Theme): Theme => themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system';

export function ThemeSwitch() {
  const theme = useTheme();
  const Icon = icons[theme];
  const next = after(theme);
  return (
    <Button
      aria-label={`Theme: ${theme}. Switch to ${next}`}
      onPress={() => chooseTheme(next)}
      className="grid size-9 place-items-center rounded-control border text-muted hover:bg-raised hover:text-text"
    >
      <Icon size={16} aria-hidden="true" />
    </Button>
  );
}
