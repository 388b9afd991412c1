import { jsonMembers, type JsonMember } from './json-members.js';

async function read(text: string, size: number, lists: string[] = []): Promise<JsonMember[]> {
  const bytes = Buffer.from(text);
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  const members: JsonMember[] = [];
  for await (const member of jsonMembers(chunks(), lists)) members.push(member);
  return members;
}

describe('An object of JSON that arrives in parts', () => {
  const text = `{ "a": 12345678901234567890, "b\\"{": "x,]}\\\\", "é": {"c": [1, {"d": ":"}]},
    "list": [ {"n": 1, "m": [2, 3]}, "two,", [], 4 ], "empty": [], "last": null }`;

  it.each([1, 2, 7, 1000])(
    'gives its members and the elements of its lists, exactly, %i bytes at a time',
    async (size) => {
      expect(await read(text, size, ['list', 'empty', 'é'])).toEqual([
        { name: 'a', text: '12345678901234567890' },
        { name: 'b"{', text: '"x,]}\\\\"' },
        { name: 'é', text: '{"c": [1, {"d": ":"}]}' },
        { name: 'list', text: '{"n": 1, "m": [2, 3]}' },
        { name: 'list', text: '"two,"' },
        { name: 'list', text: '[]' },
        { name: 'list', text: '4' },
        { name: 'last', text: 'null' },
      ]);
    },
  );

  it('gives a list that is not asked for as one', async () => {
    expect(await read('{"list":[1,[2]]}', 3)).toEqual([{ name: 'list', text: '[1,[2]]' }]);
  });

  it('may be empty', async () => {
    expect(await read('{}', 1)).toEqual([]);
  });
});
