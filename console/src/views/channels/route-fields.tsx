import { SelectField } from '../../ui/field.js';
import type { Channel } from './channel-data.js';

/** Who gets the messages of a channel, and in which thread. */
export type Routing = Pick<Channel, 'session_mode' | 'routing_mode'>;

export const SESSIONS: Record<Channel['session_mode'], string> = {
  per_chat: 'a chat with an agent',
  per_user: 'a person in a chat',
  per_message: 'a message',
};
export const ROUTES: Record<Channel['routing_mode'], string> = {
  single: 'the default agent',
  command: 'the agent of the command, /name text',
};

/** The two settings that channels of every platform have. */
export function RouteFields({ routing, onChange }: { routing: Routing; onChange: (routing: Routing) => void }) {
  return (
    <>
      <SelectField
        label="Messages go to"
        value={routing.routing_mode}
        onChange={(mode) => onChange({ ...routing, routing_mode: mode as Routing['routing_mode'] })}
        options={Object.entries(ROUTES).map(([value, name]) => ({ value, name }))}
      />
      <SelectField
        label="A thread is"
        value={routing.session_mode}
        onChange={(mode) => onChange({ ...routing, session_mode: mode as Routing['session_mode'] })}
        options={Object.entries(SESSIONS).map(([value, name]) => ({ value, name }))}
      />
    </>
  );
}
