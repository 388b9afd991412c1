import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describeWithContainers } from '../../support/containers/container-host.js';
import { fencedBlocks } from '../../support/documents/fenced-blocks.js';
import { freePort } from '../../support/free-port.js';
import { canOpenTerminals, PseudoTerminal } from '../../support/pseudo-terminal.js';
import { useServer } from '../../support/test-server.js';

const PROJECT = path.resolve(import.meta.dirname, '../../..');
const CTRL_C = '\u0003';
const execute = promisify(execFile);
/** Replaces Node's image and contains the program: test/e2e/packed-program.spec.ts installs the packed file. */
const DOCKERFILE = `FROM localhost/waystation-agent:latest
USER root
ENV HOME=/root WAYSTATION_HOME="" WAYSTATION_STATE_DIR="" WAYSTATION_AGENT_HOST="" WAYSTATION_AGENT_PORT=""
RUN mkdir -p -m 700 /root && ln -s /bin/env /usr/bin/env && echo '#!/bin/sh' > /usr/local/bin/npm && chmod 755 /usr/local/bin/npm
HEALTHCHECK NONE
WORKDIR /
ENTRYPOINT []
`;

const server = useServer();

describeWithContainers('The start with docker that README shows', server, (host) => {
  const name = `waystation-readme-${process.pid}`;
  const image = `localhost/${name}:latest`;
  const terminals: PseudoTerminal[] = [];
  let folder: string;
  let port: number;
  /** The two commands, with this test's names and port. */
  let start: string;
  let inOtherTerminals: string;

  beforeAll(async () => {
    folder = path.join(server.storage.home, 'readme');
    await mkdir(folder);
    await cp(path.join(PROJECT, 'examples/agents'), path.join(folder, 'agents'), { recursive: true });
    await writeFile(path.join(folder, 'Dockerfile'), DOCKERFILE);
    expect((await host.waystation(['image'])).code).toBe(0);
    const layers = host.name === 'podman' ? ['--layers=false', '--format', 'docker'] : [];
    expect(host.engine('build', ...layers, '--tag', image, folder)).toMatchObject({ code: 0 });
    port = await freePort();
    [start, inOtherTerminals] = await commandsOfReadme();
  });
  afterAll(() => {
    for (const terminal of terminals) terminal.kill();
    host.engine('rm', '--force', name);
    host.engine('volume', 'rm', '--force', name);
    host.engine('rmi', '--force', image);
  });

  async function commandsOfReadme(): Promise<[string, string]> {
    const blocks = fencedBlocks(await readFile(path.join(PROJECT, 'README.md'), 'utf8'));
    let text = blocks.find((block) => block.text.startsWith('docker run '))!.text;
    for (const [shown, here] of [
      ['docker ', `${host.name} `],
      ['--name waystation ', `--name ${name} `],
      ['127.0.0.1:8000:', `127.0.0.1:${port}:`],
      ['-v waystation:', `-v ${name}:`],
      ['node:22', `--pull never ${image}`],
      ['WAYSTATION_TOKEN waystation ', `WAYSTATION_TOKEN ${name} `],
    ] as const) {
      expect(text).toContain(shown);
      text = text.replaceAll(shown, here);
    }
    const [first, others] = text.split('# In other terminals:\n');
    return [first!, others!];
  }

  function onTerminal(command: string): PseudoTerminal {
    const terminal = PseudoTerminal.shell(command, { cwd: folder });
    terminals.push(terminal);
    return terminal;
  }

  const inScript = (command: string) => execute('sh', ['-c', `${inOtherTerminals}\n${command}`], { cwd: folder });

  it('leads to the page, to every command, and to an agent that Ctrl+C ends', async () => {
    if (!canOpenTerminals()) return;
    const first = onTerminal(start);
    await first.until(/\n {2}console {3}http:\/\/127\.0\.0\.1:8000\/console\/#code=/);
    expect(first.text).not.toContain('other users');
    const url = `http://127.0.0.1:${port}`;
    expect((await fetch(`${url}/console/`)).status).toBe(200);
    const { stdout } = await inScript('waystation secret');
    const list = await fetch(`${url}/threads`, { headers: { authorization: `Bearer ${stdout.trimEnd()}` } });
    expect(list.status).toBe(200);
    const link = await inScript('waystation open');
    expect(link.stdout).toMatch(/^http:\/\/127\.0\.0\.1:8000\/console\/#code=\S+\n$/);
    expect(link.stderr).not.toContain('ssh');

    const token = 'WAYSTATION_TOKEN=$(waystation token create --scope runner --agent refund research)';
    const agents = onTerminal(`${inOtherTerminals}\n${token} waystation agent /w/agents/agents.yaml`);
    await agents.until(/\n {2}reports {3}to http:\/\/127\.0\.0\.1:8000\n/);
    const invoked = await inScript('waystation invoke refund "My parcel never came." --thread parcel-16 --wait; true');
    expect(invoked.stdout + invoked.stderr).toContain('waits for a person to decide on refund');
    agents.type(CTRL_C);
    expect([await agents.end(), agents.text]).toEqual([0, expect.stringContaining('shut down')]);
    first.type(CTRL_C);
    expect([await first.end(), first.text]).toEqual([0, expect.stringContaining('shut down')]);
  });
});
