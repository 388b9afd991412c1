import type { ApprovalFeature, CallDecision, Question } from '@waystation/client';

/** A tool call of LangChain's human-in-the-loop middleware that waits for a person. */
interface ActionRequest {
  name: string;
  args: object;
  /** In LangChain's words; null where it does not say. */
  allowed: readonly string[] | null;
}

/** What an interrupt of this middleware asks, and how it wants to be answered. */
export interface ActionRequests {
  actions: readonly ActionRequest[];
  /** The member that has the changed call in a decision, as its language writes names. */
  edited: 'editedAction' | 'edited_action';
}

type Members = Readonly<Record<string, unknown>>;

/** @returns null for an interrupt of anything else */
export function actionRequestsIn(value: unknown): ActionRequests | null {
  const members = membersOf(value);
  const isPython = members['actionRequests'] === undefined;
  const requests = members[isPython ? 'action_requests' : 'actionRequests'];
  const configs = members[isPython ? 'review_configs' : 'reviewConfigs'];
  if (!Array.isArray(requests) || requests.length === 0) return null;
  const actions = requests.map((request, at) => {
    const { name, args } = membersOf(request);
    const config = membersOf(Array.isArray(configs) ? configs[at] : null);
    const allowed = config[isPython ? 'allowed_decisions' : 'allowedDecisions'];
    return typeof name === 'string' && typeof args === 'object' && args !== null
      ? { name, args, allowed: Array.isArray(allowed) ? (allowed as string[]) : null }
      : null;
  });
  if (!actions.every((one) => one !== null)) return null;
  return { actions, edited: isPython ? 'edited_action' : 'editedAction' };
}

/** Each action is a question of its own; the middleware answers all of them together. */
export function questionsOf({ actions }: ActionRequests, id: string): Question[] {
  // Of several calls LangChain for JavaScript drops the approved ones as soon as one is rejected
  // (https://github.com/langchain-ai/langchainjs/issues/11437).
  const whole: readonly ApprovalFeature[] = actions.length === 1 ? ['per_call'] : [];
  return actions.map(({ name, args, allowed }, part) => {
    const edits: readonly ApprovalFeature[] = (allowed ?? ['edit']).includes('edit') ? ['edit_args'] : [];
    return { id, name, args, part, isModelCall: true, allows: [...whole, ...edits] };
  });
}

/** What the interrupt returns: the decisions in the order of its actions. */
export function responseTo({ actions, edited }: ActionRequests, decisions: readonly CallDecision[]): object {
  return {
    decisions: actions.map(({ name, allowed }, at) => {
      const { approved, reason, args, isEdited } = decisions[at]!;
      if (approved) return isEdited ? { type: 'edit', [edited]: { name, args } } : { type: 'approve' };
      const mayOnlyRespond = allowed?.includes('reject') === false && allowed.includes('respond');
      if (mayOnlyRespond) return { type: 'respond', message: reason ?? 'A person rejected it.' };
      return { type: 'reject', ...(reason !== null && { message: reason }) };
    }),
  };
}

function membersOf(value: unknown): Members {
  return typeof value === 'object' && value !== null ? (value as Members) : {};
}
