import { inputLine, programEnv } from './program-input.js';
import { inheritedVariables } from '../run-settings.js';

const ids = { thread_id: 't', trace_id: 'r', agent_id: 'support' };
const api = { url: 'http://127.0.0.1:8000', token: 'wst_x', runFolder: '/state/runs/1' };

describe('What a program is given', () => {
  it('is one line, with the checkpoint exactly as the API told it', () => {
    const checkpoint = '{\n"n":12345678901234567890}';
    const briefing = { ids, message: 'two\nlines', context: '{"a":1}', isResumed: true, checkpoint };
    const line = inputLine(briefing);
    expect(line).not.toContain('\n');
    expect(line).toContain('"n":12345678901234567890');
    expect(JSON.parse(line)).toMatchObject({ ...ids, message: 'two\nlines', context: { a: 1 }, resumed: true });
  });

  it('has null where there is nothing', () => {
    const line = inputLine({ ids, message: 'm', context: null, isResumed: false, checkpoint: null });
    expect(JSON.parse(line)).toEqual({ ...ids, message: 'm', context: null, resumed: false, checkpoint: null });
  });

  it('never includes a token that is not its own', () => {
    const inherited = { WAYSTATION_TOKEN: 'the machine secret', PATH: '/bin' };
    expect(programEnv({ ids, message: 'm' }, inherited, { ...api, token: null })).not.toHaveProperty(
      'WAYSTATION_TOKEN',
    );
    expect(programEnv({ ids, message: 'm' }, inherited, api).WAYSTATION_TOKEN).toBe('wst_x');
  });

  it.each(['x'.repeat(70_000), 'a\0b'])(
    'leaves a message out of the environment that does not fit there',
    (message) => {
      expect(programEnv({ ids, message }, {}, api)).not.toHaveProperty('WAYSTATION_MESSAGE');
    },
  );

  it('lets Python print at once, unless the file says otherwise', () => {
    expect(programEnv({ ids, message: 'm' }, {}, api).PYTHONUNBUFFERED).toBe('1');
    expect(programEnv({ ids, message: 'm' }, { PYTHONUNBUFFERED: '' }, api).PYTHONUNBUFFERED).toBe('');
  });

  it('has only the harmless part of the environment', () => {
    const variables = { PATH: '/bin', HOME: '/h', LC_ALL: 'C', OPENAI_API_KEY: 'secret', WAYSTATION_TOKEN: 'secret' };
    expect(inheritedVariables(variables)).toEqual({ PATH: '/bin', HOME: '/h', LC_ALL: 'C' });
  });
});
