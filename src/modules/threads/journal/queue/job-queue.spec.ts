import fc from 'fast-check';
import { behind, clustersOf, JobQueue, type QueuedJob } from './job-queue.js';

function job(threadIds: string[], isAlone = false, bytes = 1): QueuedJob {
  const never = () => undefined;
  const run = () => Promise.resolve(undefined);
  return { job: { name: '', threadIds, bytes, isAlone, run }, resolve: never, reject: never };
}

const someJob = fc.record({
  ids: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { minLength: 1, maxLength: 3 }),
  isAlone: fc.boolean(),
});

describe('The queue of jobs', () => {
  it('keeps the jobs of a thread in order, and never has two groups under way on one', () => {
    fc.assert(
      fc.property(fc.array(someJob, { maxLength: 30 }), fc.array(fc.boolean()), (given, endings) => {
        const queue = new JobQueue({ jobs: 100, bytes: 1000 });
        const jobs = given.map(({ ids, isAlone }) => job(ids, isAlone));
        jobs.forEach((each) => queue.add(each));
        const underWay: QueuedJob[][] = [];
        const taken: QueuedJob[] = [];
        for (let round = 0; queue.length > 0 || underWay.length > 0; round++) {
          const group = queue.takeGroup();
          const busy = new Set(underWay.flat().flatMap(({ job: { threadIds } }) => threadIds));
          expect(group.some(({ job: { threadIds } }) => threadIds.some((id) => busy.has(id)))).toBe(false);
          for (const alone of group.filter((each) => each.job.isAlone)) {
            const ofOthers = new Set(group.filter((each) => each !== alone).flatMap((other) => other.job.threadIds));
            expect(alone.job.threadIds.some((id) => ofOthers.has(id))).toBe(false);
          }
          taken.push(...group);
          if (group.length > 0) {
            queue.occupy(group);
            underWay.push(group);
          }
          if (group.length === 0 || endings[round]) queue.release(underWay.shift() ?? []);
        }
        for (const id of ['a', 'b', 'c', 'd', 'e']) {
          const ofThread = (all: QueuedJob[]) => all.filter(({ job: { threadIds } }) => threadIds.includes(id));
          expect(ofThread(taken)).toEqual(ofThread(jobs));
        }
        expect(new Set(taken).size).toBe(jobs.length);
      }),
    );
  });

  it('has room until its jobs or their bytes are too many, and always for one', () => {
    const queue = new JobQueue({ jobs: 2, bytes: 10_000_000 });
    expect(queue.hasRoomFor(job(['a'], false, 11_000_000).job)).toBe(true);
    queue.add(job(['a'], false, 8_000_000));
    expect(queue.hasRoomFor(job(['b'], false, 3_000_000).job)).toBe(false);
    expect(queue.hasRoomFor(job(['b'], false, 2_000_000).job)).toBe(true);
    queue.add(job(['b']));
    expect(queue.hasRoomFor(job(['c']).job)).toBe(false);
    queue.takeGroup();
    expect(queue.hasRoomFor(job(['c'], false, 10_000_000).job)).toBe(true);
  });

  it('has room for small jobs where large ones have filled it', () => {
    const queue = new JobQueue({ jobs: 1000, bytes: 10_000_000 });
    queue.add(job(['a'], false, 12_000_000));
    expect(queue.hasRoomFor(job(['b'], false, 1_000_000).job)).toBe(false);
    for (let i = 0; i < 60; i++) {
      expect(queue.hasRoomFor(job(['c'], false, 200_000).job)).toBe(true);
      queue.add(job(['c'], false, 200_000));
    }
    for (let i = 0; i < 20; i++) queue.add(job(['c'], false, 200_000));
    expect(queue.hasRoomFor(job(['d'], false, 200_000).job)).toBe(false);
  });

  it('parts a group only between jobs that share no thread, directly or through others', () => {
    const jobs = [job(['a']), job(['b']), job(['a', 'c']), job(['d']), job(['c'])];
    expect(
      clustersOf(jobs)
        .map((cluster) => cluster.map((each) => jobs.indexOf(each)))
        .sort(),
    ).toEqual([[0, 2, 4], [1], [3]]);
  });

  it('knows who has to wait for others, also through those who wait', () => {
    const jobs = [job(['c']), job(['a', 'b']), job(['d']), job(['b', 'c']), job(['c'])];
    const { waiting, free } = behind(jobs, [job(['a'])]);
    const places = (some: QueuedJob[]) => some.map((each) => jobs.indexOf(each));
    expect([places(free), places(waiting)]).toEqual([
      [0, 2],
      [1, 3, 4],
    ]);
  });
});
