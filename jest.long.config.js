import { projects, settings } from './test/support/setup/projects.mjs';

/** What `npm run test:long` runs: all that `npm test` leaves out. */
export default { ...settings, projects: projects({ isLong: true }) };
