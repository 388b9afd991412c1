import { useState, type SubmitEvent } from 'react';
import { api, read } from '../../api/client.js';
import { Button } from '../../ui/button.js';
import { SelectField, TextField } from '../../ui/field.js';
import { Command, Failure } from '../../ui/states.js';
import { useAccessAct, type CreatedToken, type TokenOrder } from './system-data.js';

const SCOPES: { value: TokenOrder['scope']; name: string }[] = [
  { value: 'runner', name: 'runner: reports and resumes runs' },
  { value: 'approver', name: 'approver: decides on tool calls' },
  { value: 'reader', name: 'reader: reads, changes nothing' },
  { value: 'metrics', name: 'metrics: reads the metrics' },
  { value: 'admin', name: 'admin: does everything' },
];
const HOUR = 3_600;
const SPANS = [
  { value: '', name: 'never' },
  { value: `${HOUR}`, name: 'in an hour' },
  { value: `${24 * HOUR}`, name: 'in a day' },
  { value: `${30 * 24 * HOUR}`, name: 'in 30 days' },
  { value: `${365 * 24 * HOUR}`, name: 'in a year' },
];

/** Creates a token and shows it, only once. */
export function NewToken({ onMade, onDone }: { onMade: () => void; onDone: () => void }) {
  const make = useAccessAct((body: TokenOrder) => read(api.POST('/v1/tokens', { body })));
  return make.data ? (
    <Made token={make.data} onDone={onDone} />
  ) : (
    <Order
      onOrder={(order) => make.mutate(order, { onSuccess: onMade })}
      isPending={make.isPending}
      error={make.error}
      onDone={onDone}
    />
  );
}

function Made({ token: { token, scope }, onDone }: { token: CreatedToken; onDone: () => void }) {
  return (
    <>
      <p role="status">Your new token, with scope {scope}. It is shown only once: store it now.</p>
      <Command text={token} label="Copy the token" />
      <div className="actions">
        <Button kind="main" onPress={onDone}>
          I have stored it
        </Button>
      </div>
    </>
  );
}

interface OrderProps {
  onOrder: (order: TokenOrder) => void;
  isPending: boolean;
  error: Error | null;
  onDone: () => void;
}

function Order({ onOrder, isPending, error, onDone }: OrderProps) {
  const [scope, setScope] = useState<TokenOrder['scope']>('runner');
  const [name, setName] = useState('');
  const [agents, setAgents] = useState('');
  const [span, setSpan] = useState('');
  // Not at blanks: ids may contain them.
  const ids = agents
    .split(/[,;\n]/)
    .map((id) => id.trim())
    .filter(Boolean);
  const takesAgents = scope === 'runner' || scope === 'reader';
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    onOrder({
      scope,
      ...(name.trim() && { name: name.trim() }),
      ...(takesAgents && ids.length > 0 && { agent_ids: ids }),
      ...(span && { expires_in_seconds: Number(span) }),
    });
  };
  return (
    <form className="token-order" onSubmit={submit}>
      <SelectField label="Scope" isRequired value={scope} onChange={setScope} options={SCOPES} />
      <TextField label="Name" hint="Shown in the list of tokens and with decisions." value={name} onChange={setName} />
      {takesAgents && (
        <TextField
          label="Agents"
          hint="Ids, separated by commas. Empty for any agent."
          value={agents}
          onChange={setAgents}
        />
      )}
      <SelectField label="Expires" value={span} onChange={setSpan} options={SPANS} />
      {error && <Failure error={error} />}
      <div className="actions">
        <Button onPress={onDone}>Cancel</Button>
        <Button kind="main" type="submit" isDisabled={isPending}>
          Create the token
        </Button>
      </div>
    </form>
  );
}
