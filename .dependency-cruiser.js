/** The arrows of ARCHITECTURE.md: each rule with its reason. `npm run arch` checks them. */

const FEATURES = ['threads', 'approvals', 'runners', 'channels', 'triggers', 'tokens', 'health'];
/** What a feature may use of which others: `channels -> runners -> approvals -> threads`, skipping allowed. */
const BELOW = {
  threads: [],
  approvals: ['threads'],
  runners: ['threads', 'approvals'],
  channels: ['threads', 'approvals', 'runners'],
};
/** The rooms of channels, each with those that it may use. */
const ROOMS_OF_CHANNELS = {
  platforms: [],
  accounts: ['platforms'],
  messages: ['platforms', 'accounts'],
  inbox: ['platforms', 'accounts', 'messages'],
  conversations: ['platforms', 'accounts', 'messages'],
};
/** The rooms of triggers, each with those that it may use; all may use `run-settings.ts` and `run-launcher.ts` beside them. */
const ROOMS_OF_TRIGGERS = {
  definition: [],
  program: [],
  reporter: [],
  heartbeat: ['reporter'],
  tokens: ['reporter'],
  runs: ['definition', 'program', 'reporter', 'heartbeat', 'tokens'],
  schedule: ['definition'],
  webhooks: ['definition', 'heartbeat'],
};
/** What the adapters of messaging platforms are written against. */
const ADAPTER_PORT =
  '^src/modules/channels/platforms/(channel-adapter|channel-config|inbound-update|outbound-message|platform-calls|platform-failure)\\.ts$';
const ENTRIES = '^src/(main|agent|cli|create-app|create-agent|app\\.module|agent\\.module)\\.ts$|^src/cli/';

function featureRule(feature) {
  const allowed = [feature, ...(BELOW[feature] ?? [])].join('|');
  return {
    name: `${feature}-uses-only-what-is-below`,
    comment:
      'What a person decides must not depend on who reports it, nor a record on what is built upon it: so each can be changed alone.',
    severity: 'error',
    from: { path: `^src/modules/${feature}/` },
    to: { path: '^src/modules/', pathNot: `^src/modules/(${allowed})/` },
  };
}

export default {
  forbidden: [
    ...FEATURES.map(featureRule),
    {
      name: 'features-meet-at-their-services',
      comment:
        'Repositories, entities and rules of a feature are its own business; its services, events, module, contract and the shapes of its answers are what it promises, types included.',
      severity: 'error',
      from: { path: '^src/modules/([^/]+)/' },
      to: {
        path: '^src/modules/',
        pathNot: ['^src/modules/$1/', '\\.(service|events|module|dto|contract)\\.ts$'],
      },
    },
    ...Object.entries(ROOMS_OF_CHANNELS).map(([room, below]) => ({
      name: `${room}-of-channels-use-only-what-is-below`,
      comment: 'Each room of channels is a Nest module: what it shows the others is what its module exports.',
      severity: 'error',
      from: { path: `^src/modules/channels/${room}/` },
      to: {
        path: '^src/modules/channels/',
        pathNot: `^src/modules/channels/(${[room, ...below].join('|')})/`,
      },
    })),
    ...Object.entries(ROOMS_OF_TRIGGERS).map(([room, below]) => ({
      name: `${room}-of-triggers-use-only-what-is-below`,
      comment:
        'A run is started in one way, whatever starts it, and reported in one way: so each room can be changed alone.',
      severity: 'error',
      from: { path: `^src/modules/triggers/${room}/` },
      to: {
        path: '^src/modules/triggers/',
        pathNot: `^src/modules/triggers/((${[room, ...below].join('|')})/|run-(settings|launcher)\\.ts$)`,
      },
    })),
    {
      name: 'queue-knows-no-feature',
      comment: 'Leases, lanes and group commit are the same whatever is worked on.',
      severity: 'error',
      from: { path: '^src/queue/' },
      to: { path: '^src/(modules|http)/' },
    },
    {
      name: 'no-circles',
      comment: 'What needs each other is one thing, or one of them is in the wrong place.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'entries-are-the-top',
      comment: 'Nobody but another entry may need a process, or it could not be used in a second one.',
      severity: 'error',
      from: { path: '^src/', pathNot: ENTRIES },
      to: { path: ENTRIES },
    },
    {
      name: 'http-knows-no-feature',
      comment:
        'Guards, filters and pipes serve every route alike; what they need of a feature comes in through a port.',
      severity: 'error',
      from: { path: '^src/http/' },
      to: { path: '^src/(modules|database)/' },
    },
    {
      name: 'database-knows-no-feature',
      comment:
        'The storage is the same whatever is stored in it. Migrations describe tables in their own words, as those of their day.',
      severity: 'error',
      from: { path: '^src/database/' },
      to: { path: '^src/(modules|http)/' },
    },
    {
      name: 'common-and-config-are-the-bottom',
      comment: 'Everybody stands on them, so they can stand on nobody.',
      severity: 'error',
      from: { path: '^src/(common|config)/' },
      to: { path: '^src/(modules|http|database|queue)/' },
    },
    {
      name: 'common-needs-no-config',
      comment: 'Both processes and all tools use it, whatever their configuration.',
      severity: 'error',
      from: { path: '^src/common/' },
      to: { path: '^src/config/' },
    },
    {
      name: 'typeorm-stays-in-storage',
      comment:
        'The rules of the domain must not know how they are stored: that is what lets two databases stand under them.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/database/|\\.(entity|repository)\\.ts$|^src/modules/[^/]+/entities/' },
      to: { path: 'node_modules/(typeorm|sqlite3|pg)/' },
    },
    {
      name: 'repositories-are-had-by-modules',
      comment:
        'A module says which entities it has repositories for, and its repositories take them; rules see neither.',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.(module|repository)\\.ts$' },
      to: { path: 'node_modules/@nestjs/typeorm/' },
    },
    {
      name: 'services-know-no-http',
      comment: 'The same rules serve the command line, timers and other features.',
      severity: 'error',
      from: { path: '\\.(service|repository|entity)\\.ts$' },
      to: {
        path: '^src/http/|node_modules/(express|@nestjs/platform-express|@nestjs/swagger)/|\\.controller\\.ts$|/dto/',
      },
    },
    {
      name: 'adapters-stand-alone',
      comment:
        'An adapter translates one platform to the port, so a new one touches no other: its own folder, the port, common.',
      severity: 'error',
      from: { path: '^src/modules/channels/platforms/([^/]+)/' },
      to: {
        path: '^src/',
        pathNot: ['^src/modules/channels/platforms/$1/', ADAPTER_PORT, '^src/common/'],
      },
    },
    {
      name: 'only-the-registry-knows-adapters',
      comment: 'Whoever asks for one platform by name is in the way of the next platform.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/modules/channels/platforms/' },
      to: { path: '^src/modules/channels/platforms/[^/]+/' },
    },
    {
      name: 'no-barrels',
      comment: 'A file that only hands on hides where things live and makes circles easy.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^src/.*/index\\.ts$' },
    },
    {
      name: 'no-tests-in-the-program',
      comment: 'What ships must not need what only tests have.',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^test/|\\.spec\\.ts$', dependencyTypesNot: ['npm'] },
    },
    {
      name: 'no-development-packages',
      comment: 'An installation without them must run.',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.spec\\.ts$' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'no-unresolvable',
      comment: 'A path that leads nowhere fails only when it is walked.',
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
