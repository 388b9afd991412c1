import { projects, settings } from './test/support/setup/projects.mjs';

/** What `npm test` runs: see LONG there for the rest. */
export default { ...settings, projects: projects({ isLong: false }) };
