import { waitingRun } from '../corpus/waiting-run.mjs';

/**
 * Approves waiting tool calls, each once, without a request body.
 * @param {{seed: number, from: number, to: number, stride: number}} params every `stride`th of the runs `from` to `to`, exclusive
 * @param {import('../generator/requests.mjs').Requests} requests
 * @returns {import('../generator/load.mjs').Job}
 */
export function createJob({ seed, from, to, stride }, requests) {
  let position = from;
  const next = () => {
    if (position >= to) return null;
    const { trace_id, thread_id, step } = waitingRun(seed, position);
    position += stride;
    const path = `/approvals/${trace_id}/${step}/approve`;
    const accept = (answer) => {
      if (answer.status !== 200) return `POST ${path}: status ${answer.status} instead of 200`;
      const record = JSON.parse(answer.body.toString());
      const isRight = record.status === 'approved' && record.thread_id === thread_id && record.step === step;
      return isRight ? null : `POST ${path}: the record is not that of the decision`;
    };
    return requests.post(path, accept);
  };
  return { next };
}
