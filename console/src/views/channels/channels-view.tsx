import { getRouteApi, Link } from '@tanstack/react-router';
import { mayManage, useSession } from '../../session/session.js';
import { useTitle } from '../../shell/use-title.js';
import { Button } from '../../ui/button.js';
import { MoreThanShown } from '../../ui/more-than-shown.js';
import { Dialog } from '../../ui/dialog.js';
import { Empty, Failure, Skeleton } from '../../ui/states.js';
import { Status } from '../../ui/status.js';
import { ViewHead } from '../../ui/view-head.js';
import { VisibleText } from '../../ui/visible-text.js';
import { useChannels, usePlatforms, type Channel, type Platform } from './channel-data.js';
import { NewChannel } from './new-channel.js';
import './channels.css';

const route = getRouteApi('/channels');

/** All channels, and a button to create one. */
export function ChannelsView() {
  useTitle('Channels');
  const channels = useChannels();
  const platforms = usePlatforms();
  const isManager = mayManage(useSession());
  const { create } = route.useSearch();
  const navigate = route.useNavigate();
  const open = (type?: string) => void navigate({ search: type === undefined ? {} : { create: type } });
  const error = channels.error ?? platforms.error;
  return (
    <>
      <ViewHead title="Channels">
        {isManager && <PlatformButtons platforms={platforms.data ?? []} onChoose={open} />}
      </ViewHead>
      {error && !channels.data ? (
        <Failure error={error} onRetry={() => void Promise.all([channels.refetch(), platforms.refetch()])} />
      ) : channels.data ? (
        <>
          <ChannelList channels={channels.data.items} platforms={platforms.data ?? []} isManager={isManager} />
          <MoreThanShown list={channels.data} where="GET /v1/channels" />
        </>
      ) : (
        <Skeleton lines={4} />
      )}
      <CreateDialog
        platform={isManager ? platforms.data?.find(({ type }) => type === create) : undefined}
        onClose={() => open()}
      />
    </>
  );
}

function PlatformButtons({ platforms, onChoose }: { platforms: Platform[]; onChoose: (type: string) => void }) {
  return (
    <>
      {platforms.map(({ type, title }) => (
        <Button key={type} onPress={() => onChoose(type)} aria-label={`New channel: ${title}`}>
          + {title}
        </Button>
      ))}
    </>
  );
}

interface ChannelListProps {
  channels: Channel[];
  platforms: Platform[];
  isManager: boolean;
}

function ChannelList({ channels, platforms, isManager }: ChannelListProps) {
  if (channels.length === 0 && !isManager)
    return <Empty title="No channel yet">An admin connects bots of Telegram, WhatsApp or Slack to the agents.</Empty>;
  if (channels.length === 0) {
    return (
      <Empty title="No channel yet" command="npm run demo:chat">
        A channel connects a bot of Telegram, WhatsApp or Slack to your agents: a message starts a run, the answer goes
        back to the chat, and buttons approve tool calls. Choose a platform above. To see it work without an account,
        run the demonstration:
      </Empty>
    );
  }
  const titles = new Map(platforms.map(({ type, title }) => [type, title]));
  return (
    <ul className="channels card">
      {channels.map((channel) => (
        <li key={channel.id}>
          <Link to="/channels/$channelId" params={{ channelId: channel.id }}>
            <span className="name cut">
              <VisibleText text={channel.name} />
            </span>
            <span className="platform">{titles.get(channel.channel_type) ?? channel.channel_type}</span>
            <span className="bound cut">
              <VisibleText text={boundText(channel)} />
            </span>
            <ChannelState channel={channel} />
          </Link>
        </li>
      ))}
    </ul>
  );
}

function boundText({ agents }: Channel): string {
  return agents.length === 0 ? 'no agent' : agents.map(({ agent_name }) => agent_name).join(', ');
}

/** What keeps a channel from working, or that it works. */
export function ChannelState({ channel }: { channel: Channel }) {
  if (!channel.enabled) return <Status status="disabled" tone="off" />;
  if (channel.fault !== null) return <Status status="fault" tone="bad" />;
  if (!channel.verified) return <Status status="not verified" tone="wait" />;
  if (channel.agents.length === 0) return <Status status="no agent" tone="wait" />;
  return <Status status="ready" tone="done" />;
}

function CreateDialog({ platform, onClose }: { platform: Platform | undefined; onClose: () => void }) {
  return (
    <Dialog
      title={platform ? `New channel: ${platform.title}` : ''}
      isOpen={platform !== undefined}
      onClose={onClose}
      wide
    >
      {platform && <NewChannel platform={platform} onCancel={onClose} />}
    </Dialog>
  );
}
