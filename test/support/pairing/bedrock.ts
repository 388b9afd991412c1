import { isBlank, isSameSet, objectsOf, type JsonObject } from './faults.js';

/**
 * What Amazon Bedrock's Converse API refuses, from https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Message.html and its
 * errors: "A conversation must start with a user message", "... must alternate between user and assistant roles", "Expected toolResult blocks at
 * messages.2.content for the following Ids", "The number of toolResult blocks at messages.2.content exceeds the number of toolUse blocks of
 * previous turn", "The content field in the Message object at messages.0 is empty", "The text field in the ContentBlock object at
 * messages.0.content.0 is blank", "The content field at messages.2.content.0.toolResult cannot be empty when status value is error". For
 * Claude, results stand first and calls last.
 */
export function bedrockFaults(messages: readonly JsonObject[]): string[] {
  const faults: string[] = [];
  const ids = new Set<unknown>();
  let due: unknown[] = [];
  if (messages[0]?.role !== 'user') faults.push('the user does not begin');
  for (const [i, { role, content }] of messages.entries()) {
    const tell = (fault: string) => faults.push(`messages.${i}: ${fault}`);
    const blocks = objectsOf(content);
    if (role === messages[i - 1]?.role) tell('the same role again');
    if (blocks.length === 0) tell('empty content');
    for (const fault of blocks.flatMap(blockFaults)) tell(fault);
    const results = blocks.flatMap(({ toolResult }) => objectsOf([toolResult])).map(({ toolUseId }) => toolUseId);
    const calls = blocks.flatMap(({ toolUse }) => objectsOf([toolUse])).map(({ toolUseId }) => toolUseId);
    if (!isSameSet(due, results)) tell(`calls ${due.join(', ')} but results ${results.join(', ')}`);
    if (role === 'assistant' ? results.length > 0 : calls.length > 0) tell('results or calls of the wrong role');
    if (blocks.slice(0, results.length).some((block) => !('toolResult' in block))) tell('a result that is not first');
    const firstCall = blocks.findIndex((block) => 'toolUse' in block);
    if (firstCall !== -1 && blocks.slice(firstCall).some((block) => 'text' in block)) tell('text behind a call');
    if (calls.some((id) => ids.has(id))) tell('an id twice');
    for (const id of calls) ids.add(id);
    due = calls;
  }
  return due.length > 0 ? [...faults, `the end: no results for ${due.join(', ')}`] : faults;
}

function blockFaults(block: JsonObject): string[] {
  if (Object.keys(block).length !== 1) return ['a block that is not one thing'];
  if ('text' in block) return isBlank(block.text) ? ['a blank text'] : [];
  const result = block.toolResult as JsonObject | undefined;
  if (!result) return [];
  const isEmpty = objectsOf(result.content).length === 0;
  return isEmpty && result.status === 'error' ? ['an error without content'] : [];
}
