import path from 'node:path';
import { foreignFolder, launchContext } from '../../config/env.js';
import { shellWord } from '../../common/shell-word.js';
import type { HookPlatform } from './hook-options.js';

/** Seconds for which the platform waits for a decision, and for a recording. */
const ASKING_SECONDS = 600;
const RECORDING_SECONDS = 10;
const RECORDED = ['SessionStart', 'UserPromptSubmit', 'PostToolUse', 'Stop', 'SessionEnd'];

export interface HookSettings {
  /** Settings besides the hooks. */
  beside: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Hooks by event. */
  hooks: Readonly<Record<string, readonly object[]>>;
}

interface About {
  file: string;
  /** The user's settings: the folder in the home directory, the variable that replaces it, and the file. */
  userFile: [folder: string, variable: string, file: string];
  /** Events in addition to those of both platforms. */
  more: readonly string[];
  /** Tools whose questions are answered before they run; null for none. */
  asking: string | null;
  /** Settings besides the hooks. */
  beside: HookSettings['beside'];
  note: string;
}

const ABOUT: Readonly<Record<HookPlatform, About>> = {
  claude: {
    file: '~/.claude/settings.json, or .claude/settings.json of a project',
    userFile: ['.claude', 'CLAUDE_CONFIG_DIR', 'settings.json'],
    more: ['PostToolUseFailure', 'StopFailure'],
    asking: 'AskUserQuestion',
    // Since 2.1.283 sessions begin in auto mode. All versions accept this value for the mode now called Manual.
    beside: { permissions: { defaultMode: 'default' } },
    note: 'Claude Code reads it when a session starts. "defaultMode" has sessions begin in Manual mode: in auto mode a classifier decides, and asks neither you nor hooks.',
  },
  codex: {
    beside: {},
    // It has no hook for questions.
    asking: null,
    file: '~/.codex/hooks.json',
    // https://developers.openai.com/codex/environment-variables, read 2026-11-27
    userFile: ['.codex', 'CODEX_HOME', 'hooks.json'],
    // Older versions skip unknown events.
    more: ['Interrupt'],
    note: 'Codex runs a new hook only after you have trusted it: start Codex, enter /hooks and review it.',
  },
};

/** The settings that make a platform ask. @param args arguments of `hook run` after the platform */
export function hookSettings(platform: HookPlatform, args: readonly string[]): HookSettings {
  const command = [...launchContext().commandAnywhere(), 'hook', 'run', platform, ...args].map(shellWord).join(' ');
  const of = (timeout: number) => [{ hooks: [{ type: 'command', command, timeout }] }];
  const recorded = [...RECORDED, ...ABOUT[platform].more].map((event) => [event, of(RECORDING_SECONDS)]);
  const { asking } = ABOUT[platform];
  const before: HookSettings['hooks'] =
    asking === null ? {} : { PreToolUse: of(ASKING_SECONDS).map((group) => ({ matcher: asking, ...group })) };
  const hooks = {
    PermissionRequest: of(ASKING_SECONDS),
    ...before,
    ...(Object.fromEntries(recorded) as HookSettings['hooks']),
  };
  return { beside: ABOUT[platform].beside, hooks };
}

/** The same as JSON, to paste. */
export function hookSettingsText(platform: HookPlatform, args: readonly string[]): string {
  const { beside, hooks } = hookSettings(platform, args);
  return JSON.stringify({ ...beside, hooks }, null, 2);
}

/** Where the platform looks for the settings of the user. */
export function userSettingsFile(platform: HookPlatform): string {
  const [folder, variable, file] = ABOUT[platform].userFile;
  return path.join(foreignFolder(variable, folder), file);
}

/** Instructions for people once the settings are installed. */
export function noteAfterwards(platform: HookPlatform): string {
  return ABOUT[platform].note;
}

/** Where people should paste the settings. */
export function whereToPaste(platform: HookPlatform): string {
  const { file, note, beside } = ABOUT[platform];
  const names = [...Object.keys(beside), 'hooks'].map((name) => `"${name}"`).join(' or ');
  const where = `Put this into ${file}; if it has ${names} already, add these to them. ${note}`;
  const [program, clone] = launchContext().commandAnywhere();
  return clone === undefined ? where : `${where} Print it again after you have moved ${clone} or ${program}.`;
}
