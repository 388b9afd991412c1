// The SDK's own test cases for sessions, on a real server: `node sessions.mjs`. Prints one line for each that holds.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { WaystationSession } from '@waystation/openai-agents';

const user = (text) => ({ role: 'user', content: [{ type: 'input_text', text }] });
const call = (id, callId, args) => ({
  ...{ type: 'function_call', name: 'lookup', status: 'completed' },
  ...{ id, callId, arguments: args },
});

const CASES = {
  'keeps items in order and gives back the last ones': async (session, id) => {
    assert.equal(await session.getSessionId(), id);
    assert.deepEqual(await session.getItems(), []);
    await session.addItems([user('hello')]);
    await session.addItems([user('one'), user('two')]);
    assert.deepEqual(await session.getItems(), ['hello', 'one', 'two'].map(user));
    assert.deepEqual(await session.getItems(2), ['one', 'two'].map(user));
    assert.deepEqual(await session.getItems(9), ['hello', 'one', 'two'].map(user));
    assert.deepEqual(await session.getItems(0), []);
    assert.deepEqual(await session.getItems(-1), []);
  },
  'pops the last item, and is empty once cleared': async (session) => {
    assert.equal(await session.popItem(), undefined);
    await session.addItems(['hello', 'one', 'two'].map(user));
    assert.deepEqual(await session.popItem(), user('two'));
    assert.deepEqual(await session.getItems(), ['hello', 'one'].map(user));
    await session.clearSession();
    assert.deepEqual(await session.getItems(), []);
    assert.deepEqual(await session.getItems(3), []);
    assert.equal(await session.popItem(), undefined);
    await session.addItems([user('again')]);
    assert.deepEqual(await session.getItems(), [user('again')]);
  },
  'keeps what it was given when the caller changes it afterwards': async (session) => {
    const item = user('start');
    const added = session.addItems([item]);
    item.content = 'changed';
    await added;
    const [first] = await session.getItems();
    first.content = 'changed';
    assert.deepEqual(await session.getItems(), [user('start')]);
  },
  'adding nothing changes nothing': async (session) => {
    await session.addItems([]);
    assert.deepEqual(await session.getItems(), []);
  },
  'replaces function calls, and drops the doubles': async (session) => {
    await session.addItems([user('start'), call('old-1', 'call-1', '{"ok":false}'), call('old-2', 'call-1', '{}')]);
    const replacement = call('new', 'call-1', '{"ok":true}');
    const mutations = [{ type: 'replace_function_call', callId: 'call-1', replacement }];
    await session.applyHistoryMutations({ mutations });
    assert.deepEqual(await session.getItems(), [user('start'), replacement]);
    await session.applyHistoryMutations({ mutations: [] });
    await session.applyHistoryMutations({ mutations: [{ ...mutations[0], callId: 'call-9' }] });
    assert.deepEqual(await session.getItems(), [user('start'), replacement]);
  },
  'two sessions of one id are one, those of two ids are two': async (session, id) => {
    const [same, other] = [new WaystationSession({ sessionId: id }), new WaystationSession()];
    await Promise.all([session.addItems([user('a')]), same.addItems([user('b')]), other.addItems([user('c')])]);
    assert.deepEqual((await session.getItems()).map((item) => item.content[0].text).sort(), ['a', 'b']);
    assert.deepEqual(await same.getItems(), await session.getItems());
    assert.notEqual(await other.getSessionId(), id);
    assert.deepEqual(await other.getItems(), [user('c')]);
  },
  'two that pop at once get different items': async (session, id) => {
    const same = new WaystationSession({ sessionId: id });
    await session.addItems(['a', 'b', 'c', 'd'].map(user));
    const popped = await Promise.all([session, same, session, same].map((one) => one.popItem()));
    assert.deepEqual(popped.map((item) => item.content[0].text).sort(), ['a', 'b', 'c', 'd']);
    assert.deepEqual(await session.getItems(), []);
  },
};

for (const [name, check] of Object.entries(CASES)) {
  const id = randomUUID();
  await check(new WaystationSession({ sessionId: id }), id);
  console.log(name);
}
