import { randomUUID } from 'node:crypto';
import type { RunIds } from '../../factories/waiting.js';
import { approvalOf, decided } from '../../support/approvals.js';
import { useClockedApp } from '../../support/clocked-app.js';
import { problemOf } from '../../support/problem.js';
import { ok } from '../../support/recording.js';
import { allowing, approvedBy, editedBy, makeRule, openedBy, readingSlowly, RULES } from '../../support/rules.js';

interface Suggested {
  rule: Record<string, unknown>;
  calls: number;
  open: string[];
}

const DAY_MS = 24 * 3_600_000;

const server = useClockedApp();

const newAgent = () => `agent-${randomUUID()}`;
const statusOf = async (run: RunIds) => (await approvalOf(server.api, run, 1)).status;

async function suggested(query: Record<string, string>): Promise<Suggested[]> {
  const answer = await server.api.get(`${RULES}/suggestions?${new URLSearchParams(query).toString()}`);
  return ok(answer).json<{ items: Suggested[] }>().items;
}

const suggestedFor = ({ traceId }: RunIds) => suggested({ trace_id: traceId, step: '1' });

describe('Suggestions', () => {
  it('are drafted from five approved calls, and from those of one approval, each counted once', async () => {
    const agent = newAgent();
    const folder = '/work/repo/src';
    const calls = ['a', 'b', 'c', 'd', 'e'].map((name, n) => ({
      file: `${folder}/${name}`,
      n,
      mode: 'r',
      text: 'x'.repeat(n),
    }));
    const runs = await approvedBy(server.api, agent, ...calls.slice(0, 4));
    expect(await suggested({ agent_id: agent })).toEqual([]);
    runs.push(...(await approvedBy(server.api, agent, calls[4]!)));
    const [draft] = await suggested({ agent_id: agent });
    expect(draft).toMatchObject({ calls: 5, open: [], rule: { agents: [agent], tools: ['Bash'] } });
    expect(draft!.rule.where).toEqual([
      { path: '/file', within: folder },
      { path: '/n', min: 0, max: 4 },
      { path: '/mode', equals: 'r' },
      { path: '/text', one_of: expect.arrayContaining(['', 'x', 'xxxx']) },
    ]);
    const [own] = await suggestedFor(runs[0]!);
    expect(own).toMatchObject({ calls: 5 });
    await makeRule(server.api, draft!.rule);
    expect(await statusOf(await openedBy(server.api, agent, calls[2]!))).toBe('approved');
    expect(await statusOf(await openedBy(server.api, agent, { ...calls[2]!, n: 5 }))).toBe('pending');
    expect(await suggested({ agent_id: agent })).toEqual([]);
  });

  it('never bound a program by its folder, and can be made', async () => {
    const agent = newAgent();
    const commands = ['/usr/bin/git -C a status', '/usr/bin/git -C b status'].flatMap((one) => [one, one, one]);
    await approvedBy(server.api, agent, ...commands.map((command) => ({ command })));
    const [draft] = await suggested({ agent_id: agent });
    expect(draft!.rule.where).toEqual([{ path: '/command', one_of: expect.arrayContaining(commands) }]);
    await makeRule(server.api, draft!.rule);
    expect(
      await statusOf(await openedBy(server.api, agent, { command: '/usr/bin/git -C a status; rm -rf $HOME' })),
    ).toBe('pending');
  });

  it('name what has an eleventh value, which bounds nothing', async () => {
    const agent = newAgent();
    const calls = Array.from({ length: 11 }, (_, n) => ({ command: `make ${n}` }));
    await approvedBy(server.api, agent, ...calls.slice(0, 10));
    const [ten] = await suggested({ agent_id: agent });
    expect([ten!.rule.where, ten!.open]).toEqual([
      [{ path: '/command', one_of: expect.arrayContaining(calls.slice(0, 10).map(({ command }) => command)) }],
      [],
    ]);
    await approvedBy(server.api, agent, calls[10]!);
    const [eleven] = await suggested({ agent_id: agent });
    expect(eleven).toMatchObject({ calls: 11, open: ['/command'], rule: { where: [] } });
  });

  it('count what people approved within 30 days', async () => {
    const agent = newAgent();
    const [first] = await approvedBy(server.api, agent, ...Array.from({ length: 5 }, () => ({ command: 'ls' })));
    await server.later(29 * DAY_MS, async () => {
      expect(await suggested({ agent_id: agent })).toMatchObject([{ calls: 5 }]);
    });
    await server.later(31 * DAY_MS, async () => {
      expect(await suggested({ agent_id: agent })).toEqual([]);
      expect(await suggestedFor(first!)).toMatchObject([{ calls: 1 }]);
      await approvedBy(server.api, agent, { command: 'ls' });
      expect(await suggestedFor(first!)).toMatchObject([{ calls: 2 }]);
    });
  });

  it('are not made where a person has edited', async () => {
    const agent = newAgent();
    await approvedBy(server.api, agent, ...Array.from({ length: 5 }, () => ({ command: 'ls' })));
    const edited = await editedBy(server.api, agent, { command: 'ls /' }, { command: 'ls' });
    expect(await suggested({ agent_id: agent })).toEqual([]);
    expect(await suggestedFor(edited)).toEqual([]);
  });

  it('for one approval count only what people approved, and where they reject, only what they approved there', async () => {
    const agent = newAgent();
    const call = { command: 'ls' };
    const waits = await openedBy(server.api, agent, call);
    expect(await suggestedFor(waits)).toEqual([]);
    const [approved] = await approvedBy(server.api, agent, call);
    expect(await suggestedFor(waits)).toMatchObject([
      { calls: 1, rule: { note: 'People approved 1 such call of Bash.' } },
    ]);
    await approvedBy(server.api, agent, call);
    expect(await suggestedFor(waits)).toMatchObject([
      { calls: 2, rule: { note: 'People approved 2 such calls of Bash.' } },
    ]);
    await decided(server.api, 'reject', waits, 1);
    expect(await suggestedFor(waits)).toEqual([]);
    expect(await suggestedFor(approved!)).toMatchObject([
      { calls: 1, rule: { note: 'People approved 1 such call of Bash.' } },
    ]);
  });

  it('count nothing that a rule approved', async () => {
    const agent = newAgent();
    await makeRule(server.api, allowing(agent));
    const run = await openedBy(server.api, agent);
    expect([await statusOf(run), await suggestedFor(run)]).toEqual(['approved', []]);
  });

  it('say nothing of what was not read in time', async () => {
    const agent = newAgent();
    const call = { command: 'ls' };
    await decided(server.api, 'reject', await openedBy(server.api, agent, call), 1);
    const runs = await approvedBy(server.api, agent, ...Array.from({ length: 6 }, () => call));
    await readingSlowly(server, async () => {
      const answer = await server.api.get(`${RULES}/suggestions?agent_id=${agent}`);
      expect([problemOf(answer, 503).code, answer.headers['retry-after']]).toEqual(['history_unfinished', '5']);
      expect(await suggestedFor(runs[5]!)).toMatchObject([{ calls: 1 }]);
    });
  });

  it('are not made where a person has rejected, and take no name for SQL', async () => {
    const agent = newAgent();
    await approvedBy(server.api, agent, ...Array.from({ length: 6 }, () => ({ command: 'ls' })));
    await decided(server.api, 'reject', await openedBy(server.api, agent, { command: 'ls' }), 1);
    expect(await suggested({ agent_id: agent })).toEqual([]);
    for (const name of [`' OR 1=1 --`, `\\' OR 1=1 --`, `${agent}%`])
      expect(await suggested({ agent_id: name })).toEqual([]);
    for (const query of ['', '?agent_id=a%00', '?agent_id=a&step=1', '?trace_id=a', '?trace_id=a&step=x'])
      problemOf(await server.api.get(`${RULES}/suggestions${query}`), 400);
    problemOf(await server.api.get(`${RULES}/suggestions?trace_id=none&step=1`), 404);
  });
});
