import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, read } from '../../../api/client.js';
import { SelectField, TextField } from '../../../ui/field.js';
import { randomKey } from '../../../lib/random-key.js';
import { visibleString } from '../../../lib/visible-text.js';
import { useThread } from '../data/thread-context.js';
import { threadQuery } from '../data/thread-queries.js';
import { ActDialog } from '../../../ui/act-dialog.js';

/** Starts an agent's run in this thread. @param agents the reachable ones; the first is proposed */
export function ContinueDialog({ agents, onClose }: { agents: readonly string[]; onClose: () => void }) {
  const { id } = useThread();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [message, setMessage] = useState('');
  const [chosen, setChosen] = useState(agents[0] ?? '');
  // After a lost response, a second press gets the run that the first one started.
  const [key, setKey] = useState(() => randomKey());
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      read(
        api.POST('/v1/agents/{agent_id}/invoke', {
          params: { path: { agent_id: chosen }, header: { 'Idempotency-Key': key } },
          body: { message, thread_id: id },
        }),
      ),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: threadQuery(id).queryKey });
      void navigate({ to: '/threads/$threadId', params: { threadId: id }, search: {} });
      onClose();
    },
  });
  const changed = <Value,>(set: (value: Value) => void) => {
    return (value: Value) => {
      set(value);
      setKey(randomKey());
    };
  };
  return (
    <ActDialog
      {...{ title: 'Continue with a message', act: 'Send', acting: 'Calling the agent…' }}
      {...{ isPending, error, onClose, onAct: mutate, isDisabled: message.trim() === '' }}
    >
      <TextField
        label="Message"
        kind="long"
        isRequired
        autoFocus
        value={message}
        onChange={changed(setMessage)}
        hint="Starts a run in this thread. It shows here with its first report."
      />
      <SelectField
        label="Agent"
        isRequired
        value={chosen}
        onChange={changed(setChosen)}
        options={agents.map((agent) => ({ value: agent, name: visibleString(agent) }))}
      />
    </ActDialog>
  );
}
