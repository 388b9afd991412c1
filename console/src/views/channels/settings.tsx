import { useState, type SubmitEvent } from 'react';
import { api, read } from '../../api/client.js';
import { Button } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';
import { TextField } from '../../ui/field.js';
import { Failure } from '../../ui/states.js';
import { useAct, type Channel } from './channel-data.js';
import { RouteFields, type Routing } from './route-fields.js';

/** The settings of a channel that can be changed without its secrets. */
export function Settings({ channel, onClose }: { channel: Channel; onClose: () => void }) {
  const [name, setName] = useState(channel.name);
  const [routing, setRouting] = useState<Routing>({
    session_mode: channel.session_mode,
    routing_mode: channel.routing_mode,
  });
  const save = useAct((body: Routing & { name: string }) =>
    read(api.PATCH('/v1/channels/{id}', { params: { path: { id: channel.id } }, body })),
  );
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    save.mutate({ name, ...routing }, { onSuccess: onClose });
  };
  return (
    <Dialog title="Settings" isOpen onClose={onClose}>
      <form className="channel-form" onSubmit={submit}>
        <TextField label="Name" isRequired value={name} onChange={setName} />
        <RouteFields routing={routing} onChange={setRouting} />
        {save.error && <Failure error={save.error} />}
        <div className="actions">
          <Button onPress={onClose}>Cancel</Button>
          <Button kind="main" type="submit" isDisabled={save.isPending || name.trim() === ''}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
