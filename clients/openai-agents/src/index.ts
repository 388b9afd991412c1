export { WaystationSession, type WaystationSessionOptions } from './waystation-session.js';
export { runWithApprovals, type RunWithApprovalsOptions } from './run-with-approvals.js';
