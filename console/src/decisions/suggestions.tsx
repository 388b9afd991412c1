import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { formatCount } from '../lib/format.js';
import { Button } from '../ui/button.js';
import { RuleSentence } from '../ui/rule-sentence.js';
import { VisibleText } from '../ui/visible-text.js';
import { suggestionsQuery, type Suggestion } from './suggestions-data.js';

/** Agents to ask about: for each, the server reads 30 days of decisions. */
const MOST_AGENTS = 3;
const SHOWN = 2;

/** Suggests rules for what people keep approving. Kept small, because the inbox comes first. @param agents with waiting calls, in order */
export function Suggestions({ agents }: { agents: readonly string[] }) {
  const lists = useQueries({ queries: agents.slice(0, MOST_AGENTS).map(suggestionsQuery) });
  const [isWhole, setIsWhole] = useState(false);
  const all = lists.flatMap(({ data }) => data?.items ?? []);
  if (all.length === 0) return null;
  return (
    <section className="suggestions card" aria-labelledby="suggestions">
      <h2 id="suggestions">People approve these again and again. A rule can do it:</h2>
      <ul>
        {(isWhole ? all : all.slice(0, SHOWN)).map((one) => (
          <SuggestionLine key={JSON.stringify([one.rule.agents, one.rule.tools])} suggestion={one} />
        ))}
      </ul>
      {all.length > SHOWN && !isWhole && (
        <Button kind="quiet" icon="down" onPress={() => setIsWhole(true)}>
          {`Show all ${formatCount(all.length)}`}
        </Button>
      )}
    </section>
  );
}

function SuggestionLine({ suggestion: { rule, open, calls } }: { suggestion: Suggestion }) {
  const [agent, tool] = [rule.agents[0]!, rule.tools[0]!];
  return (
    <li>
      <div>
        <p className="said">
          <RuleSentence rule={rule} />
        </p>
        <p className="faint">
          {formatCount(calls)} calls approved, none rejected in 30 days
          {open.length > 0 && (
            <>
              . You decide about <VisibleText text={open.join(', ')} isValue />
            </>
          )}
        </p>
      </div>
      <Link to="/rules/new" search={{ agent, tool }} className="button plain">
        Make it a rule
      </Link>
    </li>
  );
}
