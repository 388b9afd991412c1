import { useQuery } from '@tanstack/react-query';
import { useState, type SubmitEvent } from 'react';
import { agentsQuery } from '../../api/lists.js';
import { api, read } from '../../api/client.js';
import { visibleString } from '../../lib/visible-text.js';
import { mayManage, useSession } from '../../session/session.js';
import { Button } from '../../ui/button.js';
import { CheckField, TextField } from '../../ui/field.js';
import { Failure } from '../../ui/states.js';
import { VisibleText } from '../../ui/visible-text.js';
import { useAct, type Channel } from './channel-data.js';

const AGENTS_EVERY_MS = 5_000;

/** The agents that get the channel's messages, and a form to bind another. */
export function BoundAgents({ channel }: { channel: Channel }) {
  const unbind = useAct((name: string) =>
    read(api.DELETE('/v1/channels/{id}/agents/{name}', { params: { path: { id: channel.id, name } } })),
  );
  const isManager = mayManage(useSession());
  return (
    <>
      {channel.agents.length > 0 && (
        <ul className="channel-bindings">
          {channel.agents.map(({ agent_name: name, is_default, command }) => (
            <li key={name}>
              <VisibleText text={name} />
              <span>
                <VisibleText text={[is_default && 'default', command].filter(Boolean).join(' · ')} />
              </span>
              {isManager && (
                <Button
                  kind="quiet"
                  icon="close"
                  aria-label={`Unbind ${visibleString(name)}`}
                  onPress={() => unbind.mutate(name)}
                />
              )}
            </li>
          ))}
        </ul>
      )}
      {unbind.error && <Failure error={unbind.error} />}
      {!isManager ? (
        channel.agents.length === 0 && <p>No agent is bound. An admin binds one.</p>
      ) : channel.agents.length === 0 ? (
        <BindForm channel={channel} />
      ) : (
        <details>
          <summary>Bind another agent</summary>
          <BindForm channel={channel} />
        </details>
      )}
    </>
  );
}

function BindForm({ channel }: { channel: Channel }) {
  const [name, setName] = useState('');
  const [command, setCommand] = useState('');
  const [isDefault, setDefault] = useState(false);
  const bind = useAct((body: { agent_name: string; is_default?: boolean; command?: string }) =>
    read(api.POST('/v1/channels/{id}/agents', { params: { path: { id: channel.id } }, body })),
  );
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const body = {
      agent_name: name.trim(),
      ...(isDefault && { is_default: true }),
      ...(command.trim() && { command: command.trim() }),
    };
    bind.mutate(body, { onSuccess: () => (setName(''), setCommand('')) });
  };
  return (
    <form className="channel-form" onSubmit={submit}>
      <OnlineAgents bound={channel.agents.map(({ agent_name }) => agent_name)} onChoose={setName} />
      <TextField label="Agent" hint="Its id, as its heartbeats name it." isRequired value={name} onChange={setName} />
      {channel.routing_mode === 'command' && (
        <TextField
          label="Command"
          hint="Messages that begin with it go to this agent."
          placeholder="/support"
          value={command}
          onChange={setCommand}
        />
      )}
      {channel.agents.length > 0 && (
        <CheckField label="Default" hint="Gets messages that name no command." isOn={isDefault} onChange={setDefault} />
      )}
      <div>
        <Button type="submit" isDisabled={bind.isPending || name.trim() === ''}>
          Bind the agent
        </Button>
      </div>
      {bind.error && <Failure error={bind.error} />}
    </form>
  );
}

function OnlineAgents({ bound, onChoose }: { bound: string[]; onChoose: (name: string) => void }) {
  const { data } = useQuery({
    ...agentsQuery,
    // An agent may start at any time.
    refetchInterval: AGENTS_EVERY_MS,
  });
  // Online agents first: the list contains every agent that ever called.
  const known = [...(data?.items ?? [])].sort((one, other) => Number(other.online) - Number(one.online));
  const free = known.filter(({ agent_id, endpoint }) => endpoint !== null && !bound.includes(agent_id));
  if (free.length === 0) return null;
  return (
    <p className="agent-offers">
      Known:
      {free.slice(0, 12).map(({ agent_id, online }) => (
        <Button key={agent_id} onPress={() => onChoose(agent_id)}>
          {visibleString(agent_id)}
          {online ? '' : ' (away)'}
        </Button>
      ))}
    </p>
  );
}
