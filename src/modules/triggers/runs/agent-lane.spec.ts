import { AgentLane } from './agent-lane.js';
import type { AgentDefinition } from '../definition/definition.js';

const lane = (concurrency: number, queueLimit: number) =>
  new AgentLane({ name: 'support', concurrency, queueLimit } as AgentDefinition);

describe("An agent's lane", () => {
  it('lets so many run at a time, first come first served', () => {
    const two = lane(2, 10);
    for (const run of ['a', 'b', 'c']) two.add(run);
    expect([two.next(), two.next(), two.next()]).toEqual(['a', 'b', null]);
    two.release();
    expect(two.next()).toBe('c');
    expect(two.active).toBe(2);
  });

  it('is full when all places and the queue are taken, those held included', () => {
    const narrow = lane(1, 1);
    narrow.add('a');
    narrow.next();
    expect(narrow.isFull).toBe(false);
    const giveBack = narrow.reserve();
    expect(narrow.isFull).toBe(true);
    giveBack();
    expect(narrow.isFull).toBe(false);
  });

  it('lets go of a run that waits, and of no other', () => {
    const one = lane(1, 2);
    for (const run of ['a', 'b', 'c']) one.add(run);
    one.next();
    expect([one.remove('b'), one.remove('b'), one.remove('a')]).toEqual([true, false, false]);
    one.release();
    expect([one.next(), one.active]).toEqual(['c', 1]);
  });

  it('with no queue still lets a run start', () => {
    const direct = lane(1, 0);
    expect(direct.isFull).toBe(false);
    direct.add('a');
    expect(direct.isFull).toBe(true);
  });
});
