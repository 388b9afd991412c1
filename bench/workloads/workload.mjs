import { approvals } from './approvals.mjs';
import { chats } from './chats.mjs';
import { g1 } from './g1.mjs';
import { hooks } from './hooks.mjs';
import { r1 } from './r1.mjs';
import { r2 } from './r2.mjs';
import { r3 } from './r3.mjs';
import { start } from './start.mjs';
import { w1, w1Based, w1Noticed, w1Trimmed } from './w1.mjs';
import { w2 } from './w2.mjs';

/**
 * One thing to measure. Each workload has a file beside this one and is listed below; its requests are defined in
 * bench/jobs.
 * @typedef {object} Workload
 * @property {string} name
 * @property {string} title
 * @property {string[]} targets      names of its targets
 * @property {boolean} isRepeated    measured in several rounds, each on a fresh database
 * @property {(session: import('../support/session.mjs').Session) => Promise<object[]>} measure  returns measurements, possibly
 *   with additional figures
 */

/** @type {readonly Workload[]} in the order in which they run */
export const WORKLOADS = [start, w1, w1Noticed, w1Trimmed, w1Based, w2, g1, r1, r2, r3, approvals, chats, hooks];
