import { claudeAsks } from '../../factories/hook-inputs.js';
import { hookOutput, postHook } from '../../support/hook-requests.js';
import { startApp, type InProcessApp } from '../../support/in-process-app.js';
import { allowing, makeRule } from '../../support/rules.js';

let server: InProcessApp;

beforeAll(async () => {
  server = await startApp();
});
afterAll(() => server.stop());

it('a rule for a folder answers the hook of a coding agent that works there, and no other', async () => {
  const where = [
    { path: '/command', equals: 'npm test' },
    { path: '/description', any: true },
  ];
  await makeRule(server.api, allowing('claude-code', { where, folder: '/home/kim/shop' }));
  const answer = async (cwd: string) =>
    postHook(server.api, 'claude', claudeAsks('npm test', { cwd }), `key of ${cwd}`).then(({ status, text }) => [
      status,
      text === '' ? null : JSON.parse(text),
    ]);
  const [status, printed] = await answer('/home/kim/shop/packages/a');
  expect([status, printed]).toEqual([200, hookOutput({ behavior: 'allow' })]);
  for (const cwd of ['/home/kim', '/home/kim/shop2', '/home/kim/shop/.git']) {
    expect((await answer(cwd))[1]).not.toEqual(printed);
  }
});
