import { createHash } from 'node:crypto';
import type { CanUseTool, PermissionResult } from '@anthropic-ai/claude-agent-sdk';
import { WaystationApi, stringifyExact, type HookInput, type WaystationApiOptions } from '@waystation/client';

export interface CanUseToolOptions extends Pick<WaystationApiOptions, 'apiUrl' | 'token'> {
  /** The agent that asks; the token must permit it. Default: the token's only agent, otherwise `claude-code`. */
  agentId?: string;
  /** The session's working directory, shown to people. Default: that of this process. */
  cwd?: string;
  /** A chat to ask in, too: the agent must be bound to its channel, and an approver must have written there. */
  chat?: { channelId: string; chatId: string };
  /** Seconds after which an undecided request is denied, above 0 and below 100,000. Default: 86,400. */
  timeoutSeconds?: number;
}

/** The server's response, in the format of the hooks `PermissionRequest` and `PreToolUse`. */
interface HookDecision {
  decision?: { behavior: string; message?: string; updatedInput?: Record<string, unknown> };
  permissionDecision?: string;
  permissionDecisionReason?: string;
  updatedInput?: Record<string, unknown>;
}

const DAY_SECONDS = 86_400;
const UNDECIDED = 'No person has decided about it.';

/**
 * The SDK's `canUseTool` for a session: people decide its tool calls in the console, on the command line or in a chat, as for Claude Code;
 * they can edit the input, and answer the questions of `AskUserQuestion`. Keeps waiting while the server is away. A process that takes over
 * the session and asks about the same call gets the same decision.
 * @param sessionId the `sessionId` or `resume` option of `query`
 * @throws ClientSettingError when the server's address or token is missing or unusable; the returned function throws ApiProblemError when
 * the server refuses the request, and the reason of the SDK's signal
 */
export function canUseTool(sessionId: string, options: CanUseToolOptions = {}): CanUseTool {
  const { agentId, cwd = process.cwd(), chat, timeoutSeconds = DAY_SECONDS, ...connection } = options;
  const { hooks } = new WaystationApi(connection);
  const query = {
    timeout: `${timeoutSeconds}`,
    ...(agentId !== undefined && { agent_id: agentId }),
    ...(chat && { channel_id: chat.channelId, chat_id: chat.chatId }),
  };
  return async (toolName, input, { signal, toolUseID }) => {
    const asked: HookInput = {
      // Claude Code takes people's answers before the tool is used.
      hook_event_name: toolName === 'AskUserQuestion' ? 'PreToolUse' : 'PermissionRequest',
      ...{ session_id: sessionId, cwd, tool_name: toolName, tool_input: input, tool_use_id: toolUseID },
    };
    const call = stringifyExact([sessionId, toolUseID, toolName, input]);
    const idempotencyKey = createHash('sha256').update(call).digest('hex');
    const said = await hooks.claude(asked, query, { idempotencyKey, signal });
    return resultOf(said?.hookSpecificOutput ?? null, input);
  };
}

function resultOf(said: HookDecision | null, input: Record<string, unknown>): PermissionResult {
  const { behavior, message, updatedInput } = said?.decision ?? {
    behavior: said?.permissionDecision,
    message: said?.permissionDecisionReason,
    updatedInput: said?.updatedInput,
  };
  if (behavior !== 'allow') return { behavior: 'deny', message: message ?? UNDECIDED };
  return { behavior, updatedInput: updatedInput ?? input };
}
