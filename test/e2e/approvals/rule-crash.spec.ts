import { randomUUID } from 'node:crypto';
import { newRun } from '../../factories/waiting.js';
import { approvalsOf } from '../../support/approvals.js';
import { latestOf, ok, record, type Page } from '../../support/recording.js';
import { allowing, makeRule, opening, ruleOf } from '../../support/rules.js';
import { useServer } from '../../support/test-server.js';
import { waitFor } from '../../support/wait.js';

const ROUNDS = 6;
const OPENINGS = 80;

const server = useServer();

it('kill -9 leaves each call decided and counted by its rule, or neither', async () => {
  const agent = `agent-${randomUUID()}`;
  const rule = await makeRule(server.api, allowing(agent, { limits: { per_day: 10_000 } }));
  const acknowledged = new Set<string>();
  const all: string[] = [];
  const decided = new Set<string>();
  for (let round = 0; round < ROUNDS; round++) {
    const runs = Array.from({ length: OPENINGS }, () => newRun('ruled'));
    all.push(...runs.map(({ threadId }) => threadId));
    let answered = 0;
    const openings = runs.map((run) =>
      record(server.api, opening(agent, run)).then(
        () => ((answered += 1), acknowledged.add(run.threadId)),
        () => undefined,
      ),
    );
    await waitFor('the first answers', () => answered > 3 * round);
    await server.process.kill();
    await Promise.all(openings);
    await server.restart();
    // After the last kill, those of the earlier rounds, too.
    for (const threadId of round < ROUNDS - 1 ? runs.map((run) => run.threadId) : all) {
      const answer = await server.api.get(`/v1/runners/threads/${threadId}/latest`);
      if (answer.status === 404) {
        expect(acknowledged).not.toContain(threadId);
        continue;
      }
      expect(await latestOf(server.api, threadId)).toMatchObject({ status: 'approved' });
      expect(await approvalsOf(server.api, threadId, { status: 'all' })).toMatchObject([{ rule_id: rule.id }]);
      decided.add(threadId);
    }
    expect((await ruleOf(server.api, rule.id)).uses).toBe(decided.size);
    const list = ok(await server.api.get(`/approvals?status=all&rule_id=${rule.id}&count=true&limit=1`));
    expect(list.json<Page<unknown>>().total).toBe(decided.size);
  }
}, 300_000);
