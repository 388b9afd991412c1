import { Option, type Command } from 'commander';
import { asTyped } from '../../config/as-typed.js';
import type { Terminal } from '../terminal.js';
import { HOOK_PLATFORMS, ON_TIMEOUT, type HookPlatform } from './hook-options.js';

interface HookCommandOptions {
  agent?: string;
  channel?: string;
  chat?: string;
  onTimeout?: string;
  install?: boolean;
  file?: string;
  yes?: boolean;
}

/** `waystation hook`: people approve a coding agent's tool calls from anywhere. */
export function addHookCommand(program: Command, terminal: Terminal): void {
  const hook = program.command('hook').description('approve what Claude Code and Codex do, from anywhere');
  for (const platform of HOOK_PLATFORMS) {
    const command = hook.command(platform).description(`print the settings for ${NAMES[platform]}, or install them`);
    withOptions(command)
      .option('--install', 'add them to your own settings: shows what changes, and asks')
      .option('--file <file>', 'with --install: another file, such as .claude/settings.json of a project')
      .option('--yes', 'with --install: without asking')
      .action(async (options: HookCommandOptions) => {
        if (options.install) {
          const { installHook } = await import('./hook-install.js');
          return installHook(platform, argumentsOf(options), options, terminal);
        }
        const { hookSettingsText, whereToPaste } = await import('./hook-settings.js');
        terminal.printError(whereToPaste(platform));
        terminal.printError(asTyped(`Or let this command do it: waystation hook ${platform} --install`));
        terminal.print(hookSettingsText(platform, argumentsOf(options)));
      });
  }
  const run = hook
    .command('run')
    .description('run by these settings: reads standard input, prints a decision or nothing')
    .addArgument(program.createArgument('<platform>', 'the coding agent').choices(HOOK_PLATFORMS))
    .option('--timeout <seconds>', 'how long to wait for a decision; default: 590')
    .option(
      '--patience <seconds>',
      'how long to try a server that does not answer; default: 2, and 0.5 for what is only recorded',
    );
  withOptions(run);
}

const NAMES: Readonly<Record<HookPlatform, string>> = { claude: 'Claude Code', codex: 'Codex' };

function withOptions(command: Command): Command {
  return command
    .option(
      '--agent <id>',
      "the agent for which sessions are recorded; default: the token's only agent, else claude-code or codex",
    )
    .option('--channel <id>', 'ask in a chat of this channel, too; with --chat')
    .option('--chat <id>', "the chat, by the platform's id of it; an approver must have written to the bot there")
    .addOption(
      new Option(
        '--on-timeout <what>',
        'when nobody decides in time: the terminal asks (ask), or it is denied',
      ).choices(ON_TIMEOUT),
    );
}

function argumentsOf({ agent, channel, chat, onTimeout }: HookCommandOptions): string[] {
  const given = { '--agent': agent, '--channel': channel, '--chat': chat, '--on-timeout': onTimeout };
  return Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [name, value]));
}
