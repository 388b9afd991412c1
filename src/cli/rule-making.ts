import { editorOf } from '../config/env.js';
import type { ApiClient } from './api-client.js';
import { CliError, UsageError } from './cli-error.js';
import { connect } from './connect.js';
import { editJson } from './edit-json.js';
import {
  disagreementIn,
  fetchSuggestions,
  printRehearsal,
  readRule,
  ruleIn,
  RULES_PATH,
  sentenceOf,
  type Rehearsal,
} from './rule-record.js';
import { printable } from './printable.js';
import type { Terminal } from './terminal.js';

export interface AddOptions {
  agent?: string;
  edit?: boolean;
  disagreements?: number;
  json?: boolean;
}

/**
 * Creates a rule after showing it as a sentence. If it contradicts people's decisions, the person at the keyboard decides.
 * @param given exact JSON; undefined to let the person choose a draft
 * @throws CliError when no rule is created
 */
export async function addRule(given: string | undefined, options: AddOptions, terminal: Terminal): Promise<void> {
  const client = connect();
  const draft = given ?? (await chooseDraft(client, options.agent, terminal));
  const edited = options.edit ? await editJson(draft, editorOf(), terminal) : null;
  const rule = edited === null ? draft : ruleIn(edited, 'What you wrote');
  terminal.printError(sentenceOf(readRule(rule)));
  const { keyboard } = terminal;
  if (keyboard && !(await keyboard.confirm({ question: 'Make this rule?', isDefault: false })))
    throw new CliError('No rule was made.');
  const made = await make(client, rule, options.disagreements, terminal);
  terminal.print(options.json ? made : readRule(made).id);
}

async function make(
  client: ApiClient,
  rule: string,
  disagreements: number | undefined,
  terminal: Terminal,
): Promise<string> {
  try {
    return await client.sendForText('POST', RULES_PATH, withNumber(rule, disagreements));
  } catch (error) {
    const rehearsal = disagreementIn(error);
    if (rehearsal === null) throw error;
    await confirmDisagreement(rule, rehearsal, terminal);
    return client.sendForText('POST', RULES_PATH, withNumber(rule, rehearsal.disagreements));
  }
}

async function confirmDisagreement(rule: string, rehearsal: Rehearsal, terminal: Terminal): Promise<void> {
  const { keyboard, printError, width } = terminal;
  await printRehearsal(readRule(rule), rehearsal, { print: printError, printError, width });
  const count = rehearsal.disagreements;
  const calls = count === 1 ? '1 call' : `${count} calls`;
  if (keyboard === undefined)
    throw new CliError(
      `It allows ${calls} that people rejected or edited. To make it all the same: --disagreements ${count}`,
    );
  const question = `Allow ${calls} that people rejected or edited, all the same?`;
  if (!(await keyboard.confirm({ question, isDefault: false }))) throw new CliError('No rule was made.');
}

async function chooseDraft(client: ApiClient, agent: string | undefined, { keyboard }: Terminal): Promise<string> {
  if (agent === undefined || keyboard === undefined)
    throw new UsageError('Give a file, or --agent on a terminal to choose from its drafts.');
  const found = await fetchSuggestions(client, { agent_id: agent });
  if (found.length === 0) throw new CliError(`There is no draft for ${printable(agent)}.`);
  const choices = found.map(({ rule, calls, open }) => {
    const rest = open.length > 0 ? `, needs conditions for ${printable(open.join(', '))}: choose --edit` : '';
    return [sentenceOf(readRule(rule)), `${calls} calls approved${rest}`] as const;
  });
  return found[await keyboard.pick({ question: 'Which rule?', choices })]!.rule;
}

function withNumber(rule: string, disagreements: number | undefined): string {
  if (disagreements === undefined) return rule;
  const inner = rule.slice(0, rule.lastIndexOf('}')).trimEnd();
  return `${inner}${inner.endsWith('{') ? '' : ','}"disagreements":${disagreements}}`;
}
