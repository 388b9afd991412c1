import fc from 'fast-check';
import { fill, parsePlace, parseTemplate, valueAt, type Delivery, type Place, type Template } from './template.js';

const HEADERS = new Map([['x-event', 'issues']]);

function delivery(json: string): Delivery {
  return { payload: Buffer.from(json), header: (name) => HEADERS.get(name) };
}

function filled(template: string, json: string) {
  return fill(parseTemplate(template) as Template, delivery(json));
}

/** RFC 6901, section 4, on parsed JSON; undefined if there is no value. */
function reference(value: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((at, step) => {
      if (Array.isArray(at)) return /^(0|[1-9]\d*)$/.test(step) ? at[Number(step)] : undefined;
      const isObject = typeof at === 'object' && at !== null;
      return isObject && Object.hasOwn(at, step) ? (at as Record<string, unknown>)[step] : undefined;
    }, value);
}

describe('A template', () => {
  it.each([
    ['Issue {/issue/number}: {/issue/title}', 'Issue 7: It "breaks"\n'],
    ['{header:X-Event} {header:x-event} {header:X-Other}.', 'issues issues .'],
    ['{/issue/labels/1/name}{/issue/labels/2}', 'two'],
    ['{/issue/none}{/issue/nothing/deeper}{/nothing}', ''],
    ['{/issue/big} {/issue/yes} {/issue/price}', '9007199254740993 true 1.50'],
    ['{/issue/labels}', '[{"name":"one"}, {"name":"two"}]'],
    ['{/a~1b}{/m~0n}{/}{/ }', 'slashtildeemptyblank'],
    ['{{/issue/title} {} { } {issue} {/a', '{/issue/title} {} { } {issue} {/a'],
    ['no values', 'no values'],
  ])('takes values into %s', (template, text) => {
    const issue =
      '{"number":7,"title":"It \\"breaks\\"\\n","none":null,"big":9007199254740993,"yes":true,"price":1.50,"labels":[{"name":"one"}, {"name":"two"}]}';
    const json = ` {"issue": ${issue}, "a/b":"slash","m~n":"tilde","":"empty"," ":"blank"}`;
    expect(filled(template, json).text).toBe(text);
  });

  it('tells whether a value was missing, null or empty', () => {
    const isWhole = (template: string) => filled(template, '{"a":1,"b":null,"c":""}').isWhole;
    expect(['{/a}', 'x', '{/a}{/b}', '{/c}', '{/d}', '{header:X-Other}'].map(isWhole)).toEqual([
      ...[true, true],
      ...[false, false, false, false],
    ]);
  });

  it('cuts a value at 20,000 characters and the whole at 100,000, never within a character', () => {
    const json = JSON.stringify({ a: `${'x'.repeat(19_999)}😀`, b: 'y'.repeat(30_000) });
    expect(filled('{/a}', json).text).toBe('x'.repeat(19_999));
    expect(filled('{/b}{/b}{/b}{/b}{/b}{/b}', json).text).toHaveLength(100_000);
  });

  it.each(['{/a~}', '{/a~2}', '{header:}', '{header:a b}'])('with %s has a fault', (template) => {
    expect(parseTemplate(template)).toEqual({ fault: expect.any(String) });
  });

  it('never keeps half of a surrogate pair', () => {
    expect(filled('{/a}', '{"a":"\\ud800"}').text).toBe('\ufffd');
  });
});

describe('A JSON Pointer', () => {
  const names = fc.constantFrom('a', 'b', '', ' ', '/', '~', '0', '1', '01', '-', 'ü', '__proto__', 'a"b');
  const { json } = fc.letrec<{ json: unknown }>((tie) => ({
    json: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom(null, true, 0, -1.5, 'text', 'é\n', ''),
      fc.array(tie('json'), { maxLength: 4 }),
      fc.dictionary(names, tie('json'), { maxKeys: 5, noNullPrototype: true }),
    ),
  }));

  it('finds what a reference finds', () => {
    fc.assert(
      fc.property(json, fc.array(names, { minLength: 1, maxLength: 4 }), (value, steps) => {
        const pointer = steps.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
        const found = valueAt(parsePlace(pointer) as Place, delivery(JSON.stringify(value)));
        const expected = reference(JSON.parse(JSON.stringify(value)), pointer) ?? null;
        const asText = typeof expected === 'string' || expected === null ? expected : JSON.stringify(expected);
        expect(found).toBe(asText);
      }),
      { numRuns: 500 },
    );
  });

  it('takes the last of members with one name, as JSON.parse does', () => {
    const json = '{"a":1,"a":{"b":2},"\\u0061":{"b":3}}';
    expect(valueAt(parsePlace('/a/b') as Place, delivery(json))).toBe('3');
  });
});
