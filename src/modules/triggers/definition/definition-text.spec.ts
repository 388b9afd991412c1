import { parseDefinition } from './definition-reader.js';
import type { Definition } from './definition.js';

function read(text: string): Definition {
  return parseDefinition('/srv/support/agents.yaml', text, { variables: {}, defaultPort: 9100 });
}

describe('What stands in a definition file', () => {
  it('merges what stands under <<, whose own keys count before: limits of a shared map are limits of each agent', () => {
    const { agents } = read(`
limits: &limits { timeout_seconds: 60, budget_usd: 0.5, env: { A: 1.10 } }
more: &more { concurrency: 1, budget_usd: 9 }
agents:
  one: { <<: *limits, command: [x] }
  two: { command: [x], budget_usd: 2, <<: [*limits, *more] }
  three: { <<: { <<: *more, queue_limit: 0 }, command: [x], "<<": { budget_usd: 7 } }
  four: { command: [x], env: { <<: { B: 007 }, A: no } }
`);
    expect(
      agents.map(({ timeoutSeconds, budgetUsd, concurrency }) => [timeoutSeconds, budgetUsd, concurrency]),
    ).toEqual([
      [60, 0.5, 4],
      [60, 2, 1],
      [3600, 9, 1],
      [3600, null, 4],
    ]);
    expect(agents.map(({ env }) => env)).toEqual([{ A: '1.10' }, { A: '1.10' }, {}, { B: '007', A: 'no' }]);
  });

  it('may share settings among hundreds of agents', () => {
    const agents = Array.from({ length: 500 }, (_, i) => `  a${i}: { <<: *base }`).join('\n');
    expect(read(`base: &base { command: [x], budget_usd: 3 }\nagents:\n${agents}`).agents).toHaveLength(500);
  });

  it.each([
    ...['1.10', '007', '1e3', '0x1F', '0o17', '1_000', '12345678901234567890', '-0', '+1', '.5', '1.', '.inf', '.NaN'],
    ...['true', 'True', 'FALSE', 'yes', 'on', 'NO', 'y', '2026-11-26', '2026-11-26 10:00:00', '1:30', '12e03', '0b1'],
  ])('gives a program the value %s as it is written', (written) => {
    for (const head of ['', '%YAML 1.1\n---\n']) {
      const file = `${head}agents: { a: { command: [x], env: { PLAIN: ${written}, ONE: &one ${written}, TWO: *one, QUOTED: "${written}" } } }`;
      const [agent] = read(file).agents;
      expect(agent!.env).toEqual({ PLAIN: written, ONE: written, TWO: written, QUOTED: written });
    }
  });

  it('gives a program the numbers of a JSON file as they are written', () => {
    const env = '{"A": 1.10, "B": 12345678901234567890, "C": 1E5, "D": true, "E": "007", "F": "null", "G": ""}';
    const [agent] = read(`{"agents": {"a": {"command": ["x"], "env": ${env}}}}`).agents;
    expect(agent!.env).toEqual({
      A: '1.10',
      B: '12345678901234567890',
      C: '1E5',
      D: 'true',
      E: '007',
      F: 'null',
      G: '',
    });
  });

  it('takes names that look like numbers as they are written', () => {
    const { agents } = read(
      'base: &b { 1.10: { command: [x] } }\nagents: { <<: *b, 1.10: { command: [y] }, 007: { command: [z] } }',
    );
    expect(agents.map(({ name, command }) => [name, command[0]])).toEqual([
      ['1.10', 'y'],
      ['007', 'z'],
    ]);
  });

  it('may have line ends of Windows', () => {
    const text =
      'agents:\r\n  a:\r\n    command: [x]\r\n    env:\r\n      A: 1.10\r\n      B: |\r\n        two\r\n        lines\r\n';
    expect(read(text).agents[0]!.env).toEqual({ A: '1.10', B: 'two\nlines\n' });
  });
});
