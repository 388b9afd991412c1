import { Story } from './story.mjs';

/** Each way in which a run can continue or end. */
export const ENDING_STORIES = [crashLoop, billingKey, overBudget, nearBudget, cancelledReport, chatThatRests];

function crashLoop(ago) {
  const story = new Story('import-catalogue', ago(150));
  const run = story.run({ agent: 'importer', model: 'small-4', budget: 0.3 }).start();
  run.user('Import the catalogue of the new supplier (48,112 rows).');
  for (const rows of [9000, 21000]) {
    run.tools(
      [
        ['import_rows', { from: 0, to: rows / 2 }, { imported: rows / 2 }],
        ['import_rows', { from: rows / 2, to: rows }, { imported: rows / 2 }],
      ],
      { seconds: 20 },
    );
    run.answer(`${rows} rows are in.`);
    run.crash(45);
  }
  for (let from = 0; from < 48_000; from += 12_000)
    run.tools([['import_rows', { from, to: from + 12_000 }, { imported: 12_000 }]], { seconds: 25 });
  run.answer('All 48,112 rows are in; 14 had no price and are listed in `without-price.csv`.').complete();
  return story;
}

function billingKey(ago) {
  const story = new Story('invoice-import-0312', ago(6.5));
  const run = story.run({ agent: 'billing', model: 'small-4', budget: 0.1 }).start();
  run.user('Import the invoices of 12 March.').save();
  run.fail({
    type: 'ConfigError',
    message: 'model key missing (billing.py line 41)',
    traceback:
      'Traceback (most recent call last):\n  File "billing.py", line 41, in <module>\n    client = Model(key=os.environ["MODEL_KEY"])\nKeyError: \'MODEL_KEY\'',
  });
  return story;
}

function overBudget(ago) {
  const story = new Story('crawler-eu', ago(200));
  const run = story.run({ agent: 'crawler', model: 'large-2', budget: 0.1 }).start();
  run.user('Collect the opening hours of all museums in the north.');
  for (let page = 1; page <= 14; page++) {
    const hours = Array.from({ length: 12 }, (_, at) => `museum ${page * 12 + at}: 10:00 to 18:00, closed on Monday`);
    run.tools([['fetch', { url: `https://museums.example/north?page=${page}` }, hours.join('\n')]], { seconds: 12 });
  }
  run.exceedBudget();
  return story;
}

function nearBudget(ago) {
  const story = new Story('translate-handbook', ago(14));
  const run = story.run({ agent: 'translator', model: 'large-2', budget: 0.085 }).start();
  run.user('Translate the handbook to Portuguese, chapter by chapter.');
  for (let chapter = 1; chapter <= 7; chapter++) {
    run.tools([
      ['read_chapter', { chapter }, `Chapter ${chapter}. ${'Keep the stove away from the tent. '.repeat(12)}`],
    ]);
    run.answer(`# Capítulo ${chapter}\n\n${'Mantenha o fogão longe da tenda. '.repeat(12)}`, 9);
  }
  return story.endAt(ago(0.4));
}

function cancelledReport(ago) {
  const story = new Story('nightly-report', ago(125));
  const run = story.run({ agent: 'reporter', model: 'small-4', budget: 0.1 }).start();
  run.user('Write the report for Q3.');
  run.tools([['query', { sql: "SELECT sum(total) FROM orders WHERE quarter = '2026-Q2'" }, { sum: '1882310.40' }]]);
  run.wait(9).cancel();
  return story;
}

function chatThatRests(ago) {
  const story = new Story('telegram-kim-standup', ago(118));
  const run = story.run({ agent: 'assistant', model: 'small-4', budget: 0.05 }).start();
  for (const [asked, answered] of [
    ['What is on today?', 'Two meetings: stand-up at 9:30, and the review of the search project at 14:00.'],
    ['Anything blocked?', 'Nothing blocked today. Two reviews wait for you.'],
  ]) {
    run.user(asked);
    run.tools([
      [
        'read_calendar',
        { day: 'today' },
        [
          { at: '09:30', title: 'stand-up' },
          { at: '14:00', title: 'search review' },
        ],
      ],
    ]);
    run.answer(answered).idle();
    run.wait(600);
  }
  return story;
}
