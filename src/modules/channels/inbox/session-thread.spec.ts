import fc from 'fast-check';
import { SESSION_MODES } from '../accounts/channel.entity.js';
import { sessionThreadOf, type SessionPlace } from './session-thread.js';

const piece = fc.oneof(fc.string({ minLength: 1 }), fc.constantFrom('a:b', 'topic', 'user', '%3A', ':', '\u0007'));
const place: fc.Arbitrary<SessionPlace> = fc.record({
  channelId: fc.uuid(),
  mode: fc.constantFrom(...SESSION_MODES),
  sessionChatId: piece,
  topic: fc.option(piece),
  userId: piece,
  messageId: piece,
  agentName: fc.oneof(piece, fc.string({ minLength: 400, maxLength: 512 })),
});

/** The parts of a place that distinguish sessions. */
function meaningOf({ channelId, mode, sessionChatId, topic, agentName, ...rest }: SessionPlace): string {
  const who = { per_chat: null, per_user: rest.userId, per_message: rest.messageId }[mode];
  return JSON.stringify([channelId, mode, sessionChatId, topic, who, agentName]);
}

describe('The thread of a session', () => {
  it('is an id that the API takes', () => {
    fc.assert(
      fc.property(place, (one) => {
        const id = sessionThreadOf(one);
        expect(id.length).toBeGreaterThan(0);
        expect(id.length).toBeLessThanOrEqual(512);
        expect(id).not.toMatch(/\p{Cc}/u);
      }),
    );
  });

  it('is the same for the same session, and another one for another', () => {
    fc.assert(
      fc.property(
        place,
        place,
        fc.constantFrom('sessionChatId', 'topic', 'userId', 'agentName', 'mode'),
        (a, b, key) => {
          const other = { ...a, [key]: b[key as keyof SessionPlace] };
          expect(sessionThreadOf(a) === sessionThreadOf(other)).toBe(meaningOf(a) === meaningOf(other));
        },
      ),
    );
  });
});
