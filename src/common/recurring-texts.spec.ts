import { JsonScanner } from './json-scanner.js';
import { recurringText } from './recurring-texts.js';

function namesIn(text: string): string[] {
  const names: string[] = [];
  const scanner = new JsonScanner(Buffer.from(text));
  scanner.members((name) => {
    names.push(name);
    scanner.value();
  });
  return names;
}

describe('Names that are read from bytes', () => {
  it('are right, however many there are and whichever came before', () => {
    const names = Array.from({ length: 5000 }, (_, i) => `name_${i * 7919}`);
    const text = JSON.stringify(Object.fromEntries(names.map((name) => [name, 1])));
    expect(namesIn(text)).toEqual(names);
    expect(namesIn(text)).toEqual(names);
  });

  it.each(['""', '"ä"', '"a\\u0062"', '"\\""', `"${'x'.repeat(200)}"`, '"\u007f"', '"__proto__"'])(
    'may be %s',
    (name) => {
      expect(namesIn(`{${name}:1,"z":2}`)).toEqual([JSON.parse(name), 'z']);
    },
  );

  it('end within the text', () => {
    expect(recurringText(Buffer.from('"abc'), 1)).toBeNull();
  });
});
