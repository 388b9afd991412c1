import { Link, Outlet } from '@tanstack/react-router';
import { useReachable } from '../api/reachable.js';
import { Icon, type IconName } from '../ui/icon.js';
import { Brand } from './brand.js';
import { Foot } from './foot.js';
import { DOCS } from './search/finds.js';
import { Search } from './search/search.js';
import { useWaitingCount } from './waiting-count.js';
import './shell.css';

const VIEWS = [
  { to: '/', name: 'Threads', icon: 'runs' },
  { to: '/approvals', name: 'Approvals', icon: 'approvals' },
  { to: '/rules', name: 'Rules', icon: 'rules' },
  { to: '/channels', name: 'Channels', icon: 'channels' },
  { to: '/agents', name: 'Agents', icon: 'agents' },
  { to: '/system', name: 'System', icon: 'system' },
] as const satisfies readonly { to: string; name: string; icon: IconName }[];

/** The frame of every view: the navigation, at the side or at the bottom of a narrow window, and the alert for a lost server. */
export function Shell() {
  return (
    <div className="shell">
      <a className="skip" href="#main">
        Skip to the view
      </a>
      <header className="side">
        <Brand />
        <Search />
        <Navigation />
        <Foot />
      </header>
      <div className="content">
        <LostServer />
        <main id="main" tabIndex={-1}>
          <Outlet />
        </main>
      </div>
    </div>
  );
}

function Navigation() {
  const waiting = useWaitingCount();
  return (
    <nav className="navigation" aria-label="Views">
      {VIEWS.map(({ to, name, icon }) => (
        <Link key={to} to={to} activeOptions={{ exact: to === '/', includeSearch: false }}>
          <Icon name={icon} />
          {name}
          {to === '/approvals' && waiting > 0 && (
            <span className="count">
              {waiting}
              <span className="unseen"> waiting</span>
            </span>
          )}
        </Link>
      ))}
      <a className="docs" href={DOCS}>
        <Icon name="docs" />
        Docs
      </a>
    </nav>
  );
}

function LostServer() {
  return useReachable() ? null : (
    <div className="lost" role="alert">
      <Icon name="warning" />
      <span>
        <strong>Waystation does not answer.</strong> What you see may be out of date. The page reconnects by itself.
      </span>
    </div>
  );
}
