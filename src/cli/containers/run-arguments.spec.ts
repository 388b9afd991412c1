import { AgentConfig } from '../../config/agent.config.js';
import { parseDefinition } from '../../modules/triggers/definition/definition-reader.js';
import { runArguments, type ContainerPlan } from './run-arguments.js';

const definition = parseDefinition(
  '/home/kim/shop/agents.yaml',
  '{"agents": {"a": {"command": ["node"], "env": {"KEY": "${KEY}"}}}}',
  { variables: { KEY: 'a secret value' }, defaultPort: 9100 },
);
const config = Object.assign(new AgentConfig(), { token: 'a secret token', variables: { KEY: 'a secret value' } });

const plan: ContainerPlan = {
  config,
  target: { definition, variables: ['KEY'], ports: [9100], mainPort: 9100, containerName: 'waystation-shop-1' },
  image: 'some-image',
  ports: [{ container: 9100, host: 9300 }],
  route: {
    url: 'http://127.0.0.1:8000',
    forward: 'unix:/run/waystation-api/api.sock',
    socketFolder: '/home/kim/.waystation/run',
  },
  tokenId: 'id-1',
  secretMount: '/home/kim/.waystation/containers/waystation-shop-1-x',
};

/** Values of a flag. */
function valuesOf(flag: string, of: ContainerPlan = plan): string[] {
  const args = runArguments(of);
  return args.filter((_, at) => args[at - 1] === flag);
}

describe('The arguments that start a container', () => {
  it('have no secret among them: variables are named, the token is in a file', () => {
    expect(runArguments(plan).join(' ')).not.toContain('secret value');
    expect(runArguments(plan).join(' ')).not.toContain('secret token');
    expect(valuesOf('--env')).toContain('KEY');
    expect(valuesOf('--env')).toContain('WAYSTATION_TOKEN_FILE=/run/waystation-secrets/token');
  });

  it('publish on the loopback address and tell the agents so', () => {
    expect(valuesOf('--publish')).toEqual(['127.0.0.1:9300:9100/tcp']);
    expect(valuesOf('--env')).toContain('WAYSTATION_AGENT_URL=http://127.0.0.1:9300');
  });

  it('say under which addresses people outside know what is in the log', () => {
    expect(valuesOf('--env')).toContain('WAYSTATION_OUTSIDE_PORTS=9100=9300');
    expect(valuesOf('--env')).toContain('WAYSTATION_OUTSIDE_API_URL=http://127.0.0.1:8000');
  });

  it('mount everything but the state read-only', () => {
    const mounts = valuesOf('--mount');
    expect(mounts.filter((mount) => mount.startsWith('type=bind')).every((mount) => mount.endsWith(',readonly'))).toBe(
      true,
    );
    expect(mounts).toContain('type=bind,source=/home/kim/shop,target=/agent,readonly');
    expect(mounts).toContain('type=volume,source=waystation-shop-1-state,target=/var/lib/waystation');
  });

  it('give the agents as long to finish as the process takes at most', () => {
    const patient = { ...plan, config: Object.assign(new AgentConfig(), { shutdownTimeoutMs: 60_000 }) };
    expect(valuesOf('--stop-timeout')).toEqual(['30']);
    expect(valuesOf('--stop-timeout', patient)).toEqual(['80']);
  });

  it('mount no socket where the API is elsewhere', () => {
    const route = { url: 'https://waystation.example', forward: null, socketFolder: null };
    expect(valuesOf('--mount', { ...plan, route }).join(' ')).not.toContain('waystation-api');
    expect(valuesOf('--env', { ...plan, route })).toContain('WAYSTATION_API_URL=https://waystation.example');
  });
});
