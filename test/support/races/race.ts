import { randomUUID } from 'node:crypto';
import type { Answer } from '../api-client.js';
import { HeldWriter } from '../held-writer.js';
import type { InProcessApp } from '../in-process-app.js';
import { normalised, readingsOf } from './readings.js';
import { prepare, ROUTES, type RacedThread } from './routes.js';

/** Two requests for one thread. */
export interface Race {
  first: string;
  second: string;
  isKnown: boolean;
}

/** What came of a race: answers and everything that can be read, by name. */
export type Outcome = Record<string, string>;

/** A race, its outcomes one by one in both orders, and the threads that can be read again. */
export interface Raced {
  race: Race;
  together: Outcome;
  orders: readonly Outcome[];
  thread: RacedThread;
}

const NAMES = Object.keys(ROUTES);

/** All races: every pair of routes, on threads that nobody knows and on known ones. */
export const RACES: readonly Race[] = [false, true].flatMap((isKnown) =>
  NAMES.flatMap((first) => NAMES.map((second) => ({ first, second, isKnown }))),
);

/** The names of what is not as in any of the orders; none where the race came out as one of them. */
export function differencesOf({ together, orders }: Pick<Raced, 'together' | 'orders'>): string[] {
  const byOrder = orders.map((order) => Object.keys(order).filter((name) => order[name] !== together[name]));
  return byOrder.some((names) => names.length === 0) ? [] : byOrder.reduce((a, b) => (a.length <= b.length ? a : b));
}

/** Runs the races so that the two requests of each share one commit, and each in both orders one by one. */
export async function raceAll(
  server: InProcessApp,
  common: Pick<RacedThread, 'lines' | 'bound'>,
  races: readonly Race[],
): Promise<Raced[]> {
  const begin = async ({ isKnown }: Race) => {
    const key = randomUUID().slice(0, 8);
    const names = { id: `raced-${key}`, trace: `trace-${key}`, agent: `agent-${key}` };
    const thread = { api: server.api, ...names, fence: 1, ...common };
    return isKnown ? prepare(thread) : thread;
  };
  const threads = await inTurn(races, begin);
  const writer = await HeldWriter.hold(server);
  const queued: { answer: Promise<Answer> }[] = [];
  try {
    for (const [at, { first, second }] of races.entries()) {
      for (const route of [first, second]) queued.push(await writer.queue(() => ROUTES[route]!(threads[at]!)));
    }
  } finally {
    await writer.goOn();
  }
  const answers = await Promise.all(queued.map(({ answer }) => answer));
  return inTurn(races, async (race, at) => {
    const thread = threads[at]!;
    const together = await outcomeOf(thread, race, [answers[2 * at]!, answers[2 * at + 1]!]);
    const orders: Outcome[] = [];
    for (const isTurned of [false, true]) {
      const other = await begin(race);
      const [a, b] = isTurned ? [race.second, race.first] : [race.first, race.second];
      const one = await ROUTES[a]!(other);
      const two = await ROUTES[b]!(other);
      orders.push(await outcomeOf(other, race, isTurned ? [two, one] : [one, two]));
      if (differencesOf({ together, orders }).length === 0) break;
    }
    return { race, together, orders, thread };
  });
}

async function outcomeOf(thread: RacedThread, race: Race, answers: readonly Answer[]): Promise<Outcome> {
  const [first, second] = answers.map((answer) => normalised(answer, thread));
  return { [`1 ${race.first}`]: first!, [`2 ${race.second}`]: second!, ...(await readingsOf(thread.api, thread)) };
}

async function inTurn<T, R>(all: readonly T[], work: (one: T, at: number) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const [at, one] of all.entries()) results.push(await work(one, at));
  return results;
}
