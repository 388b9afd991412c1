import { launchContext } from '../config/env.js';
import { escapeInvisible } from '../common/invisible-characters.js';
import { durationText } from './local-time.js';
import { shellWord } from '../common/shell-word.js';

type Facts = Readonly<Record<string, unknown>>;

const CLOSING = 'waiting for runs to finish';
const SHORT_LENGTH = 8;
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/** The agent process's log line about a run, as a sentence for a person; null for other events. */
export function runSentence(event: string, facts: Facts): string | null {
  const words = messageOf(event, facts);
  return words === null ? null : escapeInvisible(words);
}

/** From a JSON log line: what the process waits for before it ends, and for how long; null for other lines. */
export function runsWaitedFor(line: string): string | null {
  if (!line.includes(CLOSING)) return null;
  try {
    const { msg, ...facts } = JSON.parse(line) as Facts;
    return msg === CLOSING && Number(facts.limit_ms) > 0 ? escapeInvisible(waitedFor(facts)) : null;
  } catch {
    return null;
  }
}

function waitedFor(facts: Facts): string {
  return `up to ${durationText(Number(facts.limit_ms))} for ${runsIn(facts)}`;
}

function messageOf(event: string, facts: Facts): string | null {
  const run = `${textOf(facts.agent)} ${short(textOf(facts.trace_id))}`;
  switch (event) {
    case 'run started':
      return `${run} started (${textOf(facts.source)})`;
    case 'run resumed':
      return `${run} resumed (${textOf(facts.source)})`;
    case 'run waits for a person':
      return `${run} waits for a person${toolsIn(facts)}. See: ${launchContext().command} approvals`;
    case 'run completed':
      return `${run} completed${spentIn(facts)}`;
    case 'run failed':
      return `${run} failed${spentIn(facts)}: ${textOf(facts.error)}${lastLineIn(facts)} See: ${showCommand(facts)}`;
    case 'run stopped at its budget':
      return `${run} was stopped at its budget${spentIn(facts)}. See: ${showCommand(facts)}`;
    case 'run cancelled':
      return `${run} was cancelled${spentIn(facts)}`;
    case 'run interrupted':
      return `${run} ${facts.was_waiting === true ? 'waits for a person; it ' : 'was stopped; it '}resumes at the next start`;
    case 'the run is active in another process':
      return `${run} runs in another process; it starts here if that one stops`;
    case 'run taken over by another process':
      return `${run} was taken over by another process, and its program was killed here`;
    case CLOSING:
      return `waiting ${waitedFor(facts)}; Ctrl+C again ends the process at once`;
    case 'reports refused and kept':
      return `${refusedIn(facts)}: ${textOf(facts.detail)} Kept in ${textOf(facts.file)}`;
    case 'heartbeats refused':
      return `the server refuses the heartbeats of ${listIn(facts.agents)}: ${textOf(facts.detail)}`;
    case 'standard error':
      return `${run} | ${textOf(facts.line)}`;
    default:
      return null;
  }
}

function listIn(value: unknown): string {
  return Array.isArray(value) ? value.join(', ') : '';
}

function toolsIn({ tools }: Facts): string {
  return Array.isArray(tools) && tools.length > 0 ? ` to decide on ${tools.join(', ')}` : '';
}

function spentIn({ duration_ms: ms, cost_usd: cost }: Facts): string {
  const time = typeof ms === 'number' ? ` after ${durationText(ms)}` : '';
  return typeof cost === 'number' && cost > 0 ? `${time}, $${Number(cost.toFixed(4))}` : time;
}

function lastLineIn({ stderr }: Facts): string {
  return typeof stderr === 'string' ? ` It said last: ${stderr.replace(/\.$/, '')}.` : '';
}

function refusedIn({ reports, trace_id, code }: Facts): string {
  const count = reports === 1 ? 'a report' : `${String(reports)} reports`;
  const run = textOf(trace_id) === '' ? '' : ` of run ${short(textOf(trace_id))}`;
  return `the server refused ${count}${run} (${textOf(code)})`;
}

function runsIn({ runs }: Facts): string {
  const list = Array.isArray(runs) ? (runs as Facts[]) : [];
  return list.map(({ agent, trace_id }) => `${textOf(agent)} ${short(textOf(trace_id))}`).join(', ');
}

function showCommand({ thread_id }: Facts): string {
  const id = short(textOf(thread_id));
  return `${launchContext().command} show ${shellWord(id)}`;
}

/** Commands take prefixes of ids, but only random ids differ in them. */
function short(id: string): string {
  return UUID.test(id) ? id.slice(0, SHORT_LENGTH) : id;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
