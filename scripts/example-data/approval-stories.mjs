import { Story } from './story.mjs';
import { migrationPlan } from './texts.mjs';

/** Runs that wait or waited for a person. */
export const APPROVAL_STORIES = [refundThatWaits, releaseThatWaits, editedMail, rejectedDeletion, expiredDiscount];

function refundThatWaits(ago) {
  const story = new Story('refund-9920', ago(9));
  const run = story.run({ agent: 'support', model: 'small-4', budget: 0.02 }).start();
  run.system('You answer customers of an outdoor shop. Refunds above 50 EUR need a person.');
  run.user('The tent from order 9920 has a hole. I want my money back, please.');
  run.tools([['find_order', { order: '9920' }, { order: '9920', paid: '149.00 EUR', items: ['the blue tent'] }]]);
  run.tools([
    ['look_at_photo', { file: 'hole.jpg' }, 'A tear of about 12 cm beside the left seam; the fabric is not worn.'],
  ]);
  run.ask([['issue_refund', { order: '9920', amount: '149.00', currency: 'EUR', reason: 'damaged on arrival' }]], {
    content: 'The photo shows a torn seam. I would like to refund 149.00 EUR to order 9920.',
  });
  return story.endAt(ago(1));
}

function releaseThatWaits(ago) {
  const story = new Story('deploy-main', ago(20));
  const run = story.run({ agent: 'release', model: 'large-2', budget: 1.2 }).start();
  run.user('Release main to production. Migrations first.');
  run.tools([
    [
      'run',
      { command: 'git log --oneline v0.41.0..main' },
      'b71c2e9 fix(billing): round half to even\n40aa1f3 feat(orders): split shipments',
    ],
  ]);
  run.tools([['run', { command: 'npm test' }, 'Tests: 1204 passed, 1204 total\nTime: 96.412 s']], { seconds: 90 });
  run.answer(migrationPlan(), 12);
  run.ask(
    [
      ['run_migration', { database: 'orders-production', migration: '0042-split-shipments', lock_timeout_ms: 2000 }],
      ['deploy', { service: 'orders', version: 'b71c2e9', strategy: 'rolling', max_unavailable: 1 }],
    ],
    { content: 'Ready to run the migration on production.', timeout: 6 * 3600 },
  );
  return story.endAt(ago(4));
}

function editedMail(ago) {
  const story = new Story('mail-to-ada', ago(190));
  const run = story.run({ agent: 'assistant', model: 'small-4', budget: 0.05 }).start();
  run.user('Tell Ada that Thursday works, and ask for the agenda.');
  run.ask([['send_mail', { to: 'ada@example.com', subject: 'Thursday', body: 'hey, thursday works. agenda??' }]]);
  const args = {
    to: 'ada@example.com',
    subject: 'Thursday',
    body: 'Hello Ada, Thursday works. Could you send the agenda?',
  };
  run
    .wait(75)
    .decide(
      'approve',
      { decided_by: 'Kim', reason: 'a kinder tone', decisions: [{ index: 0, decision: 'approve', args }] },
      [{ sent: true, id: 'm-20418' }],
    );
  run.answer('Sent. I will tell you when she answers.').complete();
  return story;
}

function rejectedDeletion(ago) {
  const story = new Story('clean-up-disk', ago(310));
  const run = story.run({ agent: 'ops', model: 'reasoner-1', budget: 0.5 }).start();
  run.user('The disk of build-3 is 96% full. Make room.');
  run.tools([
    [
      'run',
      { command: 'du -xh --max-depth=2 / | sort -h | tail -5' },
      '3.1G /var/log\n8.8G /home/ci\n41G /var/lib/docker\n52G /var\n71G /',
    ],
  ]);
  run.ask(
    [
      ['run', { command: 'docker system prune --force' }],
      ['run', { command: 'rm -rf /home/ci/*' }],
    ],
    { content: 'Old images take 41 GB, the home of `ci` takes 8.8 GB. I would remove both.' },
  );
  run.wait(140).decide(
    'approve',
    {
      decided_by: 'Noor',
      decisions: [{ index: 1, decision: 'reject', reason: 'the caches of the nightly build are there' }],
    },
    ['Total reclaimed space: 38.2GB', 'Rejected by Noor: the caches of the nightly build are there'],
  );
  run.answer('Done: 38.2 GB free, the disk is at 58%. I left `/home/ci` alone.').complete();
  return story;
}

function expiredDiscount(ago) {
  const story = new Story('discount-spring', ago(700));
  const run = story.run({ agent: 'marketing', model: 'small-4', budget: 0.1 }).start();
  run.user('Prepare the spring discount for all customers of last year.');
  run.ask([['create_discount', { code: 'SPRING15', percent: 15, customers: 18233 }]], { timeout: 3600 });
  return story;
}
