import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Stands in for a model and its tools by playing a conversation from a file. Like a model it knows only the given history, from which it
 * finds its place.
 */
export class ScriptedModel {
  #conversation;

  constructor(conversation) {
    this.#conversation = conversation;
  }

  /** The answer to this history: `{message, tokens_in, tokens_out}`. */
  async answer(history) {
    const said = history.findLast(({ role }) => role === 'assistant');
    const { turns } = this.#conversation;
    const place = said === undefined ? 0 : turns.findIndex(({ message }) => isSame(message, said)) + 1;
    const turn = turns[place];
    if (turn === undefined) throw new Error('The conversation has ended.');
    await sleep(turn.took_ms);
    return turn;
  }

  /** The tool's response to this call: `{result}`, or `{run}` with the conversation of the agent to ask. */
  async callTool(id) {
    const tool = this.#conversation.turns.map(({ tools }) => tools?.[id]).find((found) => found !== undefined);
    if (tool === undefined) throw new Error(`There is no tool call ${id}.`);
    await sleep(tool.took_ms ?? 0);
    return tool;
  }
}

function isSame(message, other) {
  return JSON.stringify(message) === JSON.stringify(other);
}
