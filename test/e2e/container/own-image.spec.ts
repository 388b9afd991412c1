import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { endOf } from '../../support/agent-runner.js';
import { ApiClient } from '../../support/api-client.js';
import { describeWithContainers } from '../../support/containers/container-host.js';
import { freePort } from '../../support/free-port.js';
import { latestOf } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';
import { AgentFolder } from './container-agents.js';

const server = useServer();
/** As a user builds it: with an addition, and forgetting to restore the user. */
const OWN_DOCKERFILE = `FROM localhost/waystation-agent:latest
USER root
RUN echo 'more than ours' > /more
`;

describeWithContainers('An image of the user', server, (host) => {
  const image = 'localhost/waystation-test-own:latest';
  let file: string;

  afterAll(async () => {
    await host.waystation(['stop', file, '--remove-state']);
    host.engine('rmi', '--force', image);
  });

  it('that is built on ours is started, and its programs are not root', async () => {
    const folder = await AgentFolder.make(server);
    await writeFile(path.join(folder.folder, 'Dockerfile'), OWN_DOCKERFILE);
    expect((await host.waystation(['image'])).stdout).toBe('localhost/waystation-agent:latest\n');
    const layers = host.name === 'podman' ? ['--layers=false', '--format', 'docker'] : [];
    const built = host.engine(
      'build',
      ...layers,
      '--tag',
      image,
      '--file',
      path.join(folder.folder, 'Dockerfile'),
      folder.folder,
    );
    expect(built).toMatchObject({ code: 0 });
    const show = "console.log(process.getuid(), require('fs').readFileSync('/more', 'utf8').trim())";
    const agents = { show: { command: ['node', '-e', show] } };
    file = await folder.write('own.json', { image, agents, triggers: [{ type: 'webhook', endpoint: '/show' }] });
    const port = await freePort();
    expect(await host.waystation(['run', file, '--host-port', String(port)])).toMatchObject({ code: 0 });
    const client = new ApiClient(`http://127.0.0.1:${port}`, '');
    await client.post('/show', { message: 'hello', thread_id: 'own-image' });
    client.close();
    await endOf(server.api, 'own-image');
    const { history } = await latestOf(server.api, 'own-image');
    expect(history.at(-1)?.content).toBe('10001 more than ours');
  });
});
