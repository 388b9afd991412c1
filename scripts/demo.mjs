// `npm run demo`: two agent runs through the public API of a server, one of them killed in its midst. Exits with 0 only when all was as
// expected. Starts a server of its own, which stays until Ctrl-C on a terminal (not with --exit), or uses that of WAYSTATION_API_URL.
import { once } from 'node:events';
import { Api, threadPath } from './demo/api.mjs';
import { crashingRun } from './demo/crashing-run.mjs';
import { chapter, failureCount, say, shout } from './demo/pages.mjs';
import { openServer } from './demo/server.mjs';
import { straightRun } from './demo/straight-run.mjs';

const isStaying = process.stdout.isTTY && !process.argv.includes('--exit');
const suffix = Date.now().toString(36);
const threads = [`demo-jacket-${suffix}`, `demo-checkout-${suffix}`];
const interrupted = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);

try {
  const server = await orInterrupted(openServer());
  await orInterrupted(play(server));
  if (isStaying && server.isOwn) {
    say('The server stays until Ctrl-C; then its data is removed.');
    await interrupted;
  }
  await server.stop();
} catch (error) {
  shout(error.message);
  process.exit(1);
}
process.exit(failureCount() > 0 ? 1 : 0);

async function play(server) {
  const api = new Api(server.url, server.token);
  say(`server  ${server.url}${server.isOwn ? ', started for this demonstration' : ''}`);
  await straightRun(server, api, threads[0]);
  await crashingRun(server, api, threads[1]);
  tellWhatToOpen(server);
}

function orInterrupted(work) {
  const end = interrupted.then(() => {
    throw new Error('Interrupted.');
  });
  return Promise.race([work, end]);
}

function tellWhatToOpen({ url, secretFile, isOwn }) {
  chapter(isStaying || !isOwn ? '3. What to open next' : '3. What to open next, on a terminal, where the server stays');
  const token = secretFile ? `$(cat '${secretFile}')` : '$WAYSTATION_TOKEN';
  const lines = [
    ['the API, described and to try out', `${url}/docs`],
    ['the token for it', secretFile ? `cat '${secretFile}'` : 'echo $WAYSTATION_TOKEN'],
    ['all threads', curl(token, `${url}/threads`)],
    ['the whole story of the second run', curl(token, url + threadPath(threads[1]))],
    [
      'its checkpoints, with what each added',
      curl(token, `${url}${threadPath(threads[1], '/checkpoints')}?history=new`),
    ],
    ['its live stream', curl(token, url + threadPath(threads[1], '/stream'), '-N ')],
    ['the agent itself', 'examples/node-agent/agent.mjs'],
  ];
  for (const [what, where] of lines) console.log(`  ${what}\n    ${where}`);
  console.log('');
}

function curl(token, address, flags = '') {
  return `curl -s ${flags}-H "Authorization: Bearer ${token}" '${address}'`;
}
