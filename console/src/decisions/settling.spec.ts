import type { InboxItem } from './inbox.js';
import { changeOf, isUnsure } from './settling.js';

const item = (key: string, isClosed = false): InboxItem => ({ key, outcome: isClosed ? 'gone' : null }) as InboxItem;
const sight = (names: string, selected = names[0], choices = 0) => ({
  items: [...names].map((name) => item(name.toLowerCase(), name !== name.toLowerCase())),
  selected: selected?.toLowerCase(),
  choices,
});

describe('What changes under a person who decides', () => {
  // A capital letter is a closed item.
  it.each([
    ['nothing', sight('abc'), sight('abc'), '', ''],
    ['a new item at the end', sight('ab'), sight('abc'), 'c', 'c'],
    ['an item that was closed: those below it moved up', sight('abc', 'a'), sight('aBc', 'a'), '', 'bc'],
    ['other calls in the place of an item', sight('abc'), sight('xbc', 'x'), 'xbc', 'xbc'],
    ['another selected item', sight('ab'), sight('ab', 'b'), 'ab', ''],
    ['another item that the person chose', sight('ab'), sight('ab', 'b', 1), '', ''],
  ])('%s', (_what, before, after, unsureByKey, unsureByPress) => {
    const change = changeOf(before, after);
    const unsure = (byKey: boolean) =>
      after.items.filter((one, index) => change && isUnsure([change], one, index, byKey)).map(({ key }) => key);
    expect(unsure(true)).toEqual([...unsureByKey]);
    expect(unsure(false)).toEqual([...unsureByPress]);
  });
});
