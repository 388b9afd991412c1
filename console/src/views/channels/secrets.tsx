import { useQueryClient } from '@tanstack/react-query';
import { useState, type SubmitEvent } from 'react';
import { api, read } from '../../api/client.js';
import { Button } from '../../ui/button.js';
import { Failure } from '../../ui/states.js';
import { useAct, type Channel, type Platform } from './channel-data.js';
import { ConfigFields } from './config-fields.js';
import { configOf, faultsOf, type Entries } from './config-form.js';

/** Replaces the whole config. Secrets must be entered again, because the server never shows them. */
export function Secrets({ channel, platform, onDone }: { channel: Channel; platform: Platform; onDone: () => void }) {
  const [entries, setEntries] = useState(() => entriesOf(channel, platform));
  const [tried, setTried] = useState(false);
  const replace = useAct((config: Record<string, unknown>) =>
    read(api.PUT('/v1/channels/{id}/config', { params: { path: { id: channel.id } }, body: { config } })),
  );
  const queries = useQueryClient();
  const finish = ({ id, verified }: Channel) => {
    // Another account needs to be verified with a new code.
    if (!verified) queries.setQueryData(['channel-code', id], null);
    onDone();
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setTried(true);
    if (Object.keys(faultsOf(platform.fields, entries)).length > 0) return;
    replace.mutate(configOf(platform.fields, entries), { onSuccess: finish });
  };
  return (
    <form className="channel-form" onSubmit={submit} noValidate>
      <p>
        Secrets cannot be shown, so enter them again. Agents, sessions and the webhook stay as they are if the account
        is the same.
      </p>
      <ConfigFields
        fields={platform.fields}
        entries={entries}
        onChange={setEntries}
        errors={tried ? faultsOf(platform.fields, entries) : {}}
      />
      {replace.error && <Failure error={replace.error} />}
      <div className="actions">
        <Button onPress={onDone}>Cancel</Button>
        <Button kind="main" type="submit" isDisabled={replace.isPending}>
          Replace
        </Button>
      </div>
    </form>
  );
}

function entriesOf({ config }: Channel, { fields }: Platform): Entries {
  const entries: Record<string, string | boolean> = {};
  for (const { name } of fields) {
    const value = config?.[name];
    if (typeof value === 'string' || typeof value === 'boolean') entries[name] = value;
    else if (Array.isArray(value)) entries[name] = value.join(', ');
  }
  return entries;
}
