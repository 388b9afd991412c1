import type { CallOutcome, CalledTool } from '../call-outcomes.js';

/** `hosted`: of a tool that the provider runs itself, so that call and result both come from the model. */
export type Block =
  | ({ kind: 'call' } & CalledTool)
  | { kind: 'result' | 'hosted_call' | 'hosted_result'; id: string | null; name: string | null }
  | { kind: 'text' | 'other' };

/** How an API writes messages that are lists of blocks. */
export interface BlockShape {
  /** The member of a message that has the blocks. */
  readonly list: string;
  readonly modelRole: string;
  /** The role of messages that bring results. */
  readonly resultRole: 'user' | 'tool';
  /** Whether messages of one role in a row count as one turn. */
  readonly isTurnwise: boolean;
  /** Whether results stand before everything else that the user says, and calls behind everything else that the model says. */
  readonly isOrdered: boolean;
  /** Whether calls and results may come without ids. */
  readonly isNamed: boolean;
  read(block: Buffer): Block;
  result(call: CalledTool, outcome: CallOutcome): Buffer;
  text(text: string): Buffer;
}
