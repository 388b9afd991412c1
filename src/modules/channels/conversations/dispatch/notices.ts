/** What people in a chat are told when it is not the agent that speaks. */

export const AGENT_AWAY =
  'The agent is not reachable at the moment. Your message is kept and will be delivered when it is back.';

export const AGENT_STAYED_AWAY =
  'The agent could not be reached, so your message was not delivered. Please try again later.';

export const MESSAGE_REFUSED = 'The agent did not accept your message.';

export const NO_PROGRESS = 'The agent has not made any progress for a long time. Its answer is no longer waited for.';

export const CONVERSATION_DELETED = 'The conversation was deleted while the agent was at work, so there is no answer.';

export const RUN_FAILED = 'Sorry, the agent ended with an error.';

export const BUDGET_USED_UP = 'The agent stopped because its budget is used up.';

export const NOTHING_SAID = 'The agent finished without an answer.';
