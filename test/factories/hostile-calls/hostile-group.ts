/** A rule, and calls of which none may be allowed by it. Calls are exact JSON: some texts are no value that JavaScript could write. */
export interface HostileGroup {
  what: string;
  rule: Record<string, unknown>;
  /** A call that the rule does allow: it shows that the others fail for what is wrong with them. */
  allowed: string;
  hostile: readonly string[];
}

const LIMITS = { per_day: 1000 };

/** An allow of the agent `coder`. */
export function allow(
  tools: readonly string[],
  where: readonly object[],
  further: object = {},
): Record<string, unknown> {
  return { effect: 'allow', agents: ['coder'], tools, where, limits: LIMITS, note: 'Harmless.', ...further };
}

/** Calls of one tool with these exact arguments. */
export function callsOf(tool: string, args: readonly string[]): string[] {
  return args.map((text) => `{"id":"call-1","name":${JSON.stringify(tool)},"args":${text}}`);
}

/** Calls whose only argument is one of these texts. */
export function withArgument(tool: string, name: string, values: readonly string[]): string[] {
  return callsOf(
    tool,
    values.map((value) => JSON.stringify({ [name]: value })),
  );
}

/** Calls of a shell. */
export function commands(...values: readonly string[]): string[] {
  return withArgument('Bash', 'command', values);
}
