import type { EffectLeasesService } from './effect-leases.service.js';
import type { Effect } from './effect.entity.js';
import { agentEffectJson, AgentEffectsService } from './agent-effects.service.js';
import type { EffectsRepository } from './effects.repository.js';

const MIB = 1024 * 1024;

/** A service over these effects, oldest first; each has a result of this size. */
function serviceOver(effects: readonly Effect[], bytes: number): AgentEffectsService {
  const newestFirst = [...effects].reverse();
  const repository: Pick<EffectsRepository, 'outlinesOf' | 'openOutlinesBefore' | 'textsOf'> = {
    outlinesOf: (_pk, _agent, limit) => Promise.resolve(newestFirst.slice(0, limit)),
    openOutlinesBefore: ({ seq }) =>
      Promise.resolve(newestFirst.filter((effect) => effect.seq < seq && effect.state === 'started')),
    textsOf: (_pk, _agent, keys) =>
      Promise.resolve(keys.map((key) => ({ key, args: '{}', result: `"${'x'.repeat(bytes)}"`, error: null }))),
  };
  const leases: Pick<EffectLeasesService, 'doubtsOf'> = {
    doubtsOf: (rows) => Promise.resolve(rows.map(({ state }) => ({ isInDoubt: state === 'started', dueMs: null }))),
  };
  const clock = { nowMs: () => 0 };
  return new AgentEffectsService(repository as EffectsRepository, leases as EffectLeasesService, clock);
}

function effectsOf(count: number, openAt: number): Effect[] {
  return Array.from({ length: count }, (_, seq) => {
    const state = seq === openAt ? 'started' : 'completed';
    const times = { started_at: 0, settled_at: null };
    return {
      thread_pk: 1,
      agent: 'a',
      key: `k${seq}`,
      seq,
      rev: seq,
      state,
      ...times,
      args: null,
      result: null,
    } as Effect;
  });
}

describe('The effects of an agent', () => {
  it('have all that are not settled, however many newer ones there are', async () => {
    const { effects, isComplete } = await serviceOver(effectsOf(5_010, 3), 0).outlinesOf(1, 'a', null);
    expect([effects.length, isComplete]).toEqual([5_001, false]);
    expect(effects[0]).toMatchObject({ key: 'k3', in_doubt: true });
    expect((await serviceOver(effectsOf(10, 3), 0).outlinesOf(1, 'a', null)).isComplete).toBe(true);
  });

  it('stay there without their texts where those are too long together, those that are not settled the last', async () => {
    const service = serviceOver(effectsOf(100, 0), MIB);
    const { effects } = await service.outlinesOf(1, 'a', null);
    const told = await service.withTexts(effects);
    expect(told).toHaveLength(100);
    const isWhole = ({ areTextsLeftOut = false }) => !areTextsLeftOut;
    expect(told.filter(isWhole).map(({ seq }) => seq)).toEqual([0, ...Array.from({ length: 39 }, (_, i) => 61 + i)]);
    expect(JSON.parse(agentEffectJson(told[1]!))).toMatchObject({
      state: 'completed',
      result_omitted: true,
      result: null,
    });
  });
});
