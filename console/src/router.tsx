import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { Shell } from './shell/shell.js';
import { Broken } from './shell/broken.js';
import { NotFound } from './shell/not-found.js';
import { RunsView } from './views/runs/runs-view.js';
import { runsSearch } from './views/runs/runs-search.js';
import { threadSearch } from './views/thread/thread-search.js';
import { agentsSearch } from './views/agents/agents-search.js';
import { channelsSearch } from './views/channels/channels-search.js';
import { systemSearch } from './views/system/system-search.js';
import { newRuleSearch, rulesSearch } from './views/rules/rules-search.js';
import { approvalsSearch } from './views/approvals/approvals-search.js';

/** The views by address. A person's choices (filters, tab, step) are in the query, which the view's `…Search` reads and checks. */
const root = createRootRouteWithContext<{ queries: QueryClient }>()({ component: Shell, notFoundComponent: NotFound });

export const runsRoute = createRoute({
  getParentRoute: () => root,
  path: '/',
  validateSearch: runsSearch,
  component: RunsView,
});

/** People look for the list here, because it is called Threads. */
const threadsRoute = createRoute({
  getParentRoute: () => root,
  path: '/threads',
  validateSearch: runsSearch,
  beforeLoad: ({ search }) => {
    throw redirect({ to: '/', search, replace: true });
  },
});

export const threadRoute = createRoute({
  getParentRoute: () => root,
  path: '/threads/$threadId',
  validateSearch: threadSearch,
  component: lazyRouteComponent(() => import('./views/thread/thread-view.js'), 'ThreadView'),
});

export const approvalsRoute = createRoute({
  getParentRoute: () => root,
  path: '/approvals',
  validateSearch: approvalsSearch,
  component: lazyRouteComponent(() => import('./views/approvals/approvals-view.js'), 'ApprovalsView'),
});

export const rulesRoute = createRoute({
  getParentRoute: () => root,
  path: '/rules',
  validateSearch: rulesSearch,
  component: lazyRouteComponent(() => import('./views/rules/rules-view.js'), 'RulesView'),
});

export const newRuleRoute = createRoute({
  getParentRoute: () => root,
  path: '/rules/new',
  validateSearch: newRuleSearch,
  component: lazyRouteComponent(() => import('./views/rules/new-rule-view.js'), 'NewRuleView'),
});

export const ruleRoute = createRoute({
  getParentRoute: () => root,
  path: '/rules/$ruleId',
  component: lazyRouteComponent(() => import('./views/rules/rule-view.js'), 'RuleView'),
});

export const channelsRoute = createRoute({
  getParentRoute: () => root,
  path: '/channels',
  validateSearch: channelsSearch,
  component: lazyRouteComponent(() => import('./views/channels/channels-view.js'), 'ChannelsView'),
});

export const channelRoute = createRoute({
  getParentRoute: () => root,
  path: '/channels/$channelId',
  component: lazyRouteComponent(() => import('./views/channels/channel-view.js'), 'ChannelView'),
});

export const agentsRoute = createRoute({
  getParentRoute: () => root,
  path: '/agents',
  validateSearch: agentsSearch,
  component: lazyRouteComponent(() => import('./views/agents/agents-view.js'), 'AgentsView'),
});

export const systemRoute = createRoute({
  getParentRoute: () => root,
  path: '/system',
  validateSearch: systemSearch,
  component: lazyRouteComponent(() => import('./views/system/system-view.js'), 'SystemView'),
});

export function createConsoleRouter(queries: QueryClient) {
  return createRouter({
    routeTree: root.addChildren([
      runsRoute,
      threadsRoute,
      threadRoute,
      approvalsRoute,
      rulesRoute,
      newRuleRoute,
      ruleRoute,
      channelsRoute,
      channelRoute,
      agentsRoute,
      systemRoute,
    ]),
    basepath: '/console',
    context: { queries },
    defaultPreload: 'intent',
    defaultErrorComponent: Broken,
    scrollRestoration: true,
  });
}
