import { Story } from './story.mjs';
import { DIFF, FAILED_TEST, REPORT, REVIEW, SLOW_QUERY } from './texts.mjs';

/** Runs that call others, and runs that think. */
export const TEAM_STORIES = [researchWithHelpers, slowCheckout, codeReview, longReport];

function researchWithHelpers(ago) {
  const story = new Story('research-lisbon', ago(6));
  const lead = story.run({ agent: 'researcher', model: 'large-2', budget: 1.5 }).start();
  lead.user('Write two pages about the history of the tram lines of Lisbon, with sources.');
  lead.answer('I split this: one helper looks for sources, one reads the timetable archive.', 8);
  const helpers = ['source-finder', 'archive-reader'].map((agent) => {
    const trace = `${story.threadId}/${agent}`;
    return story.run({ agent, model: 'small-4', trace, parent: lead.trace, budget: 0.1 }).start();
  });
  const [finder, reader] = helpers;
  finder.user('Find sources about the tram lines of Lisbon since 1901.');
  reader.user('Read the timetables of line 28 for 1914, 1936 and 1973.');
  const found = [
    'Carris, 150 anos de história',
    'The Trams of Lisbon (1982)',
    'Arquivo Municipal, box 114',
    'O eléctrico 28',
  ];
  for (const title of found) {
    finder.tools([
      ['search', { query: title }, { title, pages: 80 + title.length, language: title.includes('The') ? 'en' : 'pt' }],
    ]);
    reader.tools([
      [
        'read_scan',
        { box: 114, leaf: title.length },
        `leaf ${title.length}: cars every 12 minutes from Estrela, every 9 after 17:00`,
      ],
    ]);
  }
  finder.answer('Found six sources on tram line history; three of them are primary.').complete();
  lead.tools([
    ['ask_helper', { helper: 'source-finder' }, 'Found six sources on tram line history; three of them are primary.'],
  ]);
  reader.tools([['read_scan', { box: 115, leaf: 3 }, 'leaf 3: illegible, water damage']]);
  lead.answer('Found six sources on tram line history; reading the second.', 14);
  return story.endAt(ago(0.1));
}

function slowCheckout(ago) {
  const story = new Story('slow-checkout', ago(95));
  const run = story.run({ agent: 'investigator', model: 'reasoner-1', budget: 0.8 }).start();
  run.user('Checkout takes 9 seconds since Tuesday. Find out why.');
  run.say(
    thinking(
      'Either the database or the payment provider. The traces will tell.',
      'I look at the traces first.',
      'get_traces',
      { service: 'checkout', percentile: 99 },
      'toolu_1',
    ),
    9,
  );
  run.add(toolResult('toolu_1', 'p99 9.1 s: 8.6 s in SELECT … FROM order_items, 0.2 s in payment')).save();
  const log = story.run({
    agent: 'log-reader',
    model: 'small-4',
    trace: `${story.threadId}/logs`,
    parent: run.trace,
    budget: 0.05,
  });
  log.start().user('Which deployments were there on Tuesday?');
  log.tools([
    [
      'search_logs',
      { query: 'deployed', since: 'Tuesday' },
      'orders 40aa1f3 deployed 14:02\norders: migration 0041 dropped index order_items_by_order',
    ],
  ]);
  log.answer('One: orders 40aa1f3 at 14:02. Its migration 0041 dropped the index `order_items_by_order`.').complete();
  run.say(thinking('That is it: without the index each checkout scans the whole table.', SLOW_QUERY), 11);
  run.complete();
  return story;
}

function codeReview(ago) {
  const story = new Story('review-pull-381', ago(44));
  const run = story.run({ agent: 'reviewer', model: 'reasoner-1', budget: 0.6 }).start();
  run.user('Review pull request 381.');
  run.say(thinking('The diff touches rounding. I check the tests.', '', 'read_diff', { pull: 381 }, 'toolu_a'), 6);
  run.add(toolResult('toolu_a', DIFF)).save();
  run.say(
    thinking(
      'Negative amounts?',
      'I run the tests with negative amounts.',
      'run',
      { command: 'npm test -- money' },
      'toolu_b',
    ),
    5,
  );
  run
    .add({
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'toolu_b', is_error: true, content: FAILED_TEST }],
    })
    .save();
  run.say(
    {
      role: 'assistant',
      content: [
        {
          type: 'text',
          text: REVIEW,
        },
      ],
    },
    8,
  );
  run.complete();
  return story;
}

function longReport(ago) {
  const story = new Story('market-report', ago(380));
  const run = story.run({ agent: 'researcher', model: 'large-2', budget: 1 }).start();
  run.user('Compare the three suppliers, with a table and a recommendation.');
  for (const supplier of ['Norda', 'Alpin & Co', 'Trekwell']) {
    run.tools([
      [
        'read_prices',
        { supplier },
        Array.from(
          { length: 60 },
          (_, at) => `${supplier} item ${at}: ${(at * 7.35 + supplier.length).toFixed(2)} EUR`,
        ).join('\n'),
      ],
    ]);
  }
  run.answer(REPORT, 25).complete();
  return story;
}

function thinking(thought, text, name, input, id) {
  const words = text === '' ? [] : [{ type: 'text', text }];
  const use = name === undefined ? [] : [{ type: 'tool_use', id, name, input }];
  return { role: 'assistant', content: [{ type: 'thinking', thinking: thought }, ...words, ...use] };
}

function toolResult(id, content) {
  return { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }] };
}
