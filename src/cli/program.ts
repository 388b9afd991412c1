import { Command, CommanderError } from 'commander';
import { DomainError } from '../common/domain-error.js';
import { errorCode } from '../common/error-code.js';
import { VERSION } from '../common/version.js';
import { ConfigError } from '../config/config-error.js';
import { asTyped } from '../config/as-typed.js';
import { loadEnvFile, launchContext } from '../config/env.js';
import { DefinitionError, faultLine } from '../modules/triggers/definition/definition.js';
import { addAgentsCommand } from './agents.command.js';
import { addAgentCommand } from './agent.command.js';
import { addAnswerCommand, addApprovalsCommand, addDecisionCommands } from './approvals.command.js';
import { addChannelsCommand } from './channels.command.js';
import { addBackupCommands } from './backup.command.js';
import { CliError } from './cli-error.js';
import { addCompletionCommand } from './completion/completion.command.js';
import { addContainerCommands } from './containers.command.js';
import { addDeleteCommand } from './delete.command.js';
import { addDemoCommand } from './demo.command.js';
import { addDoctorCommand } from './doctor.command.js';
import { addEffectsCommand, addSettleCommand } from './effects.command.js';
import { addHookCommand } from './hook/hook.command.js';
import { addInvokeCommand } from './invoke.command.js';
import { addMigrateCommand, addMigrateDataCommand } from './migrate.command.js';
import { addImageCommand, addRunCommand } from './run.command.js';
import { addCancelCommand, addRetryCommand } from './run-actions.command.js';
import { addRulesCommand } from './rules.command.js';
import { addSecretCommand } from './secret.command.js';
import { printable, printableLines } from './printable.js';
import { addNoticesCommand } from './notices.command.js';
import { addOpenCommand } from './open.command.js';
import { addServeCommand } from './serve.command.js';
import { addShowCommand } from './show.command.js';
import { TERMINAL, type Terminal } from './terminal.js';
import { addTailCommand } from './tail.command.js';
import { addThreadsCommand } from './threads.command.js';
import { addTokenCommand } from './token.command.js';
import { addTransferCommands } from './transfer.command.js';

const DONE = 0;
const FAILED = 1;
const MISUSED = 2;

/** In the order of the help. */
const GROUPS = {
  'Server:': [addServeCommand, addOpenCommand, addDoctorCommand, addTokenCommand, addSecretCommand],
  'Look:': [
    addThreadsCommand,
    addShowCommand,
    addTailCommand,
    addApprovalsCommand,
    addEffectsCommand,
    addAgentsCommand,
  ],
  'Act:': [
    addDecisionCommands,
    addAnswerCommand,
    addSettleCommand,
    addInvokeCommand,
    addCancelCommand,
    addRetryCommand,
    addDeleteCommand,
  ],
  'Agents:': [
    addAgentCommand,
    addRunCommand,
    addContainerCommands,
    addImageCommand,
    addRulesCommand,
    addChannelsCommand,
    addNoticesCommand,
    addHookCommand,
  ],
  'Storage:': [addBackupCommands, addTransferCommands, addMigrateCommand, addMigrateDataCommand],
  'More:': [addDemoCommand, addCompletionCommand],
};

/** Runs one command. Returns the exit code: 0 done, 1 failed, 2 wrong arguments or configuration; commands may define others. */
export async function runCli(args: readonly string[], terminal: Terminal = TERMINAL): Promise<number> {
  try {
    loadEnvFile();
    await createProgram(terminal).parseAsync(args, { from: 'user' });
    return DONE;
  } catch (error) {
    return explain(error, terminal);
  }
}

function createProgram(terminal: Terminal): Command {
  const program = new Command('waystation')
    .description('Where AI agents stop, save and start again.')
    .version(VERSION)
    .configureOutput({
      writeOut: (text) => terminal.print(text.trimEnd()),
      writeErr: (text) => terminal.printError(text.trimEnd()),
    })
    // Names alone leave room for descriptions in 80 columns.
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .commandsGroup('More:')
    .helpCommand('help [command]', 'display help for command')
    .exitOverride();
  for (const [heading, commands] of Object.entries(GROUPS)) {
    program.commandsGroup(heading);
    for (const add of commands) add(program, terminal);
  }
  pointToHelp(program, launchContext().command);
  return program;
}

/** Adds a pointer to the command's own help to its usage errors. */
function pointToHelp(command: Command, words: string): void {
  command.showHelpAfterError(`(see ${words} --help)`);
  for (const part of command.commands) pointToHelp(part, `${words} ${part.name()}`);
}

/** Prints an error message without a stack, which would not help a command-line user. */
function explain(error: unknown, terminal: Terminal): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? DONE : MISUSED;
  if (error instanceof ConfigError) {
    terminal.printError('The configuration of Waystation is invalid:');
    for (const { name, rule } of error.faults) terminal.printError(asTyped(`  ${name}: ${printable(rule)}`));
    return MISUSED;
  }
  if (error instanceof DefinitionError) {
    terminal.printError(`${printable(error.file)} cannot be used:`);
    for (const fault of error.faults) terminal.printError(`  ${printable(faultLine(fault))}`);
    return MISUSED;
  }
  // The message may contain file names and server messages that somebody else wrote.
  terminal.printError(asTyped(printableLines(plainMessage(error))));
  return error instanceof CliError ? error.exitCode : FAILED;
}

function plainMessage(error: unknown): string {
  if (!(error instanceof Error)) return `Unexpected error: ${String(error)}`;
  if (error instanceof CliError || error instanceof DomainError) return error.message;
  // System and database errors have codes. If several addresses fail, the error has no message.
  const code = errorCode(error);
  if (code !== null) return `Failed: ${error.message || code}`;
  return `Unexpected error: ${error.message}`;
}
