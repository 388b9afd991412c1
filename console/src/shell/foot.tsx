import { useSyncExternalStore } from 'react';
import { ToggleButton, ToggleButtonGroup } from 'react-aria-components';
import { chooseTheme, onThemeChange, storedTheme, type Theme } from '../theme.js';
import { Icon, type IconName } from '../ui/icon.js';

const THEMES: { theme: Theme; name: string; icon: IconName }[] = [
  { theme: 'light', name: 'Light', icon: 'sun' },
  { theme: 'system', name: 'As the device', icon: 'device' },
  { theme: 'dark', name: 'Dark', icon: 'moon' },
];

/** Where this page comes from, and how it looks. */
export function Foot() {
  return (
    <div className="foot">
      <ThemeChoice />
      <span>{location.host}</span>
    </div>
  );
}

function ThemeChoice() {
  const chosen = useSyncExternalStore(onThemeChange, storedTheme);
  return (
    <ToggleButtonGroup
      className="themes"
      aria-label="Colours"
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[chosen]}
      onSelectionChange={([theme]) => chooseTheme(theme as Theme)}
    >
      {THEMES.map(({ theme, name, icon }) => (
        <ToggleButton key={theme} id={theme} aria-label={name}>
          <Icon name={icon} />
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  );
}
