/** The types that other features see of threads, beside its services and events. */
export type { EventKind, ExtraMember, ReportedEvent } from './journal/reported-event.js';
export type { UnitOfWork } from './journal/unit-of-work.js';
export type { LatestFilter } from './reading/latest.repository.js';
