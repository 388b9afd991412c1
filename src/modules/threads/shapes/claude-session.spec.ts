import { readMessage } from './message-shapes.js';

const IDS = { sessionId: '00893aaf', uuid: 'b1', timestamp: '2026-11-20T10:00:00.000Z' };

describe('A line of a session of Claude Code', () => {
  it.each([
    { type: 'custom-title', customTitle: 'Refunds', sessionId: '00893aaf' },
    { type: 'permission-mode', permissionMode: 'default', sessionId: '00893aaf' },
    { type: 'queue-operation', operation: 'enqueue', content: 'Go on', parentUuid: null, ...IDS },
    { type: 'system', subtype: 'turn_duration', content: 'Took 3 s', parentUuid: 'a1', ...IDS },
    { type: 'attachment', attachment: { type: 'todo' }, parentUuid: 'a1', ...IDS },
    { type: 'summary', summary: 'Refunds', leafUuid: 'b1' },
    { type: 'file-history-snapshot', messageId: 'b1', snapshot: {}, isSnapshotUpdate: false },
  ])('says nothing without a message: %j', (line) => expect(readMessage(line)).toEqual([]));

  it('says what its message says', () => {
    const message = { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] };
    expect(readMessage({ type: 'assistant', parentUuid: 'a1', ...IDS, message })).toMatchObject([{ message: 'Done.' }]);
  });

  it.each([
    { type: 'reasoning', id: 'rs_1', summary: [] },
    { type: 'custom', sessionId: '1', content: 'Hello' },
    { type: 'custom', sessionId: '1', role: 'user', content: 'Hello' },
    { sessionId: '1', customTitle: 'No type' },
    { type: 7, sessionId: '1' },
  ])('is no shape of others: %j', (message) => expect(readMessage(message)).not.toEqual([]));
});
