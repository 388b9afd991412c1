import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import path from 'node:path';
import { runCommand } from '../../support/command.js';
import { describeWithContainers } from '../../support/containers/container-host.js';
import { FollowingCommand } from '../../support/following-command.js';
import { freePort } from '../../support/free-port.js';
import { useServer } from '../../support/test-server.js';
import { AgentFolder, TWO_PORTS } from './container-agents.js';

const server = useServer();
const ONE_PORT = { agents: { slow: { command: ['python3', 'slow.py'] } } };
const IMAGE = { ...ONE_PORT, image: 'waystation-nobody-has-this' };

/** None of these reaches an engine. */
describe('A container is not started', () => {
  let folder: AgentFolder;
  const waystation = (args: string[], env: Record<string, string> = {}) =>
    runCommand(server.storage, args, { WAYSTATION_API_URL: server.api.baseUrl, ...env });

  beforeAll(async () => {
    folder = await AgentFolder.make(server);
  });

  it('from a faulty file, whose faults are all told', async () => {
    const file = await folder.write('faulty.json', { agents: { a: {} }, triggers: [{ type: 'webhook' }] });
    const { code, stderr } = await waystation(['run', file]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/agents\.a\.command: .*\n.*triggers\[0\]\.endpoint: /);
  });

  it('without a variable that the file needs', async () => {
    const file = await folder.write('agents.json', TWO_PORTS);
    const { code, stderr } = await waystation(['run', file]);
    expect(code).toBe(2);
    expect(stderr).toContain('SHOP_GREETING');
  });

  it('with ports that do not fit', async () => {
    const file = await folder.write('agents.json', TWO_PORTS);
    const env = { SHOP_GREETING: 'hello' };
    expect((await waystation(['run', file, '--host-port', '0'], env)).code).toBe(2);
    expect((await waystation(['run', file, '--host-port', '9300'], env)).stderr).toContain('9100=9300');
    expect((await waystation(['run', file, '--host-port', '9101=9300'], env)).stderr).toContain('no port 9101');
  });

  it('where there is no engine', async () => {
    const file = await folder.write('one.json', ONE_PORT);
    const bin = path.join(server.storage.home, 'bin');
    await mkdir(bin);
    await symlink(process.execPath, path.join(bin, 'node'));
    const none = await waystation(['run', file], { PATH: bin });
    expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining('neither docker nor podman') });
    const named = await waystation(['run', file, '--engine', 'podman'], { PATH: bin });
    expect(named).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no podman') });
    expect((await waystation(['run', file, '--engine', 'rkt'])).code).toBe(2);
  });
});

/** Replaces an engine: one container, whose agents finish only when they are killed. Following its log may show nothing. */
const engine = (isFollowed: boolean) => `#!/bin/sh
cd "$(dirname "$0")" && echo "$*" >> calls
case "$1" in
  ps) [ -e removed ] || echo some-id ;;
  container) cat inspected.json ;;
  stop) until [ -e killed ]; do sleep 0.05; done ;;
  kill) touch killed ;;
  rm) touch removed ;;
  logs) ${isFollowed ? '' : '[ "$2" = --follow ] && exec sleep 1000;'}
    echo '{"level":"info","runs":[{"agent":"slow","trace_id":"run-7"}],"limit_ms":30000,"msg":"waiting for runs to finish"}'
    exec sleep 1000 ;;
esac`;

describe('A container that is stopped', () => {
  it.each([
    ['says what it waits for', true],
    ['says it late where the engine follows no log', false],
  ])('%s, and is ended at a second Ctrl+C, which leaves no token', async (_what, isFollowed) => {
    const bin = path.join(server.storage.home, `fake-engine-${isFollowed}`);
    await mkdir(bin);
    await writeFile(path.join(bin, 'docker'), engine(isFollowed), { mode: 0o755 });
    const { id, token } = (await server.api.post('/v1/tokens', { scope: 'runner', name: 'container slow' })).json();
    const labels = { 'waystation.home': server.storage.home, 'waystation.file': '/a.json', 'waystation.token-id': id };
    const state = { Status: 'running', StartedAt: '2026-01-01T00:00:00Z' };
    const inspected = [{ Name: '/slow-agents', State: state, Config: { Labels: labels } }];
    await writeFile(path.join(bin, 'inspected.json'), JSON.stringify(inspected));
    const env = { PATH: `${bin}:${process.env.PATH}`, WAYSTATION_API_URL: server.api.baseUrl };
    const stop = FollowingCommand.start(server.storage, ['stop', 'slow-agents', '--engine', 'docker'], env);
    try {
      await stop.until('what it waits for', ({ stderr }) => stderr !== '');
      expect(stop.stderr).toBe('Waiting up to 30.0 s for slow run-7; press Ctrl+C twice to end it at once.\n');
      stop.kill('SIGINT');
      await stop.until('the warning', ({ stderr }) => stderr.includes('slow-agents is still stopping'));
      stop.kill('SIGINT');
      expect([await stop.end(), stop.stdout]).toEqual([{ code: 0, signal: null }, 'stopped  slow-agents\n']);
    } finally {
      stop.kill();
      await writeFile(path.join(bin, 'killed'), '');
    }
    const calls = (await readFile(path.join(bin, 'calls'), 'utf8')).split('\n');
    expect(calls.slice(-3)).toEqual(['kill slow-agents', 'rm --force slow-agents', '']);
    expect((await server.api.as(String(token)).post('/v1/runners/events', { events: [] })).status).toBe(401);
  });
});

describeWithContainers('With an engine, a container is not started', server, (host) => {
  let folder: AgentFolder;
  let taken: Server;
  let takenPort: number;

  beforeAll(async () => {
    // Other users share the engine with these tests.
    folder = await AgentFolder.make(server, 'never-started');
    takenPort = await freePort();
    taken = createServer().listen(takenPort, '127.0.0.1');
  });
  afterAll(() => void taken.close());

  const refused = async (definition: object, flags: string[], env?: Record<string, string>) => {
    const file = await folder.write('refused.json', definition);
    const { code, stderr } = await host.waystation(['run', file, ...flags], env);
    expect(code).toBe(1);
    expect((await host.waystation(['ps', '--json'])).stdout).toBe('');
    expect((await server.api.get('/v1/tokens')).json<{ items: unknown[] }>().items).toEqual([]);
    return stderr;
  };

  it('on a port that is taken', async () => {
    expect(await refused(ONE_PORT, ['--host-port', String(takenPort)])).toContain(`port ${takenPort} of 127.0.0.1`);
  });

  it('while the API is away', async () => {
    const port = String(await freePort());
    const stderr = await refused(ONE_PORT, ['--host-port', port], { WAYSTATION_API_URL: 'http://127.0.0.1:9' });
    expect(stderr).toContain('waystation serve');
  });

  it('from an image that is missing, or not built on ours', async () => {
    const flags = ['--host-port', String(await freePort())];
    expect(await refused(IMAGE, flags)).toContain(`There is no image ${IMAGE.image}`);
    expect(await refused({ ...ONE_PORT, image: host.baseImage }, flags)).toContain('not built on');
  });

  it('for good when the process in it ends: what it said is told, and nothing is left', async () => {
    const outside = await folder.write('../outside.json', ONE_PORT);
    const link = path.join(folder.folder, 'link.json');
    await symlink(outside, link);
    const { code, stderr } = await host.waystation(['run', link, '--host-port', String(await freePort())]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/The end of its log:[\s\S]*there is no such file/);
    expect((await host.waystation(['ps', '--json'])).stdout).toBe('');
    expect((await server.api.get('/v1/tokens')).json<{ items: unknown[] }>().items).toEqual([]);
    expect(host.engine('volume', 'ls', '--quiet').stdout).not.toContain('waystation-never-started');
    expect(await readdir(path.join(server.storage.home, 'containers'))).toEqual([]);
  });
});
