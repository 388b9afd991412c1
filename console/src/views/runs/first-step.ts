/** Makes a token on the machine of the server, where this session may not. */
export const TOKEN_COMMAND = 'export WAYSTATION_TOKEN=$(npx waystation token create --scope runner --expires-in 24h)';

const STEP = `{"events": [{"type": "checkpoint", "data": {
    "thread_id": "hello", "trace_id": "run-1", "agent_id": "support", "step_index": 0,
    "history": [{"role": "user", "content": "Where is my parcel?"},
                {"role": "assistant", "content": "On its way. It arrives tomorrow."}]}}]}`;

/** A command that reports one step; without a token it takes the one of {@link TOKEN_COMMAND}. */
export function firstStepCommand(server: string, token: string | null): string {
  const authorization =
    token === null ? '"Authorization: Bearer $WAYSTATION_TOKEN"' : `'Authorization: Bearer ${token}'`;
  return `curl ${server}/v1/runners/events -H ${authorization} \\
  -H 'Content-Type: application/json' -d '${STEP}'`;
}
