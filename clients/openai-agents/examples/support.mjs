// A conversation that outlives its process: `node support.mjs SESSION 'What I say'`, repeatedly. A scripted model answers, so no key is
// needed; with your own model the program stays the same.
import { Agent, run, setTracingDisabled } from '@openai/agents-core';
import { modelResponder, assistantMessage, ScriptedModel } from '@openai/agents-core/testing';
import { WaystationSession } from '@waystation/openai-agents';

setTracingDisabled(true);
const [sessionId = 'example', said = 'Hello'] = process.argv.slice(2);

/** Repeats the first message of this session, in any process. */
const model = new ScriptedModel([
  modelResponder(({ request: { input } }) => {
    const users = input.filter((item) => item.role === 'user');
    const [first] = users.map(({ content }) => (typeof content === 'string' ? content : content[0].text));
    return [assistantMessage(`${users.length} messages; the first was: ${first}`)];
  }),
]);

const agent = new Agent({ name: 'Support', instructions: 'Be brief.', model });
const session = new WaystationSession({ sessionId });
const result = await run(agent, said, { session });
console.log(result.finalOutput);
