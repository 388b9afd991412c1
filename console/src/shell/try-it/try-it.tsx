import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, read } from '../../api/client.js';
import { Problem } from '../../api/problem.js';
import { randomKey } from '../../lib/random-key.js';
import { useSession } from '../../session/session.js';
import { Button } from '../../ui/button.js';
import { Command, Failure } from '../../ui/states.js';
import { TOKEN_COMMAND, type CommandOf } from './commands.js';
import './try-it.css';

/** The token's lifetime in seconds: long enough to try things, short enough to be left in a shell's history. */
const TOKEN_SECONDS = 86_400;

/** A shell command that reports something to the server. Its token is created on a press and kept in this view only. */
export function TryIt({ commandOf }: { commandOf: CommandOf }) {
  const session = useSession();
  const [runId] = useState(() => `run-${randomKey().slice(0, 8)}`);
  const isForbidden = session.at === 'in' && session.session !== null && session.session.scope !== 'admin';
  const {
    data: token,
    error,
    isPending,
    mutate,
  } = useMutation({
    mutationFn: async () => {
      const body = { scope: 'runner' as const, name: 'first steps', expires_in_seconds: TOKEN_SECONDS };
      return (await read(api.POST('/v1/tokens', { body }))).token;
    },
  });
  if (token !== undefined) {
    return (
      <div className="try-it">
        <Command text={commandOf(location.origin, token, runId)} />
        <p className="say">Its token reports and reads runs for 24 hours. It is shown only once, on this page.</p>
      </div>
    );
  }
  if (isForbidden || (error instanceof Problem && error.status === 403)) {
    return (
      <div className="try-it">
        <p className="say">This session can&apos;t create tokens. On the server, run:</p>
        <Command text={TOKEN_COMMAND} />
        <p className="say">With that token, this command reports:</p>
        <Command text={commandOf(location.origin, null, runId)} />
      </div>
    );
  }
  return (
    <div className="try-it">
      <Button kind="main" isDisabled={isPending} onPress={() => mutate()}>
        Create a token and show the command
      </Button>
      {error !== null && <Failure error={error} onRetry={() => mutate()} />}
    </div>
  );
}
