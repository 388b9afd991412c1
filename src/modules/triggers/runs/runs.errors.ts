import { DomainError } from '../../../common/domain-error.js';

const RETRY_SECONDS = 5;

export function queueFull(agentName: string): DomainError {
  const message = `The agent ${agentName} is busy, and its queue is full.`;
  return new DomainError('rate_limited', 'queue_full', message, { retryAfterSeconds: RETRY_SECONDS });
}

export function shuttingDown(): DomainError {
  const message = 'The agent process is shutting down and accepts no more runs.';
  return new DomainError('unavailable', 'shutting_down', message, { retryAfterSeconds: RETRY_SECONDS });
}

export function runActive(runId: string): DomainError {
  return new DomainError('conflict', 'run_active', `Run ${runId} is still ending. Try again in a few seconds.`);
}

export function runIdTaken(runId: string): DomainError {
  return new DomainError('conflict', 'run_id_taken', `The run ${runId} is another agent's, or in another thread.`);
}

export function keyReused(): DomainError {
  const detail = 'was used with another message, thread or context before';
  const errors = [{ path: 'Idempotency-Key', detail }];
  const message = `Idempotency-Key: ${detail}. Repeat that request, or send a new key.`;
  return new DomainError('unprocessable', 'idempotency_key_reused', message, { errors });
}

export function unknownAgent(agentName: string): DomainError {
  return new DomainError('not_found', 'agent_not_found', `The definition file has no agent ${agentName}.`);
}
