import { Firing } from './modules/triggers/schedule/firing.entity.js';
import { ScheduleCursor } from './modules/triggers/schedule/schedule-cursor.entity.js';
import { SpooledEvent } from './modules/triggers/reporter/spooled-event.entity.js';
import { TriggerRun } from './modules/triggers/runs/trigger-run.entity.js';

/** All entities of the agent process's state file, compared with the schema from its migrations. */
export const AGENT_ENTITIES = [Firing, ScheduleCursor, TriggerRun, SpooledEvent];
