import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { stringifyExact } from '../../api/exact-json.js';
import { Problem } from '../../api/problem.js';
import { draftQuery, type SuggestedDraft } from '../../decisions/suggestions-data.js';
import { asTyped } from '../../lib/as-typed.js';
import { mayManage, useSession } from '../../session/session.js';
import { useTitle } from '../../shell/use-title.js';
import { Button } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';
import { RuleSentence } from '../../ui/rule-sentence.js';
import { Command, Failure, Skeleton } from '../../ui/states.js';
import { ViewHead } from '../../ui/view-head.js';
import { RehearsalResult } from './rehearsal.js';
import { RuleFields } from './rule-fields.js';
import { bodyOf, formOf, REHEARSED, wordsOf, type RuleBody, type RuleForm } from './rule-form.js';
import { useMakeRule, useRehearsal } from './rules-data.js';
import './rules.css';

const route = getRouteApi('/rules/new');
/** A rehearsal reads up to 10,000 calls, so it waits until the person pauses. */
const REST_MS = 700;

/** An editor for a rule, beside what the rule would have decided. */
export function NewRuleView() {
  useTitle('New rule');
  const search = route.useSearch();
  const draft = useQuery(draftQuery(search));
  return (
    <>
      <p className="rules-trail">
        <Link to="/rules">Rules</Link>
      </p>
      {draft.error && draft.data === undefined ? (
        <Failure error={draft.error} onRetry={() => void draft.refetch()} />
      ) : draft.data === undefined ? (
        <Skeleton lines={8} />
      ) : (
        <Editor draft={draft.data} />
      )}
    </>
  );
}

function Editor({ draft: { rule, open } }: { draft: SuggestedDraft }) {
  const [form, setForm] = useState<RuleForm>(() => formOf(rule, open));
  const [isTried, setTried] = useState(false);
  const [asked, setAsked] = useState<{ rule: RuleBody; disagreements: number } | null>(null);
  const isManager = mayManage(useSession());
  const make = useMakeRule();
  const navigate = route.useNavigate();
  const read = bodyOf(form);
  const text = rehearsable(form);
  const rested = useRested(text);
  const rehearsal = useRehearsal(rested);
  const isBehind = rested !== text || rehearsal.isFetching;
  const send = (body: RuleBody, disagreements: number) =>
    make.mutate(
      { rule: body, disagreements },
      {
        onSuccess: ({ id }) => void navigate({ to: '/rules/$ruleId', params: { ruleId: id } }),
        onError: (error) => {
          const count = disagreementsIn(error);
          setAsked(count === null ? null : { rule: body, disagreements: count });
        },
      },
    );
  const submit = () => {
    setTried(true);
    if (read.faults) return;
    // The person confirms the number that they saw; the server counts again.
    const known = form.effect === 'allow' && !isBehind ? (rehearsal.data?.disagreements ?? 0) : 0;
    if (known > 0) setAsked({ rule: read.body, disagreements: known });
    else send(read.body, 0);
  };
  return (
    <>
      <ViewHead title="New rule" />
      <p className="rule-sentence" aria-live="polite">
        <RuleSentence rule={wordsOf(form)} />
      </p>
      <div className="rule-parts">
        <form
          className="card rule-form"
          onSubmit={(event) => {
            event.preventDefault();
            submit();
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.repeat) return;
            event.preventDefault();
            submit();
          }}
        >
          <RuleFields form={form} onForm={setForm} faults={isTried ? (read.faults ?? {}) : {}} open={open} />
          {make.error && asked === null && <Failure error={make.error} />}
          {isManager ? (
            <div className="actions">
              <Button kind="main" type="submit" isDisabled={make.isPending}>
                {make.isPending ? 'Making…' : 'Make the rule'}
              </Button>
            </div>
          ) : (
            <div className="only-admin">
              <p>You can rehearse it; only an admin makes rules. Sign in with a link that may:</p>
              <Command text={asTyped('open')} />
            </div>
          )}
        </form>
        <section className="card rehearsal" aria-labelledby="rehearsal" aria-busy={isBehind}>
          <h2 id="rehearsal">What it would have decided</h2>
          <RehearsalResult effect={form.effect} rehearsal={rested === null ? undefined : rehearsal} />
        </section>
      </div>
      <Dialog
        title="It goes against people"
        isOpen={asked !== null}
        onClose={() => setAsked(null)}
        actions={
          <>
            <Button onPress={() => setAsked(null)}>Change the rule</Button>
            <Button
              kind="danger"
              isDisabled={make.isPending}
              onPress={() => asked && send(asked.rule, asked.disagreements)}
            >
              {`Allow ${asked?.disagreements === 1 ? 'it' : `these ${asked?.disagreements}`} all the same`}
            </Button>
          </>
        }
      >
        <p>
          <strong>
            This rule allows {asked?.disagreements === 1 ? '1 call' : `${asked?.disagreements} calls`} that people
            rejected or edited.
          </strong>{' '}
          The rehearsal lists {asked?.disagreements === 1 ? 'it' : 'them'} first. From now on, nobody would be asked
          about such calls.
        </p>
        {make.error && disagreementsIn(make.error) === null && <Failure error={make.error} />}
      </Dialog>
    </>
  );
}

/** The rule as exact JSON, without its note, which a rehearsal does not need; null while incomplete. */
function rehearsable(form: RuleForm): string | null {
  const { body } = bodyOf({ ...form, note: REHEARSED }) as { body?: RuleBody };
  return body ? stringifyExact(body) : null;
}

/** The value once it has not changed for a moment; the first value at once. */
function useRested<Value>(value: Value): Value {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), REST_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return rested;
}

/** The number that the server wants confirmed; null for any other error. */
function disagreementsIn(error: Error): number | null {
  if (!(error instanceof Problem) || error.body.code !== 'rule_disagrees') return null;
  return (error.body as unknown as { disagreements: number }).disagreements;
}
