import { JsonScanner } from '../../../common/json-scanner.js';
import { isPlain, namesOf, type ToolCall } from '../decision/tool-calls.js';
import { exactTreeOrNull, type ExactNode } from './exact-tree.js';

/** A tool call as rules see it. Parsed lazily, and once. */
export class JudgedCall {
  private allNames: readonly string[] | undefined;
  private plain: boolean | undefined;
  private read: { args: ExactNode | null; cwd: string | null } | undefined;

  /** @param isCut its approval's calls are too large to show */
  constructor(
    readonly call: ToolCall,
    readonly agentId: string,
    readonly isCut: boolean,
  ) {}

  /** All names that the call may have for some reader. */
  get names(): readonly string[] {
    return (this.allNames ??= this.isCut ? [this.call.name ?? ''] : namesOf(this.call.raw));
  }

  /** Whether every reader sees the same call. */
  get isPlain(): boolean {
    return (this.plain ??= !this.isCut && isPlain(this.call.raw));
  }

  /** Null if they are not an object, or not the same to every reader. */
  get args(): ExactNode | null {
    return this.parts.args;
  }

  /** Where its agent works; null if not given. */
  get cwd(): string | null {
    return this.parts.cwd;
  }

  private get parts() {
    return (this.read ??= this.isCut ? { args: null, cwd: null } : { args: argsOf(this.call), cwd: cwdOf(this.call) });
  }
}

function argsOf({ args }: ToolCall): ExactNode | null {
  const node = exactTreeOrNull(Buffer.from(args));
  return node?.kind === 'object' ? node : null;
}

function cwdOf({ raw }: ToolCall): string | null {
  const scanner = new JsonScanner(Buffer.from(raw));
  if (!scanner.isObject()) return null;
  let found: string | null = null;
  scanner.members((name) => {
    const text = scanner.bytes.toString('utf8', ...scanner.value());
    if (name === 'cwd' && text.startsWith('"')) found = JSON.parse(text) as string;
  });
  return found;
}
