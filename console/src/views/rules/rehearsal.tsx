import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { rehearsalSentence, type RuleWords } from '../../../../src/common/contract/rule-sentence.js';
import { stringifyExact } from '../../api/exact-json.js';
import { formatCount } from '../../lib/format.js';
import { classes } from '../../ui/classes.js';
import { Icon } from '../../ui/icon.js';
import { Failure, Skeleton } from '../../ui/states.js';
import { Status, type Tone } from '../../ui/status.js';
import { Age } from '../../ui/time.js';
import { VisibleText } from '../../ui/visible-text.js';
import type { RehearsedCall, Rehearsal } from './rules-data.js';

type Effect = RuleWords['effect'];

/** Characters of a call's arguments. */
const ARGUMENTS_SHOWN = 300;
const TONES: Record<RehearsedCall['decision'], Tone> = {
  approved: 'done',
  edited: 'wait',
  rejected: 'bad',
  expired: 'off',
};
const WORDS = { allow: 'allows', deny: 'rejects', ask: 'asks' } as const;

/** How the rule would have decided past calls, starting with those that people decided otherwise. */
export function RehearsalResult({
  effect,
  rehearsal,
}: {
  effect: Effect;
  rehearsal: UseQueryResult<Rehearsal> | undefined;
}) {
  if (!rehearsal) return <p className="faint">Finish the rule to see what it would have decided.</p>;
  const { data, error } = rehearsal;
  if (error) return <Failure error={error} onRetry={() => void rehearsal.refetch()} />;
  if (!data) return <Skeleton lines={5} />;
  return (
    <>
      <p className="totals" role="status">
        {rehearsalSentence(effect, data.totals)}
        {data.is_partial && ' There are more calls than it could look at.'}
      </p>
      {data.disagreements > 0 && (
        <p className="disagrees">
          <Icon name="warning" /> {formatCount(data.disagreements)} {data.disagreements === 1 ? 'call' : 'calls'} people
          decided otherwise.
        </p>
      )}
      {data.items.length > 0 && (
        <ul aria-label="Calls">
          {data.items.map((item) => (
            <Item
              key={`${item.thread_id} ${item.trace_id} ${item.step} ${item.index} ${item.created_at}`}
              effect={effect}
              item={item}
            />
          ))}
        </ul>
      )}
    </>
  );
}

function Item({ effect, item }: { effect: Effect; item: RehearsedCall }) {
  const { thread_id, trace_id, name, args, decision, word, why, created_at } = item;
  return (
    <li className={classes(isOtherwise(item) && 'otherwise')}>
      <p className="line">
        <Status status={decision} tone={TONES[decision]} />
        <span className={word === null ? 'word none' : 'word'}>
          {word === null ? 'rule: not decided' : `rule: ${WORDS[effect]}`}
        </span>
        <Link to="/threads/$threadId" params={{ threadId: thread_id }} search={{ run: trace_id }}>
          <Age time={created_at} suffix="ago" />
        </Link>
      </p>
      <p className="mono cut">
        <b>
          <VisibleText text={name ?? 'tool'} isValue />
        </b>{' '}
        <VisibleText text={inBrief(args)} isValue />
      </p>
      {why !== null && (
        <p className="faint">
          <VisibleText text={why} />
        </p>
      )}
    </li>
  );
}

function isOtherwise({ word, decision }: RehearsedCall): boolean {
  if (word === 'allow') return decision === 'rejected' || decision === 'edited';
  return word === 'deny' && (decision === 'approved' || decision === 'edited');
}

function inBrief(args: unknown): string {
  if (args === null || args === undefined) return '';
  return (typeof args === 'string' ? args : stringifyExact(args)).slice(0, ARGUMENTS_SHOWN);
}
