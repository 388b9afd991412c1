import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, read } from '../../api/client.js';
import { visibleString } from '../../lib/visible-text.js';
import { mayManage, useSession } from '../../session/session.js';
import { useTitle } from '../../shell/use-title.js';
import { Button } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';
import { Figures } from '../../ui/figures.js';
import { Failure, Skeleton } from '../../ui/states.js';
import { Age } from '../../ui/time.js';
import { ViewHead } from '../../ui/view-head.js';
import { VisibleText } from '../../ui/visible-text.js';
import { useAct, useChannel, usePlatforms, type Channel, type Platform } from './channel-data.js';
import { ChannelState } from './channels-view.js';
import { MessageLog } from './message-log.js';
import { ROUTES, SESSIONS } from './route-fields.js';
import { Secrets } from './secrets.js';
import { Settings } from './settings.js';
import { SetUp } from './set-up.js';
import './channels.css';

const route = getRouteApi('/channels/$channelId');

/** One channel: its remaining setup, its settings and its messages. */
export function ChannelView() {
  const { channelId } = route.useParams();
  const channel = useChannel(channelId);
  const platforms = usePlatforms();
  useTitle(channel.data?.name ?? 'Channel');
  const platform = platforms.data?.find(({ type }) => type === channel.data?.channel_type);
  if (channel.error && !channel.data) return <Failure error={channel.error} onRetry={() => void channel.refetch()} />;
  if (!channel.data || !platform) return <Skeleton lines={6} />;
  return <OpenChannel channel={channel.data} platform={platform} />;
}

function OpenChannel({ channel, platform }: { channel: Channel; platform: Platform }) {
  const isManager = mayManage(useSession());
  return (
    <>
      <p className="channel-trail">
        <Link to="/channels">Channels</Link>
      </p>
      <ViewHead title={<VisibleText text={channel.name} />} state={<ChannelState channel={channel} />}>
        {isManager && <ChannelActs channel={channel} platform={platform} />}
      </ViewHead>
      <Figures
        items={[
          { name: 'Platform', value: platform.title },
          { name: 'A thread is', value: SESSIONS[channel.session_mode] },
          { name: 'Messages go to', value: ROUTES[channel.routing_mode] },
          { name: 'Created', value: <Age time={channel.created_at} suffix="ago" /> },
        ]}
      />
      <div className="channel-parts">
        <SetUp channel={channel} platform={platform} />
        <MessageLog channelId={channel.id} platform={platform} />
      </div>
    </>
  );
}

function ChannelActs({ channel, platform }: { channel: Channel; platform: Platform }) {
  const [asked, setAsked] = useState<'settings' | 'secrets' | 'delete' | null>(null);
  const enable = useAct((enabled: boolean) =>
    read(api.PATCH('/v1/channels/{id}', { params: { path: { id: channel.id } }, body: { enabled } })),
  );
  return (
    <>
      <Button isDisabled={enable.isPending} onPress={() => enable.mutate(!channel.enabled)}>
        {channel.enabled ? 'Disable' : 'Enable'}
      </Button>
      <Button onPress={() => setAsked('settings')}>Settings</Button>
      <Button onPress={() => setAsked('secrets')}>Replace config</Button>
      <Button kind="danger" onPress={() => setAsked('delete')}>
        Remove
      </Button>
      {enable.error && <Failure error={enable.error} />}
      <Dialog title="Replace the config" isOpen={asked === 'secrets'} onClose={() => setAsked(null)} wide>
        <Secrets channel={channel} platform={platform} onDone={() => setAsked(null)} />
      </Dialog>
      {asked === 'settings' && <Settings channel={channel} onClose={() => setAsked(null)} />}
      {asked === 'delete' && <Removal channel={channel} onClose={() => setAsked(null)} />}
    </>
  );
}

function Removal({ channel, onClose }: { channel: Channel; onClose: () => void }) {
  const navigate = useNavigate();
  const remove = useAct(() => read(api.DELETE('/v1/channels/{id}', { params: { path: { id: channel.id } } })));
  const confirm = () => remove.mutate(undefined, { onSuccess: () => void navigate({ to: '/channels' }) });
  return (
    <Dialog
      title={`Remove ${visibleString(channel.name)}?`}
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Keep it</Button>
          <Button kind="danger" isDisabled={remove.isPending} onPress={confirm}>
            Remove
          </Button>
        </>
      }
    >
      <p>Its bound agents, sessions and messages go with it. The threads stay.</p>
      {remove.error && <Failure error={remove.error} />}
    </Dialog>
  );
}
