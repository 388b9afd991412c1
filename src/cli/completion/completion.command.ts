import { Argument, type Command } from 'commander';
import type { Shell } from './completion-scripts.js';
import type { Terminal } from '../terminal.js';

const SHELLS: readonly Shell[] = ['bash', 'zsh', 'fish'];

const HOW_TO = `
Put it where your shell finds it:
  bash  echo 'source <(waystation completion bash)' >> ~/.bashrc
  zsh   echo 'source <(waystation completion zsh)' >> ~/.zshrc       after compinit
  fish  waystation completion fish > ~/.config/fish/completions/waystation.fish`;

/** `waystation completion`, and the hidden command that its scripts call at each press of Tab. */
export function addCompletionCommand(program: Command, terminal: Terminal): void {
  program
    .command('completion')
    .description('print a completion script for your shell')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .addHelpText('after', HOW_TO)
    .action(async (shell: Shell) => {
      const { completionScript } = await import('./completion-scripts.js');
      terminal.print(completionScript(shell));
    });
  program
    .command('__complete', { hidden: true })
    .argument('[words...]')
    .action(async (words: string[]) => {
      const { completions } = await import('./completions.js');
      for (const { value, about } of completions(program, words)) {
        terminal.print(about === '' ? value : `${value}\t${about}`);
      }
    });
}
