import { Monitor, Moon, Sun } from 'lucide-react';
import { Button } from 'react-aria-components';
import { ariaKeys, shortcuts } from '../navigation/keys.ts';
import { chooseTheme, themeAfter, useTheme } from './theme.ts';

const icons = { system: Monitor, light: Sun, dark: Moon } as const;

export function ThemeSwitch() {
  const theme = useTheme();
  const Icon = icons[theme];
  const next = themeAfter(theme);
  return (
    <Button
      aria-label={`Theme: ${theme}. Switch to ${next}`}
      render={(props) => <button {...props} aria-keyshortcuts={ariaKeys(shortcuts.theme.keys)} />}
      onPress={() => chooseTheme(next)}
      className="grid size-9 place-items-center rounded-control border text-muted hover:bg-raised hover:text-text"
    >
      <Icon size={16} aria-hidden="true" />
    </Button>
  );
}
