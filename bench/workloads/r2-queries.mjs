import { AGENTS, MODELS } from '../corpus/vocabulary.mjs';
import { RARE_AGENT, RARE_STATUS, countMatching } from '../corpus/seeded-thread.mjs';

const PAGE = 50;

/**
 * @typedef {object} ListQuery
 * @property {string} name
 * @property {string} query                the query string
 * @property {import('../jobs/list-threads.mjs').ListExpectation} expected
 */

/**
 * Each filter and sort order of the thread list, with the expected result.
 * @param {{seed: number, threads: number, middleIso: string}} seeded `middleIso`: a time at which half of the threads were stored
 * @returns {ListQuery[]}
 */
export function listQueries({ seed, threads, middleIso }) {
  const filtered = (name, oneOf) => ({
    name,
    query: `limit=${PAGE}${queryOf(oneOf)}`,
    expected: { items: countMatching({ seed, threads, oneOf, atMost: PAGE }), oneOf },
  });
  const since = { items: PAGE, since: { updated_at: middleIso } };
  const until = { items: PAGE, until: { updated_at: middleIso } };
  return [
    filtered('status (common)', { status: ['completed'] }),
    filtered('status (two of them)', { status: ['error', 'in_progress'] }),
    filtered('status (rare)', { status: [RARE_STATUS] }),
    filtered('agent_id (common)', { agent_id: [AGENTS[0]] }),
    filtered('agent_id (rare)', { agent_id: [RARE_AGENT] }),
    filtered('model', { model: [MODELS[0]] }),
    filtered('agent_id and status', { agent_id: [AGENTS[0]], status: ['error'] }),
    { name: 'since', query: `limit=${PAGE}${queryOf({ since: [middleIso] })}`, expected: since },
    { name: 'until', query: `limit=${PAGE}${queryOf({ until: [middleIso] })}`, expected: until },
    // The matching threads are at the far end of the order.
    against('since', middleIso, since, 'asc'),
    against('until', middleIso, until, 'desc'),
    ...sortQueries(),
    { name: 'include=history', query: `limit=${PAGE}&include=history`, expected: { items: PAGE } },
    ...searchQueries(seed, threads),
    { name: 'count=true', query: `limit=${PAGE}&count=true`, expected: { items: PAGE } },
  ];
}

function against(bound, iso, expected, order) {
  return {
    name: `${bound}, sort=started_at ${order}`,
    query: `limit=${PAGE}&sort=started_at&order=${order}${queryOf({ [bound]: [iso] })}`,
    expected: { ...expected, sort: 'started_at', order },
  };
}

/** Like people's searches: texts in many threads, few, or none. */
function searchQueries(seed, threads) {
  const search = (name, q, expected) => ({ name: `q (${name})`, query: `limit=${PAGE}&q=${q}`, expected });
  const auditors = countMatching({ seed, threads, oneOf: { agent_id: [RARE_AGENT] }, atMost: PAGE });
  return [
    search('in every id', 'list-0', { items: PAGE }),
    search('one letter', 'e', { items: PAGE }),
    search('in one id', 'list-0000077-', { items: 1 }),
    search('in a rare agent', RARE_AGENT.slice(1), { items: auditors, oneOf: { agent_id: [RARE_AGENT] } }),
    search('in none', 'zzzz', { items: 0 }),
  ];
}

function sortQueries() {
  return ['updated_at', 'started_at', 'total_tokens', 'total_cost_usd'].flatMap((sort) =>
    ['asc', 'desc'].map((order) => ({
      name: `sort=${sort} ${order}`,
      query: `limit=${PAGE}&sort=${sort}&order=${order}`,
      expected: { items: PAGE, sort, order },
    })),
  );
}

function queryOf(parameters) {
  return Object.entries(parameters)
    .flatMap(([name, values]) => values.map((value) => `&${name}=${encodeURIComponent(value)}`))
    .join('');
}
