import { decideDue, type CatchUpRule } from './due-instants.js';

const NOW = Date.parse('2026-11-20T12:00:30Z');
const at = (time: string) => Date.parse(`2026-11-20T${time}Z`);

function fates(times: string[], rule: Partial<CatchUpRule>): string[] {
  const decisions = decideDue(times.map(at), NOW, { catchUp: 'none', maxAgeSeconds: null, ...rule });
  return decisions.map(({ state, reason }) => reason ?? state);
}

describe('What has become due', () => {
  it('is fired when it is on time, and for as long as its minute lasts', () => {
    for (const catchUp of ['none', 'last', 'all'] as const)
      expect(fates(['12:00:00'], { catchUp })).toEqual(['waiting']);
    expect(fates(['11:59:31'], {})).toEqual(['waiting']);
    expect(fates(['11:59:30'], {})).toEqual(['downtime']);
  });

  it('is missed when it is late and nothing is made up for', () => {
    expect(fates(['10:00:00', '11:00:00', '12:00:00'], {})).toEqual(['downtime', 'downtime', 'waiting']);
  });

  it('is made up for once with "last": the newest stands for all', () => {
    expect(fates(['10:00:00', '11:00:00'], { catchUp: 'last' })).toEqual(['downtime', 'waiting']);
    expect(fates(['10:00:00', '12:00:00'], { catchUp: 'last' })).toEqual(['downtime', 'waiting']);
  });

  it('is made up for completely with "all"', () => {
    expect(fates(['10:00:00', '11:00:00', '12:00:00'], { catchUp: 'all' })).toEqual(['waiting', 'waiting', 'waiting']);
  });

  it('is not made up for once it is older than max_age', () => {
    const rule = { catchUp: 'all', maxAgeSeconds: 3600 } as const;
    expect(fates(['11:00:00', '11:00:30', '11:30:00'], rule)).toEqual(['too_old', 'waiting', 'waiting']);
    expect(fates(['09:00:00'], { catchUp: 'last', maxAgeSeconds: 3600 })).toEqual(['too_old']);
  });
});
