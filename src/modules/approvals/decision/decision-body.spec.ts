import { DomainError } from '../../../common/domain-error.js';
import { readDecision } from './decision-body.js';

const read = (text: string) => readDecision(Buffer.from(text), 'approve');

function faultPaths(text: string): string[] {
  try {
    read(text);
  } catch (error) {
    if (error instanceof DomainError) return error.errors.map(({ path }) => path);
    throw error;
  }
  throw new Error(`accepted: ${text}`);
}

describe('The body of a decision', () => {
  it('may be missing, empty or all null', () => {
    const nothing = { verb: 'approve', reason: null, decidedBy: null, digest: null, decisions: [] };
    expect(read('')).toEqual(nothing);
    expect(read('{}')).toEqual(nothing);
    expect(read('{"reason":null,"decided_by":null,"digest":null,"decisions":null}')).toEqual(nothing);
    expect(read('\ufeff{"decisions":[]}')).toEqual(nothing);
  });

  it('is taken over with its words', () => {
    const decisions = '[{"index":1,"decision":"reject","reason":"no"},{"index":0,"decision":"approve"}]';
    expect(read(`{"reason":"ok","decided_by":"ada","digest":"d","decisions":${decisions}}`)).toEqual({
      verb: 'approve',
      reason: 'ok',
      decidedBy: 'ada',
      digest: 'd',
      decisions: [
        { index: 1, decision: 'reject', args: null, reason: 'no' },
        { index: 0, decision: 'approve', args: null, reason: null },
      ],
    });
  });

  it('keeps edited arguments exact, wherever they stand', () => {
    const args = '{ "cents": 12345678901234567890123, "b": [1.0, "\\u00e9"], "decisions": [{"args": 1}] }';
    const text = `{"decisions" : [{"args":${args},"index":0,"decision":"approve"},{"index":1,"decision":"approve","args":7}],"reason":"x"}`;
    expect(read(text).decisions.map((one) => one.args)).toEqual([args, '7']);
    expect(read(`\ufeff${text}`).decisions[0]!.args).toBe(args);
    expect(read('{"decisions":[{"index":0,"decision":"approve","args":null}]}').decisions[0]!.args).toBeNull();
  });

  it.each([
    ['[]', ['body']],
    ['null', ['body']],
    ['"approve"', ['body']],
    ['7', ['body']],
    ['{"reson":"x"}', ['reson']],
    ['{"reason":7}', ['reason']],
    ['{"reason":["x"],"decided_by":true,"digest":{}}', ['reason', 'decided_by', 'digest']],
    [`{"reason":"${'x'.repeat(4001)}"}`, ['reason']],
    ['{"reason":"a\\u0000b"}', ['reason']],
    ['{"decided_by":"\\ud800"}', ['decided_by']],
    ['{"decisions":{}}', ['decisions']],
    ['{"decisions":"all"}', ['decisions']],
    ['{"decisions":[null]}', ['decisions[0]']],
    ['{"decisions":["approve"]}', ['decisions[0]']],
    ['{"decisions":[{}]}', ['decisions[0].index', 'decisions[0].decision']],
    ['{"decisions":[{"index":"0","decision":"approve"}]}', ['decisions[0].index']],
    ['{"decisions":[{"index":-1,"decision":"approve"}]}', ['decisions[0].index']],
    ['{"decisions":[{"index":0.5,"decision":"approve"}]}', ['decisions[0].index']],
    ['{"decisions":[{"index":0,"decision":"approved"}]}', ['decisions[0].decision']],
    ['{"decisions":[{"index":0,"decision":"approve","edit":1}]}', ['decisions[0].edit']],
    ['{"decisions":[{"index":0,"decision":"approve","reason":1}]}', ['decisions[0].reason']],
  ])('is refused with every fault named: %s', (text, paths) => {
    expect(faultPaths(text)).toEqual(paths);
  });

  it.each(['{', '{"reason":}', 'approve', '{"reason":"x"}{}', '{"decisions":[{"index":0,]}'])(
    'is refused when it is no JSON: %s',
    (text) => {
      expect(() => read(text)).toThrow(DomainError);
    },
  );
});
