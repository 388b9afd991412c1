import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState, type SubmitEvent } from 'react';
import { api, read } from '../../api/client.js';
import { randomKey } from '../../lib/random-key.js';
import { visibleString } from '../../lib/visible-text.js';
import { Button } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';
import { TextField } from '../../ui/field.js';
import { Failure } from '../../ui/states.js';

/** Starts a run by hand, then opens its thread. */
export function Start({ agentId, onClose }: { agentId: string; onClose: () => void }) {
  const navigate = useNavigate();
  const [message, setMessage] = useState('');
  const [threadId, setThreadId] = useState('');
  // The same key for each attempt with the same input: a lost response must not start a second run.
  const [key, setKey] = useState(() => randomKey());
  const change = (set: (value: string) => void) => (value: string) => {
    set(value);
    setKey(randomKey());
  };
  const start = useMutation({
    mutationFn: () =>
      read(
        api.POST('/v1/agents/{agent_id}/invoke', {
          params: { path: { agent_id: agentId }, header: { 'Idempotency-Key': key } },
          body: { message, ...(threadId.trim() && { thread_id: threadId.trim() }) },
        }),
      ),
    onSuccess: ({ thread_id, run_id }) =>
      void navigate({
        to: '/threads/$threadId',
        params: { threadId: thread_id },
        search: { run: run_id, begins: true },
      }),
  });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    start.mutate();
  };
  return (
    <Dialog title={`Start a run of ${visibleString(agentId)}`} isOpen onClose={onClose}>
      <form className="start-form" onSubmit={submit}>
        <TextField
          label="Message"
          hint="What the agent should do."
          isRequired
          kind="long"
          autoFocus
          value={message}
          onChange={change(setMessage)}
        />
        <TextField
          label="Thread"
          hint="The thread to continue. Empty for a new one."
          value={threadId}
          onChange={change(setThreadId)}
        />
        {start.error && <Failure error={start.error} />}
        <div className="actions">
          <Button onPress={onClose}>Cancel</Button>
          <Button kind="main" type="submit" isDisabled={start.isPending || message.trim() === ''}>
            Start
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
