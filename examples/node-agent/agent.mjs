import { AgentRun } from './agent-run.mjs';
import { isAnswered, pendingCalls } from './history.mjs';
import { ScriptedModel } from './scripted-model.mjs';

/**
 * Runs an agent to its end, from wherever it stands. After every answer of the model and after every round of tools it saves,
 * so that a crash costs the step that was under way and nothing before it.
 * @param watch `onOpen(run)`, `onSaving(checkpoint)` and `onSaved(checkpoint)`, for whoever wants to look on
 * @returns its last answer
 */
export async function runAgent(waystation, conversation, place, watch = {}) {
  const model = new ScriptedModel(conversation);
  const run = await AgentRun.open(waystation, conversation, place);
  watch.onOpen?.(run);
  while (!isAnswered(run.history)) {
    const calls = pendingCalls(run.history);
    if (calls.length > 0) await useTools(calls);
    else await think();
    await run.save(watch);
  }
  await run.complete();
  return run.history.at(-1).content;

  async function think() {
    run.trim();
    const { message, tokens_in, tokens_out } = await model.answer(run.history);
    run.add(message, { tokens_in, tokens_out });
  }

  async function useTools(calls) {
    for (const { id } of calls) {
      const { result, run: delegated } = await model.callTool(id);
      const content = delegated ? await askOtherAgent(delegated) : result;
      run.add({ role: 'tool', tool_call_id: id, content });
    }
  }

  /** Another agent's run in the same thread, with a trace of its own. Asked again after a crash, it goes on as well. */
  function askOtherAgent(theirs) {
    return runAgent(waystation, theirs, { threadId: place.threadId, parentTraceId: run.traceId }, watch);
  }
}
