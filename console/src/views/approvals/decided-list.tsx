import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useRef } from 'react';
import { api, read } from '../../api/client.js';
import { stringifyExact } from '../../api/exact-json.js';
import { Button } from '../../ui/button.js';
import { Icon } from '../../ui/icon.js';
import { useShortcuts } from '../../ui/shortcuts.js';
import { Empty, Failure, Skeleton } from '../../ui/states.js';
import { Age } from '../../ui/time.js';
import { VisibleText } from '../../ui/visible-text.js';
import type { Approval } from '../../decisions/inbox.js';
import { outcomeOf } from '../../decisions/use-decide.js';

const PAGE = 50;
/** Of the arguments of a call, as far as a line can show them. */
const ARGUMENTS_SHOWN = 200;

/** What was decided earlier, the last decision first; each leads to its step. @param agent only of this one; undefined for all */
export function DecidedList({ agent }: { agent: string | undefined }) {
  const list = useRef<HTMLUListElement>(null);
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    decidedQuery(agent),
  );
  const move = (by: number) => {
    const links = [...(list.current?.querySelectorAll('a') ?? [])];
    links[
      Math.max(0, Math.min(links.length - 1, links.indexOf(document.activeElement as HTMLAnchorElement) + by))
    ]?.focus();
  };
  useShortcuts({ j: () => move(1), k: () => move(-1) });
  if (!data) return error ? <Failure error={error} onRetry={() => void refetch()} /> : <Skeleton lines={9} />;
  const approvals = data.pages.flatMap(({ items }) => items);
  if (approvals.length === 0)
    return (
      <Empty title="Nothing was decided yet">What you approve or reject stays here, with who decided and why.</Empty>
    );
  return (
    <>
      <ul ref={list} className="decided card" aria-label="Earlier decisions">
        {approvals.map((approval) => (
          <Decided
            key={`${approval.thread_id} ${approval.trace_id} ${approval.step} ${approval.digest}`}
            {...approval}
          />
        ))}
      </ul>
      {error && <Failure error={error} onRetry={() => void fetchNextPage()} />}
      {hasNextPage && (
        <Button isDisabled={isFetchingNextPage} onPress={() => void fetchNextPage()}>
          {isFetchingNextPage ? 'Loading…' : 'Show earlier ones'}
        </Button>
      )}
    </>
  );
}

function Decided(approval: Approval) {
  const { thread_id, trace_id, attempt, step, agent_id, status, decided_at, created_at, reason, tool_calls } = approval;
  const isApproved = status === 'approved';
  return (
    <li>
      <Link
        to="/threads/$threadId"
        params={{ threadId: thread_id }}
        search={{ run: trace_id, step: `${attempt}-${step}`, tab: 'approval' }}
      >
        <span className={`verdict ${isApproved ? 'done' : status === 'rejected' ? 'bad' : 'off'}`}>
          <Icon name={isApproved ? 'check' : 'close'} />
          <VisibleText text={outcomeOf(approval)} />
        </span>
        <span className="calls">
          {tool_calls.slice(0, 3).map(({ index, name, args, edited_args, decision }) => (
            <span key={index} className="mono cut" data-refused={isApproved && decision === 'reject'}>
              <b>
                <VisibleText text={name ?? 'tool'} isValue />
              </b>{' '}
              {edited_args !== null && <i>edited </i>}
              <VisibleText text={inBrief(edited_args ?? args)} isValue />
            </span>
          ))}
          {tool_calls.length > 3 && <span className="faint">and {tool_calls.length - 3} more</span>}
          {reason !== null && status !== 'expired' && (
            <span className="cut">
              “<VisibleText text={reason} />”
            </span>
          )}
        </span>
        <span className="of cut">
          <VisibleText text={agent_id} isValue />
        </span>
        <Age time={decided_at ?? created_at} suffix="ago" />
      </Link>
    </li>
  );
}

function inBrief(args: unknown): string {
  return (typeof args === 'string' ? args : stringifyExact(args)).slice(0, ARGUMENTS_SHOWN);
}

const decidedQuery = (agent: string | undefined) => ({
  queryKey: ['approvals', 'decided', agent],
  queryFn: ({ pageParam, signal }: { pageParam: string | undefined; signal: AbortSignal }) => {
    const query = { status: 'decided' as const, limit: PAGE, agent_id: agent, cursor: pageParam };
    return read(api.GET('/approvals', { params: { query }, signal }));
  },
  initialPageParam: undefined,
  getNextPageParam: ({ next_cursor }: { next_cursor: string | null }) => next_cursor ?? undefined,
});
