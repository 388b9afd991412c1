import type { AskedPayload, OpenQuestion } from '../messages/open-question.js';
import type { InboundMessage } from '../platforms/inbound-update.js';

/** What a text answers. */
export interface AnsweredQuestion {
  question: OpenQuestion;
  /** It replies to the question; otherwise its conversation waits only for this answer. */
  isReply: boolean;
}

/**
 * The question that a message answers: the one that it replies to, or the only one that its own conversation waits for. Null if it answers
 * none.
 * @param here the open questions in its chat, in order
 * @param threadId of its session; null for none
 */
export function questionFor(
  here: readonly OpenQuestion[],
  update: InboundMessage,
  threadId: string | null,
): AnsweredQuestion | null {
  if (here.length === 0 || !update.isAddressed || !isText(update)) return null;
  const { replyTo, chat } = update;
  const replied = here.find(
    ({ external_id: id }) => id !== null && replyTo?.isHere === true && id === replyTo.messageId,
  );
  if (replied) return { question: replied, isReply: true };
  // On Slack, every message in a thread replies to the thread's first message.
  const isInThread = replyTo !== undefined && replyTo.messageId === chat.topic;
  if (!(isInThread || (chat.isPrivate && !replyTo)) || update.text.startsWith('/')) return null;
  const own = here.filter(({ thread_id }) => thread_id !== null && thread_id === threadId);
  return own.length > 0 && isOneQuestion(own) ? { question: own.at(-1)!, isReply: false } : null;
}

/** If several messages ask the same question, all but the first are reminders. */
function isOneQuestion(messages: readonly OpenQuestion[]): boolean {
  const asked = messages.map(({ payload }) => JSON.parse(payload ?? '{}') as AskedPayload);
  const approvals = new Set(asked.map(({ approval }) => JSON.stringify(approval)));
  return approvals.size === 1 && asked.every(({ asks }) => asks === 1);
}

function isText({ text, attachments, forwarded, button }: InboundMessage): boolean {
  return text.trim() !== '' && attachments.length === 0 && !forwarded && !button;
}
