import { AgentRun } from './agent-run.mjs';
import { isAnswered, pendingCalls } from './history.mjs';
import { ScriptedModel } from './scripted-model.mjs';

/**
 * Runs an agent to its end, from wherever it stopped. Saves after every model response and every round of tools, so that a crash costs only
 * the step in progress.
 * @param watch optional callbacks `onOpen(run)`, `onSaving(checkpoint)` and `onSaved(checkpoint)`
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

  /** Another agent's run in the same thread, with its own trace. Called again after a crash, it resumes, too. */
  function askOtherAgent(theirs) {
    return runAgent(waystation, theirs, { threadId: place.threadId, parentTraceId: run.traceId }, watch);
  }
}
