import type { CallOutcome, CalledTool } from '../call-outcomes.js';

/** `hosted`: of a tool that the provider runs, so that call and result both come from the model. */
export type Block =
  | ({ kind: 'call' } & CalledTool)
  | { kind: 'result' | 'hosted_call' | 'hosted_result'; id: string | null; name: string | null }
  | { kind: 'text' | 'other' };

/** How an API writes messages as lists of blocks. */
export interface BlockShape {
  /** The message member with the blocks. */
  readonly list: string;
  readonly modelRole: string;
  /** The role of messages that bring results. */
  readonly resultRole: 'user' | 'tool';
  /** Whether consecutive messages of one role count as one turn. */
  readonly isTurnwise: boolean;
  /** Whether results must come first in a user message, and calls last in a model message. */
  readonly isOrdered: boolean;
  /** Whether calls and results may lack ids. */
  readonly isNamed: boolean;
  read(block: Buffer): Block;
  result(call: CalledTool, outcome: CallOutcome): Buffer;
  text(text: string): Buffer;
}
