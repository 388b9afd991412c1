import type { IconName } from '../../ui/icon.js';
import type { Theme } from '../../theme.js';

/** What choosing a result does. */
export type Target =
  | { kind: 'address'; to: string; search?: Record<string, unknown> }
  /** Outside the console. */
  | { kind: 'page'; href: string }
  | { kind: 'thread'; threadId: string }
  | { kind: 'channel'; channelId: string }
  | { kind: 'act'; act: () => void }
  | { kind: 'keys' }
  | { kind: 'theme'; theme: Theme };

export interface Find {
  id: string;
  name: string;
  /** More about it, e.g. the agents of a thread. */
  detail?: string;
  icon: IconName;
  target: Target;
  /** Synonyms that people may type. */
  words?: string;
}

/** The guides on this server. */
export const DOCS = '/docs/guides/';

/** Every view of the console with its own address. */
export const PLACES: readonly Find[] = [
  { id: 'threads', name: 'Threads', icon: 'runs', target: { kind: 'address', to: '/' }, words: 'runs list home' },
  {
    id: 'approvals',
    name: 'Approvals',
    icon: 'approvals',
    target: { kind: 'address', to: '/approvals' },
    words: 'inbox decide effects doubt',
  },
  {
    id: 'rules',
    name: 'Rules',
    icon: 'rules',
    target: { kind: 'address', to: '/rules' },
    words: 'standing allow deny always policy',
  },
  {
    id: 'channels',
    name: 'Channels',
    icon: 'channels',
    target: { kind: 'address', to: '/channels' },
    words: 'telegram whatsapp slack bots',
  },
  {
    id: 'agents',
    name: 'Agents',
    icon: 'agents',
    target: { kind: 'address', to: '/agents' },
    words: 'triggers schedules cron start invoke online',
  },
  {
    id: 'system',
    name: 'System',
    icon: 'system',
    target: { kind: 'address', to: '/system' },
    words: 'doctor tokens sessions version disk queue instances',
  },
  { ...threadsIn('in_progress'), id: 'running', name: 'Running threads', words: 'runs in progress stop cancel' },
  { ...threadsIn('waiting_for_approval'), id: 'waiting', name: 'Waiting threads', words: 'runs pending approval' },
  { ...threadsIn('error'), id: 'failed', name: 'Failed threads', words: 'runs errors crashed' },
  { ...threadsWith({ silent: true }), id: 'silent', name: 'Silent threads', words: 'runs stuck hanging lost' },
  { ...threadsWith({ doubt: true }), id: 'doubt', name: 'Threads in doubt', words: 'effects unknown settle' },
  {
    ...threadsIn('budget_exceeded'),
    id: 'over-budget',
    name: 'Threads over budget',
    words: 'runs cost money exceeded',
  },
  { ...threadsIn('completed'), id: 'completed', name: 'Completed threads', words: 'runs done finished' },
  {
    id: 'new-token',
    name: 'New token',
    icon: 'system',
    target: { kind: 'address', to: '/system', search: { new: 'token' } },
    words: 'create make scope access',
  },
  {
    id: 'new-rule',
    name: 'New rule',
    icon: 'rules',
    target: { kind: 'address', to: '/rules/new' },
    words: 'create make allow deny rehearse',
  },
  { id: 'docs', name: 'Docs', icon: 'docs', target: { kind: 'page', href: DOCS }, words: 'guides help manual' },
  { id: 'keys', name: 'Keyboard shortcuts', detail: '?', icon: 'right', target: { kind: 'keys' }, words: 'keys help' },
  { id: 'light', name: 'Light colours', icon: 'sun', target: { kind: 'theme', theme: 'light' }, words: 'theme' },
  { id: 'dark', name: 'Dark colours', icon: 'moon', target: { kind: 'theme', theme: 'dark' }, words: 'theme night' },
  {
    id: 'device',
    name: 'Colours of the device',
    icon: 'device',
    target: { kind: 'theme', theme: 'system' },
    words: 'theme system',
  },
];

function threadsIn(status: string): Pick<Find, 'icon' | 'target'> {
  return threadsWith({ status });
}

function threadsWith(search: Record<string, unknown>): Pick<Find, 'icon' | 'target'> {
  return { icon: 'runs', target: { kind: 'address', to: '/', search } };
}

/** The results whose name or synonyms contain every word of the text; those that begin with it come first. */
export function matching(finds: readonly Find[], text: string): Find[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = finds.filter(({ name, detail = '', words: more = '' }) => {
    const all = `${name} ${detail} ${more}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
  const first = words[0] ?? '';
  const rank = ({ name }: Find) => (name.toLowerCase().startsWith(first) ? 0 : 1);
  return found.sort((one, other) => rank(one) - rank(other));
}
