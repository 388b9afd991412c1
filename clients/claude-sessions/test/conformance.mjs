// Runs the SDK's conformance suite for session stores on a real server: `node conformance.mjs`. Prints one line per contract that holds.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { WaystationSessionStore } from '@waystation/claude-sessions';

const entry = (members) => ({ type: 'user', ...members });
const numbered = (...numbers) => numbers.map((n) => entry({ uuid: `entry-${n}`, n }));
const subkey = (key, name) => ({ ...key, subpath: `subagents/${name}` });
const idsOf = (sessions) => sessions.map(({ sessionId }) => sessionId).sort();

const CONTRACTS = {
  'entries come back in their order': async (store, key) => {
    await store.append(key, numbered(2, 1));
    assert.deepEqual(await store.load(key), numbered(2, 1));
  },
  'an unknown transcript is null': async (store, key) => {
    assert.equal(await store.load(key), null);
    await store.append(key, numbered(1));
    assert.equal(await store.load(subkey(key, 'unknown')), null);
  },
  'calls keep their order': async (store, key) => {
    const calls = [numbered(9), numbered(1, 5), numbered(3)];
    await Promise.all(calls.map((entries) => store.append(key, entries)));
    assert.deepEqual(await store.load(key), calls.flat());
  },
  'appending nothing changes nothing': async (store, key) => {
    await store.append(key, numbered(1));
    await store.append(key, []);
    assert.deepEqual(await store.load(key), numbered(1));
  },
  'subpaths are transcripts of their own': async (store, key) => {
    await store.append(key, numbered(1));
    await store.append(subkey(key, 'agent-1'), numbered(2));
    assert.deepEqual(await store.load(key), numbered(1));
    assert.deepEqual(await store.load(subkey(key, 'agent-1')), numbered(2));
  },
  'projects are apart': async (store, key) => {
    const other = { ...key, projectKey: `${key.projectKey}-2` };
    await store.append(key, numbered(1));
    await store.append(other, numbered(2));
    assert.deepEqual([await store.load(key), await store.load(other)], [numbered(1), numbered(2)]);
    for (const { projectKey } of [key, other]) assert.equal((await store.listSessions(projectKey)).length, 1);
  },
  'sessions of a project are listed with their times': async (store, key) => {
    const before = Date.now();
    for (const sessionId of ['a', 'b/ä']) await store.append({ ...key, sessionId }, numbered(1));
    await store.append({ projectKey: `${key.projectKey}:other`, sessionId: 'c' }, numbered(1));
    const sessions = await store.listSessions(key.projectKey);
    assert.deepEqual(idsOf(sessions), ['a', 'b/ä']);
    for (const { mtime } of sessions) assert.ok(Number.isInteger(mtime) && mtime >= before - 60_000);
    assert.deepEqual(await store.listSessions(randomUUID()), []);
  },
  'subpaths are no sessions': async (store, key) => {
    await store.append(key, numbered(1));
    await store.append(subkey(key, 'agent-1'), numbered(1));
    assert.deepEqual(idsOf(await store.listSessions(key.projectKey)), [key.sessionId]);
  },
  'a deleted session is unknown': async (store, key) => {
    await store.delete({ ...key, sessionId: 'never written' });
    await store.append(key, numbered(1));
    await store.delete(key);
    assert.equal(await store.load(key), null);
    await store.append(key, numbered(2));
    assert.deepEqual(await store.load(key), numbered(2));
  },
  'deleting a session deletes what is below it, and nothing else': async (store, key) => {
    const others = [
      { ...key, sessionId: 'other' },
      { ...key, projectKey: randomUUID() },
    ];
    const own = [key, subkey(key, 'agent-1'), subkey(key, 'agent-2')];
    for (const each of [...own, ...others]) await store.append(each, numbered(1));
    await store.delete(key);
    for (const each of own) assert.equal(await store.load(each), null);
    for (const each of others) assert.deepEqual(await store.load(each), numbered(1));
    assert.deepEqual(await store.listSubkeys(key), []);
    assert.deepEqual(idsOf(await store.listSessions(key.projectKey)), ['other']);
  },
  'a subpath is deleted alone': async (store, key) => {
    const [first, second] = [subkey(key, 'agent-1'), subkey(key, 'agent-2')];
    for (const each of [key, first, second]) await store.append(each, numbered(1));
    await store.delete(first);
    assert.equal(await store.load(first), null);
    assert.deepEqual([await store.load(second), await store.load(key)], [numbered(1), numbered(1)]);
    assert.deepEqual(await store.listSubkeys(key), ['subagents/agent-2']);
  },
  'subpaths are listed': async (store, key) => {
    await store.append(key, numbered(1));
    for (const name of ['agent-1', 'agent-2']) await store.append(subkey(key, name), numbered(1));
    await store.append(subkey({ ...key, sessionId: 'other' }, 'agent-x'), numbered(1));
    assert.deepEqual((await store.listSubkeys(key)).sort(), ['subagents/agent-1', 'subagents/agent-2']);
  },
  'the main transcript is no subpath': async (store, key) => {
    await store.append(key, numbered(1));
    assert.deepEqual(await store.listSubkeys(key), []);
    assert.deepEqual(await store.listSubkeys({ ...key, sessionId: 'never written' }), []);
  },
  'an entry that is stored already is not stored again, one without a uuid is': async (store, key) => {
    await store.append(key, numbered(1, 2));
    await store.append(key, [...numbered(2, 3, 3), entry({ title: 'x' }), entry({ title: 'x' })]);
    await new WaystationSessionStore().append(key, numbered(1, 2, 3, 4));
    const titles = [entry({ title: 'x' }), entry({ title: 'x' })];
    assert.deepEqual(await store.load(key), [...numbered(1, 2, 3), ...titles, ...numbered(4)]);
  },
};

for (const [name, check] of Object.entries(CONTRACTS)) {
  await check(new WaystationSessionStore(), { projectKey: randomUUID(), sessionId: randomUUID() });
  console.log(name);
}
