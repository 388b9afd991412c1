import type { ReactNode, Ref } from 'react';
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components';
import { classes } from './classes.js';
import { Icon, type IconName } from './icon.js';
import './button.css';

interface ButtonProps extends Omit<AriaButtonProps, 'className' | 'style' | 'children'> {
  /** `main` once per view; `danger` for what cannot be undone; `quiet` has no border. */
  kind?: 'plain' | 'main' | 'danger' | 'quiet';
  icon?: IconName;
  /** The shortcut key for the same action. */
  hint?: string;
  children?: ReactNode;
  className?: string;
  ref?: Ref<HTMLButtonElement>;
}

export function Button({ kind = 'plain', icon, hint, children, className, ...rest }: ButtonProps) {
  return (
    <AriaButton {...rest} className={classes('button', kind, !children && 'only-icon', className)}>
      {icon && <Icon name={icon} />}
      {children}
      {hint && <kbd aria-hidden="true">{hint}</kbd>}
    </AriaButton>
  );
}
