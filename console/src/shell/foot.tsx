import { useSyncExternalStore } from 'react';
import { ToggleButton, ToggleButtonGroup } from 'react-aria-components';
import { chooseTheme, onThemeChange, storedTheme, type Theme } from '../theme.js';
import { Icon, type IconName } from '../ui/icon.js';
import { OwnSession } from './sign-in/own-session.js';

const THEMES: { theme: Theme; name: string; icon: IconName }[] = [
  { theme: 'light', name: 'Light', icon: 'sun' },
  { theme: 'system', name: 'As the device', icon: 'device' },
  { theme: 'dark', name: 'Dark', icon: 'moon' },
];

/** The foot of the navigation: who is signed in, the theme, and the server's host. */
export function Foot() {
  return (
    <div className="foot">
      <OwnSession />
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
