import { Option, type Command } from 'commander';
import { OUTCOMES, type EffectsOptions, type SettleOptions } from './effect-options.js';
import { wholeNumber } from './option-values.js';
import type { Terminal } from './terminal.js';

const STATES = ['in_doubt', 'started', 'completed', 'failed', 'not_done', 'all'];

/** `waystation effects` and `waystation settle`: tool calls that change the world, and what became of them. */
export function addEffectCommands(program: Command, terminal: Terminal): void {
  program
    .command('effects')
    .description('list the tool calls of which nobody knows whether they happened, oldest first')
    .addOption(new Option('--in-doubt', 'these; the default without --thread').conflicts('state'))
    .addOption(new Option('--state <state>', 'calls in this state instead').choices(STATES))
    .option('--thread <id>', 'only calls of this thread, in every state; its id, or the beginning of it')
    .option('--agent <id>', 'only calls of this agent')
    .option('--json', 'print JSON lines, with all details')
    .action(async (options: EffectsOptions) => {
      const { listEffects } = await import('./effect-list.js');
      await listEffects(options, terminal);
    });
  program
    .command('settle')
    .description('say what became of a tool call in doubt; without arguments you choose on the terminal')
    .argument('[thread]', 'its id, as `waystation effects` shows it, or the beginning of it')
    .argument('[key]', 'the key of the call, or the beginning of it; needed where several are in doubt')
    .addArgument(program.createArgument('[outcome]', 'what became of it').choices(OUTCOMES.map(([name]) => name)))
    .option('--agent <id>', 'the agent, if several have this key')
    .option('--attempt <number>', 'the attempt that you mean; default: the last', wholeNumber(1))
    .option('--result <json>', 'what the call gave; the agent gets it instead of making the call')
    .option('--error <json>', 'what the call failed with')
    .option('--reason <text>', 'how you know; the record keeps it')
    .option('--by <name>', 'who found out; default: the name of the user')
    .option('--json', 'print JSON')
    .action(
      async (
        thread: string | undefined,
        key: string | undefined,
        outcome: string | undefined,
        options: SettleOptions,
      ) => {
        const { settleEffect } = await import('./effect-settling.js');
        await settleEffect({ thread, key, outcome }, options, terminal);
      },
    );
}
