import { awaitCode, OPERATOR, tryCode, type CodeTrier } from './verification-code.js';

const NOW_MS = 1_000;
const PERSON = { chatId: '7', userId: '7' };

/** @param tries wrong tries in all chats */
function verdictOf(
  tries: number,
  { by = PERSON, inChat = 0, inAllChats = inChat }: { by?: CodeTrier; inChat?: number; inAllChats?: number },
  isRight = true,
) {
  const state = { ...awaitCode('digest', NOW_MS), code_tries: tries };
  return tryCode(state, { isRight, before: { inChat, inAllChats }, by }, NOW_MS);
}

describe('A verification code', () => {
  it.each([
    ['a person who has not guessed', 0, {}, 'right'],
    ['a person after four wrong tries in the chat', 4, { inChat: 4 }, 'right'],
    ['a person after five', 5, { inChat: 5 }, 'locked'],
    ['a person after five in another chat', 5, { inAllChats: 5 }, 'right'],
    ['a person who has guessed wrong, after a hundred of all', 100, { inAllChats: 1 }, 'locked'],
    ['a person who has not, after a hundred of others', 100, {}, 'right'],
    ['a person who has not, before the five hundredth of others', 499, {}, 'right'],
    ['anybody in a chat after five hundred', 500, {}, 'locked'],
    ['an operator whatever others wrote', 10_000, { by: OPERATOR }, 'right'],
    ['an operator after five wrong tries of operators', 0, { by: OPERATOR, inChat: 5 }, 'locked'],
  ])('from %s', (_, tries, before, verdict) => {
    expect(verdictOf(tries, before).verdict).toBe(verdict);
  });

  it('counts wrong tries in chats, and those of operators apart', () => {
    expect(verdictOf(3, {}, false).changes).toEqual({ code_tries: 4 });
    expect(verdictOf(3, { by: OPERATOR }, false).changes).toEqual({});
  });
});
