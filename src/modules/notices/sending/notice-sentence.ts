import { cutText } from '../../../common/cut-text.js';
import { objectOf } from '../../../common/json-fields.js';
import { parsedJson } from '../../../common/parsed-json.js';

const MAX_NAME = 200;

/** A delivery as one sentence and a link, for chats. @param body as it is sent to URLs */
export function sentenceOf(type: string, body: string): string {
  const data = objectOf(objectOf(parsedJson(body))?.data) ?? {};
  const text = (name: string) => cutText(typeof data[name] === 'string' ? data[name] : '', MAX_NAME);
  const usd = (name: string) => `$${(typeof data[name] === 'number' ? data[name] : 0).toFixed(2)}`;
  const agent = text('agent_id');
  const link = typeof data.url === 'string' ? `\n${data.url}` : '';
  switch (type) {
    case 'approval_waiting':
      return `${agent} waits for a decision${toolsIn(data.tools)}.${link}`;
    case 'run_completed':
      return `A run of ${agent} has completed.${link}`;
    case 'run_failed':
      return `A run of ${agent} has failed${text('error') === '' ? '' : `: ${text('error')}`}${link === '' ? '.' : link}`;
    case 'run_budget_exceeded':
      return `A run of ${agent} has ended because it exceeded its budget of ${usd('budget_usd')}.${link}`;
    case 'budget_warning':
      return `A run of ${agent} is close to its budget of ${usd('budget_usd')}: ${usd('run_cost_usd')} has been spent.${link}`;
    case 'effect_in_doubt':
      return `It is not known whether ${text('tool')} of ${agent} happened. Please settle it.${link}`;
    case 'agent_offline':
      return `${agent} is offline.${link}`;
    case 'agent_online':
      return `${agent} is online again.${link}`;
    default:
      return `This is a test of the notice ${text('name')}.`;
  }
}

function toolsIn(tools: unknown): string {
  const names = Array.isArray(tools) ? tools.filter((name) => typeof name === 'string') : [];
  return names.length === 0 ? '' : ` on ${cutText(names.join(', '), MAX_NAME)}`;
}
