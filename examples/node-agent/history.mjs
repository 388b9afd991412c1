/** The tool calls of the last answer that have no result yet. */
export function pendingCalls(history) {
  const at = history.findLastIndex(({ role }) => role === 'assistant');
  const answered = new Set(history.slice(at + 1).map((message) => message.tool_call_id));
  return (history[at]?.tool_calls ?? []).filter(({ id }) => !answered.has(id));
}

/** Whether the last message is an answer without tool calls. */
export function isAnswered(history) {
  const last = history.at(-1);
  return last.role === 'assistant' && last.tool_calls === undefined;
}

/**
 * Replaces everything between the task and the last round by a summary. A round is an answer with the results of its tool calls, so no
 * result loses its call.
 * @returns the places of the messages to keep, with null for the summary
 */
export function placesAfterTrim(history) {
  const lastRound = history.findLastIndex(({ role }) => role === 'assistant');
  return [0, 1, null, ...[...history.keys()].slice(lastRound)];
}
