import { Story } from './story.mjs';

const HOUR_MS = 3_600_000;
const NAMES = ['Ana', 'Jonas', 'Priya', 'Mateo', 'Sofia', 'Liam', 'Yuki', 'Omar', 'Clara', 'Tom'];
const GOODS = ['hiking boots', 'a rain jacket', 'the blue tent', 'a camp stove', 'two sleeping bags', 'a head torch'];
const STATES = ['in transit', 'held by customs', 'delivered to a neighbour', 'back at the depot', 'out for delivery'];
const CITIES = ['Lisbon', 'Leeds', 'Graz', 'Turin', 'Porto', 'Utrecht'];
const WISHES = [
  (o) => `Where is my order ${o.order}? I wanted ${o.goods} for the weekend.`,
  (o) => `Hello, ${o.goods} from order ${o.order} came in the wrong size. Can I swap?`,
  (o) => `I never got a confirmation for ${o.order}. Did the payment go through?`,
  (o) => `Please change the address of order ${o.order} to my office in ${o.city}.`,
];
const THANKS = ['Great, thank you!', 'That helps, thanks.', 'Perfect. Have a good day!', 'OK, I will wait then.'];

/** Conversations of a support agent, all made up. */
export function supportStories(count, nowMs, random) {
  return Array.from({ length: count }, (_, at) => supportStory(at, count, nowMs, random));
}

function supportStory(at, count, nowMs, random) {
  const order = `${4600 + at}`;
  const about = {
    order,
    goods: random.of(GOODS),
    city: random.of(CITIES),
    name: random.of(NAMES),
    state: random.of(STATES),
  };
  const story = new Story(`order-${order}`, nowMs - 23.5 * HOUR_MS + ((at * 23) / count) * HOUR_MS);
  const run = story.run({ agent: 'support', model: at % 4 === 3 ? 'large-2' : 'small-4', budget: 0.02 }).start();
  run.system('You answer customers of an outdoor shop. Be brief. Ask before you change an order.');
  run.user(random.of(WISHES)(about));
  run.tools([['find_order', { order }, { order, customer: about.name, state: about.state, items: [about.goods] }]], {
    seconds: random.between(1, 4),
  });
  if (at % 5 === 2) {
    run.tools([
      ['track_parcel', { order }, { carrier: 'Post', state: about.state, place: about.city, updated: '06:12' }],
      ['read_policy', { topic: 'late parcels' }, 'After ten days the parcel counts as lost, and the customer chooses.'],
    ]);
  }
  if (at % 11 === 4) {
    run.crash(random.between(3, 90), 2);
    run.tools([['find_order', { order }, { order, customer: about.name, state: about.state, items: [about.goods] }]]);
  }
  run.answer(
    `Hello ${about.name}, your order ${order} is ${about.state}. It should reach ${about.city} within two days.`,
  );
  if (at % 13 === 6) {
    run.fail({ type: 'RateLimitError', message: 'Too many requests to small-4: try again in 38 seconds.' });
    return story;
  }
  run.wait(random.between(10, 200)).user(random.of(THANKS));
  run.answer('You are welcome. Is there anything else?', random.between(1, 3)).complete();
  return story;
}
