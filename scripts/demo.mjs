// `npm run demo`: complete runs through a server's public API: started by webhooks, approved by a person, killed midway. Needs only Node.
// Exits with 0 only if everything went as expected. Starts its own server, which on a terminal stays until Ctrl-C (not with --exit), or
// uses that of WAYSTATION_API_URL. With --seed and --remove it is `waystation demo`.
import './ensure-installed.mjs';
import './ensure-built.mjs';
import { once } from 'node:events';
import path from 'node:path';
import { AgentService } from './demo/agent-service.mjs';
import { Api, threadPath } from './demo/api.mjs';
import { crashingRun } from './demo/crashing-run.mjs';
import { doubtedRefund } from './demo/doubted-refund.mjs';
import { runCommandHere } from './demo/command.mjs';
import { chapter, failureCount, say, shout } from './demo/pages.mjs';
import { openServer } from './demo/server.mjs';
import { approvedRun, resumedRun } from './demo/webhook-run.mjs';

// A reader that goes away (`| head`) ends the demonstration quietly.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error) => process.exit(error.code === 'EPIPE' ? 0 : 1));

if (process.argv.some((word) => word === '--seed' || word === '--remove'))
  process.exit(runCommandHere(['demo', ...process.argv.slice(2)]));

const isStaying = process.stdout.isTTY && !process.argv.includes('--exit');
const suffix = Date.now().toString(36);
const threads = ['approved', 'resumed', 'checkout', 'doubted'].map((name) => `demo-${name}-${suffix}`);
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
  const service = new AgentService(server);
  await service.start();
  await approvedRun(server, api, service, threads[0]);
  await resumedRun(server, api, service, threads[1]);
  await service.stop();
  await crashingRun(server, api, threads[2]);
  await doubtedRefund(server, api, threads[3]);
  await tellWhatToOpen(server, api);
}

function orInterrupted(work) {
  const end = interrupted.then(() => {
    throw new Error('Interrupted.');
  });
  return Promise.race([work, end]);
}

async function tellWhatToOpen({ url, secretFile, isOwn }, api) {
  chapter(isStaying || !isOwn ? '5. What to open next' : '5. What to open next, on a terminal, where the server stays');
  const token = secretFile ? `$(cat '${secretFile}')` : '$WAYSTATION_TOKEN';
  const [, , last] = threads;
  const settings = isOwn ? `WAYSTATION_HOME='${path.dirname(secretFile)}'` : `WAYSTATION_API_URL='${url}'`;
  const lines = [
    ['the page, signed in, once, for 10 minutes', await api.signedInLink()],
    ['the API, described and to try out', `${url}/docs`],
    ['the token for it', secretFile ? `cat '${secretFile}'` : 'echo $WAYSTATION_TOKEN'],
    ['first, in this folder', `export ${settings}`],
    ['all threads', 'npx waystation threads'],
    ['one of them, as people read it', `npx waystation show ${last}`],
    [
      'a step of it, and what changed since',
      `npx waystation show ${last} --step 2; npx waystation show ${last} --diff 2 5`,
    ],
    ['what was decided, by whom and why', 'npx waystation approvals --status all'],
    ['which calls changed the world, and how they ended', 'npx waystation effects --state all'],
    ['what happens from now on', 'npx waystation tail'],
    ['the same as JSON', curl(token, url + threadPath(last))],
    ['its checkpoints, with what each added', curl(token, `${url}${threadPath(last, '/checkpoints')}?history=new`)],
    ['the agents themselves', 'examples/agents/refund.mjs, examples/node-agent/agent.mjs'],
    ['the same in a container', 'npx waystation run examples/agents/agents.yaml'],
  ];
  for (const [what, where] of lines) console.log(`  ${what}\n    ${where}`);
  console.log('');
}

function curl(token, address) {
  return `curl -s -H "Authorization: Bearer ${token}" '${address}'`;
}
