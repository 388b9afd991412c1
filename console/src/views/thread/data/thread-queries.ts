import { queryOptions } from '@tanstack/react-query';
import { api, read } from '../../../api/client.js';
import { allPages } from '../../../api/lists.js';
import { Problem } from '../../../api/problem.js';
import type { components } from '../../../api/openapi.gen.js';
import type { ChangedRun, Step } from './steps.js';

const IS_THERE_EVERY_MS = 2_000;
const SILENCE_EVERY_MS = 60_000;
const DOUBTS_EVERY_MS = 10_000;

export type Thread = components['schemas']['ThreadDetailDto'];
export type ThreadRun = components['schemas']['ThreadRunDto'];
export type Approval = components['schemas']['ApprovalDto'];
export type Effect = components['schemas']['EffectDto'];

/** The figures of a thread and its runs, without messages. */
export const threadQuery = (id: string) =>
  queryOptions({
    queryKey: ['thread', id],
    queryFn: ({ signal }): Promise<Thread> =>
      read(
        api.GET('/threads/{thread_id}', {
          params: { path: { thread_id: id }, query: { history: 'none', logs_limit: 1 } },
          signal,
        }),
      ),
    staleTime: Infinity,
    // No event reports that a run falls silent.
    refetchInterval: SILENCE_EVERY_MS,
  });

/** Whether a missing thread exists by now. */
export const isThereQuery = (id: string) =>
  queryOptions({
    queryKey: ['thread-is-there', id],
    queryFn: async ({ signal }): Promise<boolean> => {
      try {
        const query = { history: 'none', logs_limit: 1 } as const;
        await read(api.GET('/threads/{thread_id}', { params: { path: { thread_id: id }, query }, signal }));
        return true;
      } catch (error) {
        if (error instanceof Problem && error.status === 404) return false;
        throw error;
      }
    },
    refetchInterval: IS_THERE_EVERY_MS,
    staleTime: 0,
    gcTime: 0,
  });

/** All steps, kept up to date by the stream. */
export const stepsQuery = (id: string) =>
  queryOptions({
    queryKey: ['thread-steps', id],
    queryFn: async ({ signal }): Promise<readonly Step[]> =>
      (await read(api.GET('/threads/{thread_id}/steps', { params: { path: { thread_id: id } }, signal }))).items,
    staleTime: Infinity,
  });

/** Of every status. */
export const approvalsQuery = (id: string) =>
  queryOptions({
    queryKey: ['approvals', 'thread', id],
    queryFn: async ({ signal }): Promise<readonly Approval[]> => {
      const ofThread = { thread_id: id, status: 'all' } as const;
      return (
        await allPages((page) => read(api.GET('/approvals', { params: { query: { ...ofThread, ...page } }, signal })))
      ).items;
    },
  });

/** The effects with an unknown outcome. Some become doubtful merely with time, which no event reports. */
export const doubtsQuery = (id: string) =>
  queryOptions({
    queryKey: ['effects', 'thread', id, 'doubts'],
    queryFn: async ({ signal }): Promise<readonly Effect[]> => {
      const path = { thread_id: id };
      const found = await allPages((page) => {
        const params = { path, query: { state: 'in_doubt', ...page } as const };
        return read(api.GET('/v1/runners/threads/{thread_id}/effects', { params, signal }));
      });
      return found.items;
    },
    refetchInterval: DOUBTS_EVERY_MS,
  });

/** The effects that the run was the last to claim. */
export const effectsQuery = (id: string, traceId: string) =>
  queryOptions({
    queryKey: ['effects', 'thread', id, traceId],
    queryFn: async ({ signal }): Promise<readonly Effect[]> => {
      const path = { thread_id: id };
      const found = await allPages((page) => {
        const params = { path, query: { trace_id: traceId, ...page } };
        return read(api.GET('/v1/runners/threads/{thread_id}/effects', { params, signal }));
      });
      return found.items;
    },
  });

export async function freshSteps(id: string, { traceId, after }: ChangedRun): Promise<Step[]> {
  const query = { trace_id: traceId, ...(after ? { cursor: after.cursor } : {}) };
  return (await read(api.GET('/threads/{thread_id}/steps', { params: { path: { thread_id: id }, query } }))).items;
}

export type Checkpoint = components['schemas']['ThreadCheckpointDto'];

/**
 * One checkpoint exactly as stored, with or without its messages.
 * @param steps all steps of the thread: the cursor of the previous one leads to it
 */
export const checkpointQuery = (id: string, steps: readonly Step[], step: Step, history: 'full' | 'none') =>
  queryOptions({
    queryKey: ['thread-checkpoint', id, history, step.trace_id, step.cursor, step.updated_at],
    queryFn: async ({ signal }): Promise<Checkpoint | null> => {
      const before = steps[steps.findIndex(({ cursor }) => cursor === step.cursor) - 1];
      const query = { trace_id: step.trace_id, history, limit: 1, ...(before ? { cursor: before.cursor } : {}) };
      const { items } = await read(
        api.GET('/threads/{thread_id}/checkpoints', { params: { path: { thread_id: id }, query }, signal }),
      );
      const [found] = items;
      return found?.step_index === step.step_index ? found : null;
    },
    staleTime: Infinity,
    // A long history may be large.
    gcTime: 30_000,
  });
