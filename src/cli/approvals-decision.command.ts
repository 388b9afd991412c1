import { InvalidArgumentError, type Command } from 'commander';
import type { DecisionOptions } from './approval-decision.js';
import type { Terminal } from './terminal.js';

const MAX_STEP = 2_147_483_647;
const OTHERS = { approve: 'the others are rejected', reject: 'the others are approved' };

/** `waystation approve` and `waystation reject`: a person decides waiting tool calls. */
export function addDecisionCommands(program: Command, terminal: Terminal): void {
  for (const verb of ['approve', 'reject'] as const) {
    const command = program
      .command(verb)
      .description(`${verb} tool calls that wait for a person; without arguments you choose on the terminal`)
      .argument('[trace]', 'the run, as `waystation approvals` shows it, or the beginning of its id')
      .argument('[step]', 'the step, as shown there; needed where several wait', parseStep)
      .option('--only <call...>', `only these calls, by id or tool: ${OTHERS[verb]}`)
      .option('--reason <text>', 'why; the agent and the record get it')
      .option('--by <name>', 'who decides; default: the name of the user')
      .option('--thread <id>', 'the thread in which they wait; its id, or the beginning of it')
      .option('--digest <digest>', 'the calls, if the step had several sets')
      .option('--json', 'print JSON');
    if (verb === 'approve')
      command.option('--edit', 'change the arguments in $VISUAL or $EDITOR before they are approved');
    command.action(async (trace: string | undefined, step: number | undefined, options: DecisionOptions) => {
      const { decideApproval } = await import('./approval-decision.js');
      await decideApproval(verb, { trace, step }, options, terminal);
    });
  }
}

function parseStep(text: string): number {
  if (!/^\d{1,10}$/.test(text) || Number(text) > MAX_STEP) throw new InvalidArgumentError('A step is a number from 0.');
  return Number(text);
}
