import { NoticeReceiver } from '../../fakes/notice-receiver.js';
import { decided, type Approval } from '../../support/approvals.js';
import { askingScript } from '../../support/asking-script.js';
import { useChatServer } from '../../support/chat-server.js';
import { EventStream } from '../../support/event-stream.js';
import { createNotice, deliveriesOf } from '../../support/notices.js';
import { allowing, makeRule, ruleFor } from '../../support/rules.js';
import { waitFor } from '../../support/wait.js';

const ADA = 42;
const chats = useChatServer(undefined, { approvers: [String(ADA)] });

it('Nobody is asked about calls that a rule decides: no chat, no notice, no stream', async () => {
  const { world, server } = chats;
  const receiver = await NoticeReceiver.start();
  const events = ['approval_waiting', 'run_completed'];
  const notice = await createNotice(server.api, receiver.url, { events });
  const stream = await EventStream.open(server.api, '/approvals/stream');
  await makeRule(server.api, allowing('support', { tools: ['look_up'], where: [] }));
  await makeRule(server.api, ruleFor('deny', 'support', { tools: ['drop'] }));
  world.agent.script = (run, agent) => askingScript({ name: run.message, args: {} })(run, agent);
  const runOf = (tool: string) => world.agent.runs.find(({ message }) => message === tool)!.runId;
  for (const [tool, answer] of [
    ['look_up', 'It was approved.'],
    ['drop', 'It was rejected.'],
  ] as const) {
    world.telegram.write(ADA, tool);
    await waitFor(answer, () => world.sentTo(ADA).includes(answer));
  }
  // Once a call that matches no rule has been announced, anything about the earlier ones would have been announced too.
  world.telegram.write(ADA, 'pay');
  const asked = await waitFor('the question', () => world.telegram.messages.find(({ buttons }) => buttons.length > 0));
  await stream.until('the opening', (told) => told.ofType('opened').length > 0);
  await decided(server.api, 'approve', { traceId: runOf('pay') }, 0);
  await waitFor('the end', () => receiver.calls.filter(({ event }) => event.type === 'run_completed').length === 3);
  await waitFor('all to be sent', async () => (await deliveriesOf(server.api, notice.id, 'waiting')).length === 0);

  const waited = receiver.calls.filter(({ event }) => event.type === 'approval_waiting');
  expect(waited.map(({ event }) => event.data.trace_id)).toEqual([runOf('pay')]);
  const told = stream.seen.map(({ event, data }) => ({ event, ...(JSON.parse(data) as Approval) }));
  expect(told.filter(({ status }) => status === 'pending').map((one) => [one.event, one.trace_id])).toEqual([
    ['opened', runOf('pay')],
  ]);
  expect((await world.log(server.api)).filter(({ kind }) => kind === 'question')).toHaveLength(1);
  // Its buttons may be gone by now.
  expect(world.telegram.messages.filter(({ text }) => text.includes('asks for your approval'))).toEqual([asked]);
  stream.close();
  await receiver.close();
});
