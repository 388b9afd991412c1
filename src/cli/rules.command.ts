import type { Command } from 'commander';
import { readFileSync } from 'node:fs';
import { asTyped } from '../config/as-typed.js';
import { stringifyExact } from '../common/exact-number.js';
import { collected, type ApiClient } from './api-client.js';
import type { Address } from './approval-choice.js';
import { UsageError } from './cli-error.js';
import { connect } from './connect.js';
import { indentJson } from './edit-json.js';
import { localTime } from './local-time.js';
import { pastTime, stepNumber, wholeNumber } from './option-values.js';
import { printable } from './printable.js';
import {
  endOf,
  fetchSuggestions,
  findRule,
  printRehearsal,
  readRehearsal,
  readRule,
  ruleIn,
  RULES_PATH,
  sentenceOf,
  usedText,
  type RuleSuggestion,
} from './rule-record.js';
import type { AddOptions } from './rule-making.js';
import { printTable, type Terminal } from './terminal.js';

interface JsonOption {
  json?: boolean;
}

interface SuggestOptions extends JsonOption {
  agent?: string;
  thread?: string;
}

const FILE = ['<file>', 'JSON of the rule; - is standard input'] as const;
const RULE = ['<rule>', 'its id, as `waystation rules list` shows it, or the beginning of it'] as const;
/** The members of a rule that people write; the server adds others. */
const MEMBERS = ['effect', 'agents', 'tools', 'where', 'other', 'folder', 'limits', 'expires_at', 'note'];

/** `waystation rules ...`: standing decisions on all calls of a kind. */
export function addRulesCommand(program: Command, terminal: Terminal): void {
  const rules = program.command('rules').description('standing rules, which decide tool calls without a person');
  rules
    .command('list')
    .description('list the rules that count, newest first')
    .option('--all', 'also those that have ended')
    .option('--json', 'print JSON lines')
    .action(async (options: JsonOption & { all?: boolean }) => listRules(options, terminal));
  rules
    .command('show')
    .description('show a rule: its words, who made it, and how often it was used')
    .argument(...RULE)
    .option('--json', 'print JSON')
    .action(async (id: string, { json }: JsonOption) => showRule(id, json === true, terminal));
  addSuggestCommand(rules, terminal);
  rules
    .command('rehearse')
    .description('say what a rule would have decided of what people decided; it makes no rule')
    .argument(...FILE)
    .option('--since <time>', 'only calls decided since then, like 7d or 2026-11-20', pastTime)
    .option('--json', 'print JSON')
    .action(async (file: string, options: JsonOption & { since?: string }) => rehearse(file, options, terminal));
  rules
    .command('add')
    .description('make a rule; without a file, you choose a draft for an agent')
    .argument('[file]', FILE[1])
    .option('--agent <id>', 'whose drafts to choose from')
    .option('--edit', 'change it in $VISUAL or $EDITOR first')
    .option('--disagreements <number>', 'make it although it goes against so many decisions of people', wholeNumber(0))
    .option('--json', 'print JSON')
    .action(async (file: string | undefined, options: AddOptions) => {
      const { addRule } = await import('./rule-making.js');
      await addRule(file === undefined ? undefined : readRuleFile(file), options, terminal);
    });
  rules
    .command('revoke')
    .description('end a rule at once; what it approved stays approved')
    .argument(...RULE)
    .option('--json', 'print JSON')
    .action(async (prefix: string, { json }: JsonOption) => {
      const client = connect();
      const { id } = (await findRule(client, prefix)).rule;
      await client.send('DELETE', `${RULES_PATH}/${encodeURIComponent(id)}`);
      terminal.print(json ? JSON.stringify({ id, status: 'revoked' }) : `revoked  ${id}`);
    });
}

function addSuggestCommand(rules: Command, terminal: Terminal): void {
  rules
    .command('suggest')
    .description('draft rules from what people approve again and again, or from one approval')
    .argument('[trace]', 'the run of the approval, as `waystation approvals` shows it, or the beginning of its id')
    .argument('[step]', 'its step; needed where several wait', stepNumber)
    .option('--thread <id>', 'the thread of the approval; its id, or the beginning of it')
    .option('--agent <id>', 'drafts for this agent instead')
    .option('--json', 'print JSON lines, which `rules rehearse` and `rules add` take')
    .action(async (trace: string | undefined, step: number | undefined, options: SuggestOptions) =>
      suggestRules({ trace, step, thread: options.thread }, options, terminal),
    );
}

async function listRules({ all, json }: JsonOption & { all?: boolean }, terminal: Terminal): Promise<void> {
  const items = await collected(connect().items(RULES_PATH, { status: all ? 'all' : 'active' }));
  if (json) return items.forEach((item) => terminal.print(item));
  if (items.length === 0) {
    return terminal.printError(asTyped('No rules. Draft one from past decisions: waystation rules suggest --agent ID'));
  }
  const rows = items.map((item) => {
    const rule = readRule(item);
    return [rule.id, usedText(rule), endOf(rule), printable(rule.created_by ?? rule.created_through), sentenceOf(rule)];
  });
  await printTable(terminal, ['ID', 'USES', 'ENDS', 'MADE BY', 'RULE'], rows);
}

async function showRule(prefix: string, isJson: boolean, terminal: Terminal): Promise<void> {
  const { rule, json } = await findRule(connect(), prefix);
  if (isJson) return terminal.print(json);
  const by = printable(
    rule.created_by === null ? rule.created_through : `${rule.created_by} (${rule.created_through})`,
  );
  terminal.print(`${sentenceOf(rule)}\n${printable(rule.note)}\n`);
  terminal.print(
    [
      `id      ${rule.id}`,
      `status  ${rule.status}`,
      `uses    ${usedText(rule)}`,
      `ends    ${endOf(rule)}`,
      `made    ${localTime(rule.created_at)} by ${by}`,
    ].join('\n'),
  );
  const words = Object.entries(readRule<Record<string, unknown>>(json)).filter(([name]) => MEMBERS.includes(name));
  terminal.print(`\n${indentJson(stringifyExact(Object.fromEntries(words)))}`);
}

async function suggestRules(address: Address, { agent, json }: SuggestOptions, terminal: Terminal): Promise<void> {
  const isOfApproval = address.trace !== undefined || address.thread !== undefined;
  if (isOfApproval === (agent !== undefined))
    throw new UsageError('Give either --agent, or an approval: its run, or --thread.');
  const client = connect();
  const query = agent === undefined ? await approvalQuery(client, address) : { agent_id: agent };
  const found = await fetchSuggestions(client, query);
  for (const [index, suggestion] of found.entries()) {
    if (json)
      terminal.print(
        JSON.stringify({ calls: suggestion.calls, open: suggestion.open }).replace('{', `{"rule":${suggestion.rule},`),
      );
    else terminal.print((index > 0 ? '\n' : '') + suggestionLines(suggestion).join('\n'));
  }
  if (found.length === 0)
    terminal.printError('Nothing to suggest: no tool of it has five approved calls in 30 days, and none rejected.');
}

async function approvalQuery(client: ApiClient, address: Address): Promise<Record<string, string>> {
  const { findApproval } = await import('./approval-choice.js');
  const { trace_id, step, thread_id } = await findApproval(client, address);
  return { trace_id, step: String(step), thread_id };
}

/** The draft in words, and what it leaves open. */
function suggestionLines({ rule, calls, open }: RuleSuggestion): string[] {
  const lines = [sentenceOf(readRule(rule)), `  ${calls} calls approved.`];
  if (open.length > 0) lines.push(`  It allows nothing before you add conditions for ${printable(open.join(', '))}.`);
  return lines;
}

async function rehearse(
  file: string,
  { since, json }: JsonOption & { since?: string },
  terminal: Terminal,
): Promise<void> {
  const rule = readRuleFile(file);
  const body = `{"rule":${rule}${since === undefined ? '' : `,"since":${JSON.stringify(since)}`}}`;
  const response = await connect().sendForText('POST', `${RULES_PATH}/rehearse`, body);
  if (json) return terminal.print(response);
  terminal.print(sentenceOf(readRule(rule)));
  await printRehearsal(readRule(rule), readRehearsal(response), terminal);
}

function readRuleFile(file: string): string {
  return ruleIn(readFileSync(file === '-' ? 0 : file, 'utf8'), file);
}
