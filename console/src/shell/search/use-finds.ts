import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api, read } from '../../api/client.js';
import { matching, PLACES, type Find } from './finds.js';

const TYPING_PAUSE_MS = 60;
const THREADS = 8;

export interface FindSection {
  name: string;
  finds: Find[];
}

/** What a text finds: threads by id, agent or model, agents, and places of the console. */
export function useFinds(text: string): { sections: FindSection[]; error: unknown; isLoading: boolean } {
  const q = useSettled(text.trim());
  const threads = useQuery({
    queryKey: ['search', 'threads', q],
    queryFn: ({ signal }) =>
      read(api.GET('/threads', { params: { query: { limit: THREADS, ...(q && { q }) } }, signal })),
    placeholderData: keepPreviousData,
  });
  const agents = useQuery({
    queryKey: ['agents'],
    queryFn: ({ signal }) => read(api.GET('/v1/agents', { signal })),
  });
  const threadFinds = (threads.data?.items ?? []).map(({ thread_id, agents: names, status }): Find => ({
    id: `thread ${thread_id}`,
    name: thread_id,
    detail: `${names.join(', ')} · ${status.replaceAll('_', ' ')}`,
    icon: 'message',
    target: { kind: 'thread', threadId: thread_id },
  }));
  const agentFinds = (agents.data?.items ?? []).map(({ agent_id }): Find => ({
    id: `agent ${agent_id}`,
    name: agent_id,
    detail: 'Runs of this agent',
    icon: 'agents',
    target: { kind: 'address', to: '/', search: { agent: agent_id } },
  }));
  const sections = [
    { name: q ? 'Threads' : 'Latest threads', finds: threadFinds },
    { name: 'Agents', finds: matching(agentFinds, text).slice(0, 5) },
    { name: 'Go to', finds: matching(PLACES, text) },
  ];
  return {
    sections: sections.filter(({ finds }) => finds.length > 0),
    error: threads.error,
    isLoading: threads.isPending,
  };
}

/** The text once the person pauses. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
