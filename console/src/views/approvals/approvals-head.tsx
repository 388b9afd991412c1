import { Link } from '@tanstack/react-router';
import type { StreamState } from '../../api/event-stream.js';
import { formatCount } from '../../lib/format.js';
import { Button } from '../../ui/button.js';
import { Status } from '../../ui/status.js';
import { VisibleText } from '../../ui/visible-text.js';
import type { ApprovalsSearch } from './approvals-search.js';
import { isWaiting, kindOf, type InboxItem } from '../../decisions/inbox.js';
import { Notify } from './notify.js';

/** Agents shown as filters. */
const AGENTS_SHOWN = 6;

interface ApprovalsHeadProps {
  items: readonly InboxItem[];
  search: ApprovalsSearch;
  stream: StreamState;
  onClear: () => void;
}

/** How much waits, of which kind and for which agent. */
export function ApprovalsHead({ items, search, stream, onClear }: ApprovalsHeadProps) {
  const waiting = items.filter(isWaiting);
  const countOf = (kind: ReturnType<typeof kindOf>) => waiting.filter(({ subject }) => kindOf(subject) === kind).length;
  const [calls, questions, doubts] = [countOf('calls'), countOf('question'), countOf('doubt')];
  const closed = items.length - waiting.length;
  return (
    <header className="approvals-head">
      <div className="title">
        <h1>Approvals</h1>
        {waiting.length > 0 && <Status status={`${formatCount(waiting.length)} waiting`} tone="wait" />}
        <Live stream={stream} />
        <Notify />
      </div>
      <nav className="kinds" aria-label="Filters">
        <Chip name="All" count={waiting.length} search={search} change={{ kind: undefined, agent: undefined }} />
        <Chip name="Calls" count={calls} search={search} change={{ kind: 'calls' }} />
        <Chip name="Questions" count={questions} search={search} change={{ kind: 'question' }} />
        <Chip name="In doubt" count={doubts} search={search} change={{ kind: 'doubt' }} />
        <Chip name="Decided" search={search} change={{ kind: 'decided' }} />
        <Agents waiting={waiting} search={search} />
        {closed > 0 && (
          <Button kind="quiet" onPress={onClear}>
            {`Clear ${formatCount(closed)} closed`}
          </Button>
        )}
      </nav>
      {waiting.length > 0 && search.kind !== 'decided' && (
        <p className="keys" aria-label="Keys">
          <kbd>j</kbd> <kbd>k</kbd> move · <kbd>a</kbd> approve · <kbd>r</kbd> reject · <kbd>e</kbd> edit · <kbd>1</kbd>
          –<kbd>9</kbd> leave a call out · <kbd>m</kbd> reason · <kbd>Ctrl Enter</kbd> approve while you type
          {questions > 0 && (
            <>
              {' '}
              · question: <kbd>a</kbd> to its fields · <kbd>1</kbd>–<kbd>9</kbd> choose · <kbd>Ctrl Enter</kbd> answer ·{' '}
              <kbd>r</kbd> decline
            </>
          )}
          {doubts > 0 && (
            <>
              {' '}
              · <kbd>y</kbd> it happened · <kbd>n</kbd> it did not · <kbd>e</kbd> what it returned
            </>
          )}
        </p>
      )}
    </header>
  );
}

function Agents({ waiting, search }: { waiting: readonly InboxItem[]; search: ApprovalsSearch }) {
  const counts = new Map<string, number>();
  for (const { subject } of waiting)
    counts.set(subject.record.agent_id, (counts.get(subject.record.agent_id) ?? 0) + 1);
  if (search.agent !== undefined && !counts.has(search.agent)) counts.set(search.agent, 0);
  if (counts.size < 2 && search.agent === undefined) return null;
  const most = [...counts].sort(([, one], [, other]) => other - one).slice(0, AGENTS_SHOWN);
  return most.map(([agent, count]) => (
    <Chip
      key={agent}
      name={agent}
      count={count}
      search={search}
      change={{ agent: search.agent === agent ? undefined : agent }}
      isOn={search.agent === agent}
    />
  ));
}

interface ChipProps {
  name: string;
  count?: number;
  search: ApprovalsSearch;
  change: Partial<ApprovalsSearch>;
  isOn?: boolean;
}

function Chip({ name, count, search, change, isOn }: ChipProps) {
  const isCurrent = isOn ?? (search.kind === change.kind && (change.kind !== undefined || search.agent === undefined));
  return (
    <Link
      to="/approvals"
      search={{ ...search, at: undefined, ...change }}
      replace
      className="chip"
      data-on={isCurrent}
      aria-current={isCurrent ? 'true' : undefined}
      activeProps={{}}
    >
      <VisibleText text={name} isValue /> {count !== undefined && <span className="count">{formatCount(count)}</span>}
    </Link>
  );
}

const LIVE: Record<StreamState, { word: string; tone: string }> = {
  open: { word: 'live', tone: 'done' },
  connecting: { word: 'connecting', tone: 'off' },
  paused: { word: 'paused', tone: 'off' },
  lost: { word: 'not live', tone: 'bad' },
};

function Live({ stream }: { stream: StreamState }) {
  const { word, tone } = LIVE[stream];
  return <span className={`follows ${tone}`}>{word}</span>;
}
