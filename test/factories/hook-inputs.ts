import { randomUUID } from 'node:crypto';

type Fields = Record<string, unknown>;

/**
 * What Claude Code gives to a hook of this event: the forms of https://code.claude.com/docs/en/hooks as of September 2026, with `prompt_id`
 * as Claude Code 2.1.221 sends it.
 */
export function claudeInput(event: string, fields: Fields = {}): Fields {
  return {
    session_id: randomUUID(),
    transcript_path: '/home/kim/.claude/projects/shop/00893aaf-19fa-41d2-8238-13269b9b3ca0.jsonl',
    cwd: '/home/kim/shop',
    prompt_id: randomUUID(),
    permission_mode: 'default',
    hook_event_name: event,
    ...fields,
  };
}

/** A request for permission: it has no `tool_use_id`. */
export function claudeAsks(command: string, fields: Fields = {}): Fields {
  return claudeInput('PermissionRequest', {
    tool_name: 'Bash',
    tool_input: { command, description: 'Publish the package' },
    permission_suggestions: [
      {
        type: 'addRules',
        rules: [{ toolName: 'Bash', ruleContent: command }],
        behavior: 'allow',
        destination: 'localSettings',
      },
    ],
    ...fields,
  });
}

/** What Codex gives to a hook: the forms of `codex-rs/hooks/schema/generated` of openai/codex as of October 2026. */
export function codexInput(event: string, fields: Fields = {}): Fields {
  return {
    session_id: randomUUID(),
    turn_id: randomUUID(),
    transcript_path: null,
    cwd: '/home/kim/shop',
    hook_event_name: event,
    model: 'gpt-5',
    permission_mode: 'default',
    ...fields,
  };
}

export function codexAsks(command: string, fields: Fields = {}): Fields {
  const tool_input = { command, description: 'The tests need the network' };
  return codexInput('PermissionRequest', { tool_name: 'Bash', tool_input, ...fields });
}
