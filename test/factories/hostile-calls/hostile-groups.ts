import { HOSTILE_COMMANDS } from './commands.js';
import type { HostileGroup } from './hostile-group.js';
import { HOSTILE_PATHS } from './paths.js';
import { HOSTILE_VALUES } from './values.js';

export const HOSTILE_GROUPS: readonly HostileGroup[] = [...HOSTILE_COMMANDS, ...HOSTILE_PATHS, ...HOSTILE_VALUES];
