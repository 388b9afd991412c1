/** Texts to people in a chat that are not from the agent. */

export const AGENT_AWAY =
  'The agent is not reachable at the moment. Your message is stored and will be delivered when the agent is back.';

export const AGENT_STAYED_AWAY =
  'The agent could not be reached, so your message was not delivered. Please try again later.';

export const MESSAGE_REFUSED = 'The agent did not accept your message.';

export const NO_PROGRESS = 'The agent has made no progress for a long time. This chat no longer waits for its answer.';

export const CONVERSATION_DELETED = 'The conversation was deleted while the agent was working, so there is no answer.';

export const RUN_FAILED = 'Sorry, the agent ended with an error.';

export const RUN_CANCELLED = 'The run was cancelled, so there is no answer.';

export const BUDGET_USED_UP = 'The agent stopped because it has used up its budget.';

export const NOTHING_SAID = 'The agent finished without an answer.';
