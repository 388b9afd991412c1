import { asTyped } from '../../lib/as-typed.js';

/** Creates a token on the server's machine, for sessions that may not. */
export const TOKEN_COMMAND = `export WAYSTATION_TOKEN=$(${asTyped('token create --scope runner --expires-in 24h')})`;

/**
 * A command that reports something; without a token it uses the one of {@link TOKEN_COMMAND}.
 * @param runId unique, so that the command can be repeated
 */
export type CommandOf = (server: string, token: string | null, runId: string) => string;

/** Reports one step. */
export const firstStepCommand: CommandOf = (server, token) =>
  reportCommand(
    server,
    token,
    `{"events": [{"type": "checkpoint", "data": {
    "thread_id": "hello", "trace_id": "run-1", "agent_id": "support", "step_index": 0, "status": "completed",
    "history": [{"role": "user", "content": "Where is my parcel?"},
                {"role": "assistant", "content": "On its way. It arrives tomorrow."}]}}]}`,
  );

/** Reports a step with a tool call for a person to decide. */
export const firstCallCommand: CommandOf = (server, token, runId) =>
  reportCommand(
    server,
    token,
    `{"events": [{"type": "checkpoint", "data": {
    "thread_id": "refund", "trace_id": "${runId}", "agent_id": "support", "step_index": 0, "status": "waiting_for_approval",
    "history": [{"role": "user", "content": "My parcel never arrived. I want my money back."}],
    "pending_tool_calls": [{"name": "refund", "args": {"order": 4711, "amount_usd": 25}}]}}]}`,
  );

function reportCommand(server: string, token: string | null, body: string): string {
  const authorization =
    token === null ? '"Authorization: Bearer $WAYSTATION_TOKEN"' : `'Authorization: Bearer ${token}'`;
  return `curl ${server}/v1/runners/events -H ${authorization} \\
  -H 'Content-Type: application/json' -d '${body}'`;
}
