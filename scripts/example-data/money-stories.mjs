import { Story } from './story.mjs';

/** Runs that move money, and data that pages must show unchanged. */
export const MONEY_STORIES = [refundsInDoubt, paidInvoices, strangeNumbers];

function refundsInDoubt(ago) {
  return [
    ['payout-5512', 31, '84.20'],
    ['payout-5519', 12, '1240.00'],
  ].map(([id, minutes, amount]) => {
    const story = new Story(id, ago(minutes));
    const run = story.run({ agent: 'cashier', model: 'small-4', budget: 0.05 }).start();
    run.user(`Pay ${amount} EUR to the supplier of ${id}.`);
    run.say({
      role: 'assistant',
      content: null,
      tool_calls: [
        {
          id: 'call_1',
          type: 'function',
          function: { name: 'pay', arguments: JSON.stringify({ invoice: id, amount, currency: 'EUR' }) },
        },
      ],
    });
    run.effect(`pay:${id}`, 'pay', { invoice: id, amount, currency: 'EUR' });
    return story;
  });
}

function paidInvoices(ago) {
  const story = new Story('invoices-march', ago(64));
  const run = story.run({ agent: 'cashier', model: 'small-4', budget: 0.05 }).start();
  run.user('Pay the three invoices that are due today.');
  for (const [invoice, amount] of [
    ['A-118', '310.00'],
    ['A-121', '75.50'],
    ['B-007', '1999.99'],
  ]) {
    run.effect(`pay:${invoice}`, 'pay', { invoice, amount }, { transfer: `t-${invoice.toLowerCase()}`, booked: true });
    run.tools([['pay', { invoice, amount }, { transfer: `t-${invoice.toLowerCase()}`, booked: true }]]);
  }
  run.answer('All three are paid: 2,385.49 EUR together.').complete();
  return story;
}

/** Digits, scripts and characters that pages must show unchanged. */
function strangeNumbers(ago) {
  const story = new Story('ledger-check', ago(260));
  const run = story.run({ agent: 'ledger', model: 'large-2', budget: 0.2 }).start();
  run.user('Compare ledger 9007199254740993 with the bank. Kunden: Jürgen Weiß, 山田太郎, Ольга, عمر.');
  run.tools([
    [
      'read_ledger',
      { account: '9007199254740993', since: '2026-11-01' },
      '{"account":9007199254740993,"balance":12345678901234567890.12,"note":"<b>not bold</b> & <script>alert(1)</script>"}',
    ],
  ]);
  run
    .answer('The ledger holds **12345678901234567890.12**; the bank says the same. \u202Egnirts desrever\u202C ok.')
    .complete();
  return story;
}
