import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { api, read } from '../../api/client.js';
import { agentsQuery, channelsQuery, tokensQuery } from '../../api/lists.js';
import { mayManage, signOut, useSession } from '../../session/session.js';
import { copyText } from '../../ui/copy-text.js';
import { statusWords } from '../../ui/status.js';
import { canNotify, isNotifying, setNotifying } from '../notifications.js';
import { matching, PLACES, type Find } from './finds.js';
import { pageFinds } from './page-finds.js';

/** Minimum time between requests while a person types without a pause. The first letter, and the first after a pause, sends one at once. */
const QUESTION_GAP_MS = 40;
const THREADS = 8;
const FEW = 5;

export interface FindSection {
  name: string;
  finds: Find[];
}

/** Results for a text: threads by id, agent or model, agents, channels, tokens, views, and the actions of the current page. */
export function useFinds(text: string): { sections: FindSection[]; error: unknown; isLoading: boolean } {
  const q = usePaced(text.trim());
  const threads = useQuery({
    queryKey: ['search', 'threads', q],
    // The signal aborts a request that another letter has made obsolete.
    queryFn: ({ signal }) =>
      read(api.GET('/threads', { params: { query: { limit: THREADS, ...(q && { q }) } }, signal })),
    placeholderData: keepPreviousData,
  });
  const threadFinds = (threads.data?.items ?? []).map(({ thread_id, agents: names, status }): Find => ({
    id: `thread ${thread_id}`,
    name: thread_id,
    detail: `${names.join(', ')} · ${statusWords(status)}`,
    icon: 'message',
    target: { kind: 'thread', threadId: thread_id },
  }));
  const isAsked = text.trim() !== '';
  // Repeated for each text: the page below the search continues to load.
  const onPage = isAsked ? matching(pageFinds(), text) : [];
  const isManager = mayManage(useSession());
  const agents = useAgentFinds(isManager);
  const channels = useChannelFinds();
  const tokens = useTokenFinds();
  const acts = useActFinds();
  const places = [...PLACES, ...(isManager ? channels.creations : []), ...acts];
  const sections = [
    { name: q ? 'Threads' : 'Latest threads', finds: threadFinds },
    { name: 'Agents', finds: matching(agents, text).slice(0, FEW) },
    { name: 'Channels', finds: matching(channels.all, text).slice(0, FEW) },
    { name: 'Tokens', finds: isAsked ? matching(tokens, text).slice(0, FEW) : [] },
    { name: 'On this page', finds: onPage.slice(0, 2 * FEW) },
    { name: 'Go to', finds: matching(places, text) },
  ];
  return {
    sections: sections.filter(({ finds }) => finds.length > 0),
    error: threads.error,
    isLoading: threads.isPending,
  };
}

function useAgentFinds(isManager: boolean): Find[] {
  const { data } = useQuery(agentsQuery);
  return (data?.items ?? []).flatMap(({ agent_id, online, endpoint }): Find[] => [
    {
      id: `agent ${agent_id}`,
      name: agent_id,
      detail: 'Threads of this agent',
      icon: 'agents',
      target: { kind: 'address', to: '/', search: { agent: agent_id } },
    },
    ...(isManager && online && endpoint !== null
      ? [
          {
            id: `start ${agent_id}`,
            name: `Start a run of ${agent_id}`,
            icon: 'agents',
            target: { kind: 'address', to: '/agents', search: { start: agent_id } },
            words: 'invoke message',
          } as const,
        ]
      : []),
  ]);
}

function useChannelFinds(): { all: Find[]; creations: Find[] } {
  const channels = useQuery(channelsQuery);
  const platforms = useQuery({
    queryKey: ['channels', 'platforms'],
    queryFn: async ({ signal }) => (await read(api.GET('/v1/channels/platforms', { signal }))).items,
    staleTime: Infinity,
  });
  const all = (channels.data?.items ?? []).map(({ id, name, channel_type }): Find => ({
    id: `channel ${id}`,
    name,
    detail: channel_type,
    icon: 'channels',
    target: { kind: 'channel', channelId: id },
  }));
  const creations = (platforms.data ?? []).map(({ type, title }): Find => ({
    id: `create ${type}`,
    name: `New channel: ${title}`,
    icon: 'channels',
    target: { kind: 'address', to: '/channels', search: { create: type } },
    words: 'create bot',
  }));
  return { all, creations };
}

/** Tokens, which only admins may see. */
function useTokenFinds(): Find[] {
  const state = useSession();
  const isAdmin = state.at === 'in' && state.session?.scope === 'admin';
  const { data } = useQuery({ ...tokensQuery, enabled: isAdmin });
  return (data?.items ?? []).map(({ id, name, scope }): Find => ({
    id: `token ${id}`,
    name: name || id,
    detail: `token, ${scope}`,
    icon: 'system',
    target: { kind: 'address', to: '/system', search: { token: id } },
  }));
}

function useActFinds(): Find[] {
  const state = useSession();
  const address = location.href;
  const act = (id: string, name: string, words: string, icon: Find['icon'], does: () => unknown): Find => ({
    ...{ id, name, words, icon },
    target: { kind: 'act', act: () => void does() },
  });
  const threadId = /^\/console\/threads\/([^/]+)/.exec(location.pathname)?.[1];
  return [
    act('copy-address', 'Copy the address of this page', 'link url share', 'copy', () => copyText(address)),
    ...(threadId === undefined
      ? []
      : [
          act('copy-thread', 'Copy the id of this thread', 'thread', 'copy', () =>
            copyText(decodeURIComponent(threadId)),
          ),
        ]),
    ...(canNotify()
      ? [
          act(
            'notify',
            isNotifying() ? 'Switch notifications off' : 'Switch notifications on',
            'notify desktop alert approvals',
            'approvals',
            () => setNotifying(!isNotifying()),
          ),
        ]
      : []),
    ...(state.at === 'in' && state.session !== null
      ? [act('sign-out', 'Sign out', 'log out leave session', 'out', () => signOut().catch(() => undefined))]
      : []),
  ];
}

/** The text, updated at most every {@link QUESTION_GAP_MS}; the last one always arrives. */
function usePaced(text: string): string {
  const [paced, setPaced] = useState(text);
  const lastAt = useRef(0);
  useEffect(() => {
    const passOn = () => {
      lastAt.current = performance.now();
      setPaced(text);
    };
    const timer = setTimeout(passOn, Math.max(0, lastAt.current + QUESTION_GAP_MS - performance.now()));
    return () => clearTimeout(timer);
  }, [text]);
  return paced;
}
