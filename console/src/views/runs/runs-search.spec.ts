import { isFiltered, listQuery, runsSearch, streamPath, withoutFilters } from './runs-search.js';

const NOW = Date.parse('2026-11-20T12:00:00Z');

describe('The address of the runs', () => {
  it('keeps what it understands', () => {
    const search = { q: 'refund', status: 'error,budget_exceeded', agent: 'desk', model: 'small-4', span: '24h' };
    expect(runsSearch({ ...search, sort: 'total_cost_usd', order: 'asc' })).toEqual({
      ...search,
      sort: 'total_cost_usd',
      order: 'asc',
    });
  });

  it('counts what it does not understand as not said', () => {
    const search = {
      q: ' ',
      status: ',,',
      agent: [],
      model: {},
      span: '3h',
      since: 'yesterday',
      sort: 'id',
      order: 'up',
    };
    expect(runsSearch(search)).toEqual({});
  });

  it('reads numbers as texts, defaults as absent and each status once', () => {
    expect(runsSearch({ q: 4711, sort: 'updated_at', status: 'idle, idle,error' })).toEqual({
      q: '4711',
      status: 'idle,error',
    });
  });

  it('takes either a span or two times', () => {
    expect(runsSearch({ span: '1h', since: '2026-11-01', until: '2026-11-02' })).toEqual({ span: '1h' });
    expect(runsSearch({ since: '2026-11-01' })).toEqual({ since: '2026-11-01' });
  });

  it('asks the list for the time before now that a span means', () => {
    expect(listQuery({ span: '24h', status: 'idle,error', agent: 'desk' }, NOW)).toEqual({
      status: ['idle', 'error'],
      agent_id: 'desk',
      since: '2026-11-19T12:00:00.000Z',
    });
  });

  it('follows the same threads without times and order', () => {
    expect(streamPath({ status: 'idle,error', q: 'a&b', span: '1h', sort: 'started_at' })).toBe(
      '/v1/threads/stream?q=a%26b&status=idle&status=error',
    );
    expect(streamPath({})).toBe('/v1/threads/stream');
  });

  it('is filtered by what leaves threads out, not by the order', () => {
    expect([isFiltered({ sort: 'started_at', order: 'asc' }), isFiltered({ until: '2026-11-02' })]).toEqual([
      false,
      true,
    ]);
    expect(withoutFilters({ q: 'a', status: 'idle', sort: 'started_at' })).toEqual({ sort: 'started_at' });
  });
});
