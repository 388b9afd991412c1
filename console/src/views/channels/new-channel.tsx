import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState, type SubmitEvent } from 'react';
import { api, read } from '../../api/client.js';
import { Problem } from '../../api/problem.js';
import { Button } from '../../ui/button.js';
import { TextField } from '../../ui/field.js';
import { Failure } from '../../ui/states.js';
import { useAct, type ChannelOrder, type Platform } from './channel-data.js';
import { ConfigFields } from './config-fields.js';
import { RouteFields, type Routing } from './route-fields.js';
import { configOf, faultsOf, type Entries } from './config-form.js';

/** Creates a channel, then opens it: its page guides through the rest. */
export function NewChannel({ platform, onCancel }: { platform: Platform; onCancel: () => void }) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [name, setName] = useState(`My ${platform.title} bot`);
  const [entries, setEntries] = useState<Entries>(() => defaultsOf(platform));
  const [routing, setRouting] = useState<Routing>({ session_mode: 'per_chat', routing_mode: 'single' });
  const [tried, setTried] = useState(false);
  const create = useAct((body: ChannelOrder) => read(api.POST('/v1/channels', { body })));
  const faults = { ...(tried ? faultsOf(platform.fields, entries) : {}), ...refusedFields(create.error) };

  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setTried(true);
    if (Object.keys(faultsOf(platform.fields, entries)).length > 0) return;
    const order = { channel_type: platform.type, name, ...routing, config: configOf(platform.fields, entries) };
    create.mutate(order, {
      onSuccess: ({ id, verification_code: code, verification_expires_at: expiresAt }) => {
        queries.setQueryData(['channel-code', id], { code, expiresAt });
        void navigate({ to: '/channels/$channelId', params: { channelId: id } });
      },
    });
  };
  return (
    <form className="channel-form" onSubmit={submit} noValidate>
      <ol className="channel-preparation">
        {platform.preparation.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      <TextField
        label="Name"
        hint="For people; the platform does not see it."
        isRequired
        value={name}
        onChange={setName}
      />
      <RouteFields routing={routing} onChange={setRouting} />
      <ConfigFields fields={platform.fields} entries={entries} onChange={setEntries} errors={faults} />
      {create.error && <Failure error={create.error} />}
      <div className="actions">
        <Button onPress={onCancel}>Cancel</Button>
        <Button kind="main" type="submit" isDisabled={create.isPending || name.trim() === ''}>
          Create channel
        </Button>
      </div>
    </form>
  );
}

/** A server on the person's own machine has no address that a platform could reach. */
function defaultsOf({ fields }: Platform): Entries {
  const isLocal = /^(localhost|127\.|\[::1\])/.test(location.hostname);
  const canPoll = fields.some(({ name, choices }) => name === 'transport' && choices?.includes('polling'));
  return isLocal && canPoll ? { transport: 'polling' } : {};
}

/** The server's errors by field name. */
function refusedFields(error: Error | null): Record<string, string> {
  if (!(error instanceof Problem)) return {};
  return Object.fromEntries(
    (error.body.errors ?? []).map(({ path, detail }) => [path.replace(/^config\./, ''), detail]),
  );
}
