import { chats } from './chats.mjs';
import { clients } from './clients.mjs';
import { clockChats } from './clock-chats.mjs';
import { clock } from './clock.mjs';
import { connectionSlots } from './connection-slots.mjs';
import { databaseAway } from './database-away.mjs';
import { diskFullPostgres } from './disk-full-postgres.mjs';
import { diskFull } from './disk-full.mjs';
import { doneOnce } from './done-once.mjs';
import { effects } from './effects.mjs';
import { graphStates } from './graph-states.mjs';
import { growth } from './growth.mjs';
import { hostileBodies } from './hostile-bodies.mjs';
import { kills } from './kills.mjs';
import { largeBodies } from './large-bodies.mjs';
import { leases } from './leases.mjs';
import { lockedRows } from './locked-rows.mjs';
import { lostDispatcher } from './lost-dispatcher.mjs';
import { lostInstance } from './lost-instance.mjs';
import { lostPoller } from './lost-poller.mjs';
import { manyAtOnce } from './many-at-once.mjs';
import { racedGroups } from './raced-groups.mjs';
import { races } from './races.mjs';
import { rollingRestart } from './rolling-restart.mjs';
import { spool } from './spool.mjs';
import { spread } from './spread.mjs';
import { sqliteFile } from './sqlite-file.mjs';
import { startAtOnce } from './start-at-once.mjs';
import { storedThreads } from './stored-threads.mjs';
import { traffic } from './traffic.mjs';
import { wrongClocks } from './wrong-clocks.mjs';

/**
 * @typedef {object} Scenario
 * @property {string} name
 * @property {string} title
 * @property {('sqlite' | 'postgres')[]} databases   databases it applies to
 * @property {('sqlite' | 'postgres')[]} [shortOn]    databases for its short form; absent = all of them
 * @property {(stage: import('../support/stage.mjs').Stage) => Promise<void>} run
 *   notes on the stage what it tried and whether each promise was kept; throws when it could not find out
 */

/** @type {Scenario[]} */
export const SCENARIOS = [
  ...[
    startAtOnce,
    spread,
    races,
    racedGroups,
    leases,
    effects,
    doneOnce,
    rollingRestart,
    lostInstance,
    chats,
    lostDispatcher,
  ],
  ...[
    lostPoller,
    manyAtOnce,
    spool,
    kills,
    diskFull,
    diskFullPostgres,
    sqliteFile,
    databaseAway,
    connectionSlots,
    lockedRows,
  ],
  ...[clients, largeBodies, hostileBodies, growth, graphStates, clock, clockChats, wrongClocks, traffic, storedThreads],
];
