import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode, type SubmitEvent } from 'react';
import { api, read } from '../../api/client.js';
import { Button } from '../../ui/button.js';
import { CopyButton } from '../../ui/copy-button.js';
import { TextField } from '../../ui/field.js';
import { Icon } from '../../ui/icon.js';
import { Failure, Remedy } from '../../ui/states.js';
import { VisibleText } from '../../ui/visible-text.js';
import { isForbidden } from '../../api/problem.js';
import { mayManage, useSession } from '../../session/session.js';
import { useNow } from '../../ui/now.js';
import { formatDuration } from '../../lib/format.js';
import { BoundAgents } from './bound-agents.js';
import { remedyFor, useAccount, useAct, type Channel, type Platform } from './channel-data.js';

/** The steps of a channel's setup, in order, showing which are done. */
export function SetUp({ channel, platform }: { channel: Channel; platform: Platform }) {
  return (
    <section className="card channel-part" aria-labelledby="set-up">
      <h2 id="set-up">Set-up</h2>
      <ol className="setup-steps">
        <Account channel={channel} platform={platform} />
        <Step isDone={isDelivered(channel) && channel.fault === null} title="Messages reach this server">
          <Delivery channel={channel} platform={platform} />
        </Step>
        <Step isDone={channel.agents.length > 0} title="An agent answers">
          <BoundAgents channel={channel} />
        </Step>
        <Step isDone={channel.verified} title="The bot is yours">
          {channel.verified ? <p>Verified. People can write to it.</p> : <Verification channel={channel} />}
        </Step>
      </ol>
    </section>
  );
}

function Step({ isDone, title, children }: { isDone: boolean; title: string; children: ReactNode }) {
  return (
    <li className={isDone ? 'done' : 'open'}>
      <h3>
        <span className="mark">{isDone && <Icon name="check" />}</span>
        {title}
        <span className="unseen">{isDone ? ' (done)' : ' (to do)'}</span>
      </h3>
      <div className="setup-body">{children}</div>
    </li>
  );
}

/** Whether the platform accepts the account; only people who may change channels can check it. */
function Account({ channel, platform }: { channel: Channel; platform: Platform }) {
  const { data, error, isFetching, refetch } = useAccount(channel);
  if (isForbidden(error)) return null;
  const name = data?.user_name ?? data?.user_id;
  return (
    <Step isDone={data !== undefined && !error} title={`${platform.title} knows the account`}>
      {error ? (
        <Failure
          error={error}
          platform={platform.title}
          remedy={remedyFor(platform, error.message)}
          onRetry={() => void refetch()}
        />
      ) : data ? (
        <p>
          {name ? 'Found: ' : 'Found.'}
          {name && (
            <strong>
              <VisibleText text={name} />
            </strong>
          )}
        </p>
      ) : (
        <p>{isFetching ? `Asking ${platform.title}…` : ''}</p>
      )}
    </Step>
  );
}

/** Why messages do not arrive, as long as they do not. */
function DeliveryFault({ channel: { fault }, platform }: { channel: Channel; platform: Platform }) {
  const remedy = remedyFor(platform, fault);
  return fault === null ? null : (
    <div className="failure" role="alert">
      <p>
        <strong>
          <VisibleText text={fault} />
        </strong>
      </p>
      {remedy && <Remedy text={remedy} />}
    </div>
  );
}

function polls({ config }: Channel): boolean {
  return config?.transport === 'polling';
}

function isDelivered(channel: Channel): boolean {
  return polls(channel) || channel.webhook_url !== null;
}

function Delivery({ channel, platform }: { channel: Channel; platform: Platform }) {
  const [address, setAddress] = useState(location.protocol === 'https:' ? location.origin : '');
  const setUp = useAct((base_url: string) =>
    read(api.POST('/v1/channels/{id}/setup-webhook', { params: { path: { id: channel.id } }, body: { base_url } })),
  );
  const isManager = mayManage(useSession());
  if (polls(channel)) {
    return (
      <>
        <DeliveryFault channel={channel} platform={platform} />
        <p>This server asks {platform.title} for new messages. It needs no public address.</p>
      </>
    );
  }
  if (!isManager) {
    return (
      <>
        <DeliveryFault channel={channel} platform={platform} />
        <p>{channel.webhook_url ? `${platform.title} delivers to this server.` : 'An admin sets up the webhook.'}</p>
      </>
    );
  }
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setUp.mutate(address.trim());
  };
  return (
    <form className="channel-form" onSubmit={submit}>
      <DeliveryFault channel={channel} platform={platform} />
      {channel.webhook_url && (
        <p>
          {platform.title} delivers to <code>{channel.webhook_url}</code>
          <CopyButton text={channel.webhook_url} label="Copy the address" />
        </p>
      )}
      <TextField
        label="Public address of this server"
        hint="The https address at which the platform reaches it: your proxy or tunnel."
        isRequired
        placeholder="https://bots.example.com"
        value={address}
        onChange={setAddress}
      />
      <div>
        <Button type="submit" isDisabled={setUp.isPending || address.trim() === ''}>
          {channel.webhook_url ? 'Set up again' : 'Set up the webhook'}
        </Button>
      </div>
      {setUp.error && (
        <Failure error={setUp.error} platform={platform.title} remedy={remedyFor(platform, setUp.error.message)} />
      )}
      {setUp.data && <Instructions title={platform.title} lines={setUp.data.instructions} />}
    </form>
  );
}

function Instructions({ title, lines }: { title: string; lines: string[] }) {
  if (lines.length === 0) return <p role="status">{title} has registered it.</p>;
  return (
    <div role="status">
      <p>Now enter this at {title}:</p>
      <ol>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ol>
    </div>
  );
}

interface PendingCode {
  code: string;
  expiresAt: string;
}

function Verification({ channel }: { channel: Channel }) {
  return mayManage(useSession()) ? (
    <CodeToVerify channel={channel} />
  ) : (
    <p>An admin creates a code here, and somebody sends it to the bot.</p>
  );
}

function CodeToVerify({ channel }: { channel: Channel }) {
  const queries = useQueryClient();
  // Creating a channel or renewing its code stores the code here. No other response contains it, so it is not fetched with the channel.
  const key = ['channel-code', channel.id];
  const { data: pending } = useQuery<PendingCode | null>({ queryKey: key, queryFn: skipToken });
  const path = { id: channel.id };
  const renew = useAct(async () => {
    const { verification_code: code, verification_expires_at: expiresAt } = await read(
      api.POST('/v1/channels/{id}/verification-code', { params: { path } }),
    );
    queries.setQueryData(key, { code, expiresAt });
  });
  const verify = useAct((code: string) =>
    read(api.POST('/v1/channels/{id}/verify', { params: { path }, body: { code } })),
  );
  const left = Date.parse(pending?.expiresAt ?? '') - useNow();
  if (!pending || !(left > 0)) {
    return (
      <>
        <p>
          {pending ? 'The code has expired.' : 'A code proves that the bot is yours.'} Send a new one to the bot in a
          chat.
        </p>
        <Button isDisabled={renew.isPending} onPress={() => renew.mutate()}>
          New code
        </Button>
        {renew.error && <Failure error={renew.error} />}
      </>
    );
  }
  return (
    <>
      <p>Send this code to the bot in a chat. You may then also approve tool calls there.</p>
      <p className="setup-code">
        <output>{pending.code}</output>
        <CopyButton text={pending.code} label="Copy the code" />
        <span>valid for {formatDuration(left)}</span>
      </p>
      <p>
        Without a chat at hand,{' '}
        <Button kind="quiet" isDisabled={verify.isPending} onPress={() => verify.mutate(pending.code)}>
          verify it here
        </Button>
      </p>
      {verify.error && <Failure error={verify.error} />}
    </>
  );
}
